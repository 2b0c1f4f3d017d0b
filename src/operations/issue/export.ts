import { choiceField, textField } from '../../field.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import { byDependency, type Issue, printIssue } from '../../kernel/issues/issue.ts'
import { type IssueMemory, snapshotRow } from '../../kernel/issues/issue-memory.ts'
import { parseJson } from '../../kernel/json.ts'
import { counted } from '../../kernel/text/counted.ts'
import { visible } from '../../kernel/text/visible.ts'
import { openProject } from '../../project/open.ts'
import { messageOf, openIssues } from '../../project/open-issues.ts'
import { protectedPaths, safeOutput } from '../../project/safe-output.ts'
import { csvHeader, csvRow } from '../../render/issues/issue-csv.ts'
import { ExportAnswer } from '../../wire/answers/issue-files.ts'
import { operation } from '../operation.ts'

export const issueExport = operation({
  group: 'issue',
  summary: 'Export all issues as rows, JSON or CSV.',
  description:
    'Rows are sorted by id, in the form that the snapshot ref digests. Without --output they go to stdout; with --json too, as one document with the rows in issues, whatever the format. In CSV, a cell that a spreadsheet would run as a formula starts with an apostrophe.',
  effect: 'read',
  opId: 'op/issue.export',
  input: {
    output: textField('file', 'The file to write; default stdout.', { path: true }),
    format: choiceField(
      ['jsonl', 'json', 'csv'],
      'jsonl: one row per line; json: one list; csv: a table.',
      { default: 'jsonl' },
    ),
    ...memoryFields,
  },
  output: ExportAnswer,
  examples: {
    'premath issue export --output issues.jsonl': 'a copy that import reads',
    'premath issue export --format csv --output issues.csv': 'a spreadsheet',
    'premath issue export | grep login': 'rows for other programs',
    'premath issue export --json': 'one document, with the snapshot ref',
  },

  async run({ output, format, issues }, context) {
    const open = await openIssues(await openProject(context), { issues }, 'ask')
    const { store, issuesPath } = open
    const memory = await store.read()
    const about = () => ({
      action: 'issue.export',
      issueCount: memory.size,
      issuesPath,
      snapshotRef: memory.snapshotRef(context.sha256),
    })
    if (output === undefined) {
      const rows = () => memory.all().map(issue => parseJson(snapshotRow(issue)))
      return {
        stream: pieces(memory, format),
        document: () => ({ ...about(), issues: rows() }),
        exitCode: () => 0,
        ...messageOf(open),
      }
    }
    const disk = await context.disk()
    const path = await safeOutput(output, protectedPaths(open), context)
    let text = ''
    for await (const piece of pieces(memory, format)) text += piece
    await disk.replace(path, new TextEncoder().encode(text))
    return {
      output: { ...about(), format, outputPath: output },
      yes: true,
      ...messageOf(open),
      render: () => `Exported ${counted(memory.size, 'issue')} to ${visible(output)}\n`,
    }
  },
})

type Format = 'jsonl' | 'json' | 'csv'

/** Chunks of many rows, because one write per row would be slow. */
async function* pieces(memory: IssueMemory, format: Format): AsyncIterable<string> {
  const all = memory.all()
  const { before, row, between, after } = forms[format]
  yield before
  for (let at = 0; at < all.length; at += rowsPerPiece) {
    const rows = all.slice(at, at + rowsPerPiece).map(row)
    yield rows.join(between) + (at + rowsPerPiece < all.length ? between : '')
  }
  yield after
}

const rowsPerPiece = 500

interface Form {
  readonly before: string
  row(issue: Issue): string
  readonly between: string
  readonly after: string
}

const forms: Readonly<Record<Format, Form>> = {
  jsonl: { before: '', row: snapshotRow, between: '', after: '' },
  json: {
    before: '[\n',
    row: issue => printIssue({ ...issue, dependencies: issue.dependencies.toSorted(byDependency) }),
    between: ',\n',
    after: '\n]\n',
  },
  csv: { before: csvHeader, row: csvRow, between: '', after: '' },
}
