import { Fault } from '../../fault.ts'
import { flagField } from '../../field.ts'
import type { Problem } from '../../kernel/spec/document/raw-case.ts'
import { counted } from '../../kernel/text/counted.ts'
import { visible } from '../../kernel/text/visible.ts'
import type { OperationContext } from '../../project/context.ts'
import { seekProject } from '../../project/open.ts'
import type { UnwrittenDocument } from '../../project/specs/document-file.ts'
import {
  byPlace,
  problemJson,
  problemsError,
  problemsMessage,
} from '../../project/specs/problems.ts'
import { specFields } from '../../project/specs/spec-fields.ts'
import type { LoadedDocument } from '../../runner/load-documents.ts'
import { SpecFormatAnswer } from '../../wire/answers/spec.ts'
import { operation } from '../operation.ts'

export const specFormat = operation({
  group: 'spec',
  summary: 'Format the cases of spec documents.',
  description:
    'Sorts the keys of a case, indents by two spaces, and splits flow collections that exceed 100 columns. Values, comments and every byte outside the blocks stay. A block that cannot be read stays unchanged and is reported, with exit code 2; a document that cannot be written is reported with exit code 3. JSON documents are not formatted.',
  effect: 'projection',
  opId: 'op/spec.format',
  input: {
    ...specFields,
    check: flagField('Write nothing; exit 1 and list the documents that would change.'),
    stdout: flagField('Print the formatted document instead of writing it.'),
  },
  output: SpecFormatAnswer,
  examples: {
    'premath spec format': 'every document below this folder',
    'premath spec format docs --check': 'checks the format, for CI',
    'premath spec format docs/login.spec.md --stdout': 'the formatted document',
  },

  async run(input, given) {
    const context = seekProject(given)
    // The Markdown and YAML readers are large, and help needs neither.
    const { formatDocument } = await import('../../kernel/spec/author/format-document.ts')
    const { readAsked } = await import('../../project/specs/spec-input.ts')
    const { documents, problems: missing } = await readAsked(input, context)
    const formatted = documents.map(document => ({
      document,
      ...formatDocument(document.text, document.file),
      // An unreadable document has no text.
      ...(document.text === '' && { problems: document.problems }),
    }))
    const changed = formatted.filter(({ document, text }) => text !== document.text)
    const problems = [...missing, ...formatted.flatMap(one => one.problems)].sort(byPlace)
    const { check, stdout } = input
    if (stdout) return printed(formatted, problems)
    const { errorOf, exitCodeOf, unwrittenMessages } = await import(
      '../../project/specs/document-file.ts'
    )
    const left: UnwrittenDocument[] = []
    if (!check) for (const one of changed) left.push(...(await write(one, context)))
    const messages = [problemsMessage(problems), ...unwrittenMessages(left)].filter(
      one => one !== undefined,
    )
    const names = changed
      .map(({ document }) => document.file)
      .filter(file => !left.some(one => one.file === file))
    const exitCode = exitCodeOf(problems, left)
    return {
      output: {
        action: 'spec.format',
        result: exitCode !== undefined || (check && names.length > 0) ? 'rejected' : 'accepted',
        documents: documents.length,
        changed: names,
        left: left.map(({ file, fault }) => ({ file, why: fault.message })),
        written: !check,
        problems: problems.map(problemJson),
      },
      yes: !check || names.length === 0,
      ...(exitCode !== undefined && { exitCode, ...errorOf(problems, left) }),
      ...(messages.length > 0 && { message: messages.join('\n') }),
      render: () => formatPage(names, documents.length, check),
    }
  },
})

interface Formatted {
  readonly document: LoadedDocument
  readonly text: string
}

function printed(formatted: readonly Formatted[], problems: readonly Problem[]) {
  const [one, ...others] = formatted
  if (one === undefined || others.length > 0) {
    throw new Fault('usage', `--stdout prints one document, but ${formatted.length} are named`, {
      hint: 'Name one document.',
    })
  }
  const message = problemsMessage(problems)
  const { document, text } = one
  return {
    output: {
      action: 'spec.format',
      result: problems.length > 0 ? 'rejected' : 'accepted',
      documents: 1,
      changed: text === document.text ? [] : [document.file],
      left: [],
      written: false,
      text,
      problems: problems.map(problemJson),
    },
    yes: true,
    ...(problems.length > 0 && { exitCode: 2 as const, ...problemsError(problems) }),
    ...(message !== undefined && { message }),
    render: () => text,
  }
}

async function write(
  { document, text }: Formatted,
  context: OperationContext,
): Promise<readonly UnwrittenDocument[]> {
  const { writeOrReport } = await import('../../project/specs/document-file.ts')
  const { root, path, file, text: before } = document
  const whole = `${root === '/' ? '' : root}${path}`
  return await writeOrReport({ path: whole, file, before, after: text }, context)
}

function formatPage(names: readonly string[], documents: number, check: boolean): string {
  const lines = names.map(visible)
  const did = check ? 'would change' : 'changed'
  return `${[...lines, `${names.length} of ${counted(documents, 'document')} ${did}`].join('\n')}\n`
}
