import { flagField, textField } from '../../field.ts'
import { visible } from '../../kernel/text/visible.ts'
import { specFields } from '../../project/specs/spec-fields.ts'
import { SpecCreateAnswer } from '../../wire/answers/spec.ts'
import { operation } from '../operation.ts'

/** Apart, so that the recording can name its type. */
export const createFields = {
  id: textField('id', 'The id of the case; default from the command.'),
  title: textField('text', 'The title in one line; default the command.'),
  into: textField('file', 'The Markdown document to append to; created if it is missing.', {
    path: true,
  }),
  stdin: textField('file', 'A file with the text for stdin.', { path: true }),
  env: textField('name=value', 'An environment variable, as NAME=value.', { many: true }),
  console: flagField('Record a console block, which shows the command and its whole output.'),
  fromCurl: textField(
    'curl line',
    'Make an api.http case from a curl command line; - reads the line from stdin.',
  ),
  noSend: flagField('With --from-curl, do not send the request.'),
  root: specFields.root,
  command: textField('command', 'The command and its arguments.', {
    positional: true,
    many: true,
    behindDashes: true,
  }),
} as const

export const specCreate = operation({
  group: 'spec',
  summary: 'Record a case from a run of a command, or from a curl line.',
  description:
    'Runs the command twice in the contract root and records its exit code and its output. Output that both runs agree on is expected exactly. Where they differ, masks replace times, durations, addresses and folders, and a line that still differs becomes a pattern, which is reported. The new case runs before anything is written, and a failing case is not written. The case is printed, or appended to a document. The command runs without a shell; for pipes and variables start one, as in -- sh -c "…". With --from-curl, a curl line becomes an api.http case instead. The request is sent once, and the case expects the status of the answer, or a status below 400 if there is none. Credentials in the line become {{var.NAME}}, and so do variables of the shell; the answer names the flags that give them to spec run. An option of curl that a case cannot follow is an error.',
  effect: 'projection',
  opId: 'op/spec.create',
  input: createFields,
  output: SpecCreateAnswer,
  examples: {
    'premath spec create -- node --version': 'the case on stdout',
    'premath spec create --id LIST-1 --into docs/list.spec.md -- ls -1 docs':
      'a case at the end of a document',
    'premath spec create --console -- sh -c "ls docs | wc -l"':
      'a console block; sh -c becomes the line itself',
    'premath spec create --stdin rows.txt --env LC_ALL=C -- sort -u':
      'a case with input and a variable',
    "premath spec create --from-curl 'curl -u me:secret https://api.example/items' --into api.spec.md":
      'an api.http case without the credentials',
    'premath spec create --from-curl - --no-send < request.txt':
      'the same from a file, without sending it',
  },

  async run(input, context) {
    // The Markdown and YAML readers are large, and help needs neither.
    const { caseFromCurl } = await import('../spec-from-curl.ts')
    const { recordConsole } = await import('../spec-recording-console.ts')
    const { recordCase } = await import('../spec-recording.ts')
    const isCurl = input.fromCurl !== undefined || input.noSend
    const record = isCurl ? caseFromCurl : input.console ? recordConsole : recordCase
    const { output, message } = await record(input, context)
    return {
      output,
      yes: output.result === 'accepted',
      ...(message !== undefined && { message }),
      render: () => {
        if (output.result === 'rejected') return ''
        if (output.file === null) return output.block
        return `Added ${visible(output.id)} to ${visible(output.file)}:${output.line}\n`
      },
    }
  },
})
