import { visible } from '../../kernel/text/visible.ts'
import { specFields } from '../../project/specs/spec-fields.ts'
import { operation } from '../operation.ts'

export const specCreate = operation({
  group: 'spec',
  summary: 'Record a case from a run of a command.',
  description:
    'Runs the command twice in the contract root and writes down its exit code and the lines that were there both times; what changed, such as times, digests or temporary paths, is left out and told. The new case is run before anything is written, and one that fails is not. It is printed, or added to the end of a document. No shell reads the command: for pipes and variables run one, as in -- sh -c "…".',
  effect: 'projection',
  input: {
    id: {
      type: 'text',
      describe: 'What the case is called; made from the command when left out.',
      placeholder: 'id',
    },
    title: {
      type: 'text',
      describe: 'What it shows, in one line; the command when left out.',
      placeholder: 'text',
    },
    into: {
      type: 'text',
      describe: 'The Markdown document to add it to, which is made where there is none.',
      placeholder: 'file',
      path: true,
    },
    stdin: {
      type: 'text',
      describe: 'A file with what the command reads from standard input.',
      placeholder: 'file',
      path: true,
    },
    env: {
      type: 'text',
      describe: 'A variable for the command, as NAME=value.',
      placeholder: 'name=value',
      many: true,
    },
    root: specFields.root,
    command: {
      type: 'text',
      describe: 'The command and its arguments.',
      placeholder: 'command',
      positional: true,
      many: true,
      required: true,
      behindDashes: true,
    },
  },
  examples: [
    { command: 'premath spec create -- node --version', shows: 'the case, on standard output' },
    {
      command: 'premath spec create --id LIST-1 --into docs/list.spec.md -- ls -1 docs',
      shows: 'a case at the end of a document',
    },
    {
      command: 'premath spec create --stdin rows.txt --env LC_ALL=C -- sort -u',
      shows: 'a case with input and a variable',
    },
  ],

  async run(input, context) {
    // The readers of Markdown and YAML are large, and help needs neither.
    const { recordCase } = await import('../spec-recording.ts')
    const recording = await recordCase(input, context)
    const { output, talk } = recording
    return {
      output,
      yes: output.result === 'accepted',
      ...(talk !== undefined && { talk }),
      render: () => {
        if (output.result === 'rejected') return ''
        if (output.file === null) return output.block
        return `${visible(output.id)} was added to ${visible(output.file)}:${output.line}\n`
      },
    }
  },
})
