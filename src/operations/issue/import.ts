import { Fault } from '../../fault.ts'
import { choiceField, flagField, textField } from '../../field.ts'
import { changeFields } from '../../input/issue-fields.ts'
import { BadRow, type Issue, readIssue } from '../../kernel/issues/issue.ts'
import {
  importConflicts,
  importIssues,
  isClosedOnlyInImport,
} from '../../kernel/issues/issue-import.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { isJsonObject, type Json, parseJson } from '../../kernel/json.ts'
import { counted } from '../../kernel/text/counted.ts'
import { visible } from '../../kernel/text/visible.ts'
import { agentRefusal, authorityOf, stepWorkRefusal } from '../../project/authority/authority.ts'
import type { OperationContext } from '../../project/context.ts'
import { namingSource, readBytes, sourceName } from '../../project/named-document.ts'
import { openProject } from '../../project/open.ts'
import { messageOf, openIssues } from '../../project/open-issues.ts'
import { rejected } from '../../render/issues/issue-answer.ts'
import { readRows, rowsStart } from '../../store/issue-rows.ts'
import { ImportAnswer } from '../../wire/answers/issue-files.ts'
import { decodeUtf8 } from '../../world/utf8.ts'
import { operation } from '../operation.ts'

export const issueImport = operation({
  group: 'issue',
  summary: 'Import issues from a file of rows, all or none.',
  description:
    'Reads rows, one per line, as premath and earlier tools write them, or one JSON list of rows. New ids are added. An existing id with other content stops the import, unless --on-conflict decides. A fence never decreases, and a leased issue is never replaced. Rows are not proof: an issue that is open here and closed there is imported without its close, and the answer lists it under notClosed; close it with premath issue update. All rows are appended at once. A row that cannot be read exits 2 with its line, and nothing is imported. So does a file of more than 256 MiB or 500,000 rows. Only a person may run it, not an agent or the work of a step.',
  effect: 'mutation',
  opId: 'op/issue.import',
  input: {
    file: textField('file', 'The file of rows; - reads stdin.', {
      path: true,
      required: true,
      positional: true,
    }),
    onConflict: choiceField(
      importConflicts,
      'What to do with an existing id that has other content.',
      { default: 'fail' },
    ),
    dryRun: flagField('Show the changes without making them.'),
    ...changeFields,
  },
  output: ImportAnswer,
  examples: {
    'premath issue import issues.jsonl': 'how many were imported',
    'premath issue import old.jsonl --on-conflict keep --dry-run': 'the new issues in the file',
  },

  async run({ file, onConflict, dryRun, ...input }, context) {
    const open = await openIssues(await openProject(context), input)
    const authority = await authorityOf(open.project, input)
    // Rows say which specs judge an issue, and what its work may change.
    const refused = stepWorkRefusal('import rows', context) ?? agentRefusal('import rows', context)
    if (refused && !dryRun) return rejected('issue.import', open.issuesPath, refused)
    const rows = await rowsFrom(file, context)
    const { store, issuesPath } = open
    const before = (await store.exists()) ? await store.read() : new IssueMemory()
    const known = new Set(rows.map(({ id }) => id).filter(id => before.has(id)))
    const outcome = dryRun
      ? importIssues(before, rows, onConflict, context.clock.now())
      : await store.mutate(authority, { action: 'issue.import', rows, onConflict })
    if (isRefusal(outcome)) return rejected('issue.import', issuesPath, outcome)
    const ids = outcome.rows.map(({ id }) => id)
    const taken = new Set(ids)
    const given = new Set(rows.map(({ id }) => id))
    const output = {
      action: 'issue.import',
      added: ids.filter(id => !known.has(id)),
      dryRun,
      issuesPath,
      kept: [...given].filter(id => !taken.has(id)),
      notClosed: onConflict === 'replace' ? closedOnlyThere(rows, before) : [],
      replaced: ids.filter(id => known.has(id)),
      source: file,
    }
    return {
      output,
      yes: true,
      ...messageOf(open),
      render: page => {
        const { added, replaced, kept, notClosed } = output
        const counts = `${added.length} added, ${replaced.length} replaced, ${kept.length} kept`
        const [verb, from] = [dryRun ? 'Would import' : 'Imported', visible(sourceName(file))]
        const title = page.ink('bold', `${verb} ${counted(given.size, 'issue')}`)
        return `${title} from ${from}: ${counts}\n${notClosed.map(openLine).join('')}`
      },
    }
  },
})

/** The last row of an id counts. */
function closedOnlyThere(rows: readonly Issue[], before: IssueMemory): readonly string[] {
  const last = [...new Map(rows.map(issue => [issue.id, issue])).values()]
  return last.filter(issue => isClosedOnlyInImport(before.get(issue.id), issue)).map(({ id }) => id)
}

const openLine = (id: string) =>
  `${visible(`  ${id} is closed there but not here: premath issue update ${id} --status closed`)}\n`

async function rowsFrom(path: string, context: OperationContext): Promise<readonly Issue[]> {
  const source = sourceName(path)
  const bytes = await namingSource(source, () => readBytes(path, context))
  // A list, or the output of `issue export --json`. A single row stands on one line.
  const isList = /^\s*(\[|\{\s*\n)/.test(new TextDecoder().decode(bytes.subarray(0, 100)))
  return isList
    ? await namingSource(source, () => rowsOfList(decodeUtf8(bytes)))
    : await namingSource(source, () => rowsOfLines(bytes, source))
}

function rowsOfList(text: string): readonly Issue[] {
  const document = parseJson(text)
  const list = isJsonObject(document) ? document['issues'] : document
  if (!Array.isArray(list)) throw new Fault('invalid_input', 'must be a list of rows')
  if (list.length > rowsMax) throw tooManyRows()
  return (list as readonly Json[]).map((item, index) => {
    const issue = isJsonObject(item) ? readIssue(item) : new BadRow('must be an object')
    if (!(issue instanceof BadRow)) return issue
    throw badInput(`row ${index + 1}: ${issue.why}`, { row: index + 1 })
  })
}

/** All rows are held in memory. */
const rowsMax = 500_000

const tooManyRows = () =>
  new Fault('invalid_input', `has more than ${rowsMax} rows`, {
    hint: 'Nothing was imported. Give it in smaller parts.',
  })

function rowsOfLines(bytes: Uint8Array, source: string): readonly Issue[] {
  const rows: Issue[] = []
  const take = (issue: Issue) => {
    if (rows.length === rowsMax) throw tooManyRows()
    rows.push(issue)
  }
  const end = trusted(() => readRows(bytes, rowsStart, source, ({ issue }) => take(issue)))
  const rest = new TextDecoder().decode(bytes.subarray(end.bytes)).trim()
  if (rest === '' || rest.startsWith('#')) return rows
  throw badInput(`line ${end.lines + 1} is not a complete row`, { line: end.lines + 1 })
}

/** The rows are the caller's input, so corrupt rows are bad input and not corrupt memory. */
function trusted<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'corrupt') throw error
    const { line, why } = error.detail
    throw badInput(String(why), { line })
  }
}

const badInput = (why: string, place: Readonly<Record<string, unknown>>) =>
  new Fault('invalid_input', why, {
    hint: 'Nothing was imported. Fix the file, or get a complete copy.',
    detail: place,
  })
