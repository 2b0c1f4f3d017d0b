import { Fault } from '../../fault.ts'
import { textField } from '../../field.ts'
import { canonicalJson, type Sha256 } from '../../kernel/canonical.ts'
import { mergeEvents } from '../../kernel/issues/events/event-merge.ts'
import { sideOf } from '../../kernel/issues/forward/apart.ts'
import { graphIntegrity } from '../../kernel/issues/graph/dependency-cycle.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { IssueMemory, snapshotRow } from '../../kernel/issues/issue-memory.ts'
import {
  type MergeConflict,
  mergeIssues,
  type RenamedIssue,
} from '../../kernel/issues/merge/issue-merge.ts'
import { counted } from '../../kernel/text/counted.ts'
import { visible } from '../../kernel/text/visible.ts'
import type { OperationContext } from '../../project/context.ts'
import { openProject } from '../../project/open.ts'
import { issuesPlace } from '../../project/open-issues.ts'
import { resolvePath } from '../../project/paths.ts'
import { readEventLines } from '../../store/file/event-lines.ts'
import { issueFiles } from '../../store/file/issue-files.ts'
import { readRows, rowsStart } from '../../store/issue-rows.ts'
import { MergeDriverAnswer } from '../../wire/answers/project.ts'
import { operation } from '../operation.ts'

export const mergeDriver = operation({
  group: 'project',
  summary: 'Merge issue memory, or its event log, for git.',
  description:
    'git calls this when two branches changed the same file, with the common version, ours and theirs; the result replaces ours. Rows merge by issue and field. If both sides changed a field, the newer row wins; the other value is listed and kept in the row under metadata.premathMergeConflicts. Two issues with the same id are both kept, the later one under a new id. Event logs merge as a union. premath init --merge-driver sets it up. Exits 0 if merged; otherwise ours is unchanged and git reports a conflict.',
  effect: 'mutation',
  opId: 'op/project.merge_driver',
  input: {
    base: side('The common version: %O.'),
    ours: side('Our version, which the result replaces: %A.'),
    theirs: side('Their version: %B.'),
    path: textField('path', 'The path of the file in the repository: %P.', { positional: true }),
  },
  output: MergeDriverAnswer,
  examples: {
    "git config merge.premath.driver 'premath merge-driver %O %A %B %P'":
      'the git configuration; init --merge-driver writes it',
    'premath merge-driver base.jsonl ours.jsonl theirs.jsonl --json': 'the conflicts, as JSON',
  },

  async run({ base, ours, theirs, path }, context) {
    const disk = await context.disk()
    const place = await disk.realPath(resolvePath(context.cwd(), ours))
    await mustBeCopy(place, ours, context)
    const name = path ?? ours
    const three = await Promise.all(
      [
        [base, 'the common version'],
        [ours, 'our version'],
        [theirs, 'their version'],
      ].map(async ([file = '', whose = '']) => ({
        bytes: await context.files.read(resolvePath(context.cwd(), file)),
        name: `${name} (${whose})`,
      })),
    )
    const merge = isEventLog(name, three) ? mergeLogs : mergeMemories
    const merged = merge(three, context)
    await disk.replace(place, new TextEncoder().encode(merged.text))
    const { notices, output, summary } = merged
    return {
      output: { action: 'merge-driver', path: name, result: 'merged', ...output },
      yes: true,
      ...(notices.length > 0 && { message: [`premath merged ${name}`, ...notices].join('\n') }),
      render: () => `premath merged ${visible(name)}: ${summary}\n`,
    }
  },
})

/** git passes copies. Memory itself changes only through the store, under its lock. */
async function mustBeCopy(place: string, given: string, context: OperationContext): Promise<void> {
  const disk = await context.disk()
  const { folder, issuesPath } = issuesPlace(await openProject(context), undefined)
  const memory = await disk.realPath(resolvePath(folder, issuesPath))
  const log = await disk.realPath(issueFiles(memory).events)
  const isMemory = place === memory || place === log || ownPath.test(place)
  // A writer leaves a lock file beside its memory, whatever its name.
  if (!isMemory && (await disk.stamp(`${place}.lock`)) === undefined) return
  throw new Fault('usage', `${given} is the live issue memory or its log`, {
    hint: 'Pass a copy as our version. To import rows, use premath issue import.',
  })
}

/** Matches the memory of any project. */
const ownPath = /\/\.premath\/(issues|memory\/events)\.jsonl$/

function side(describe: string) {
  return {
    type: 'text',
    describe,
    placeholder: 'file',
    path: true,
    required: true,
    positional: true,
  } as const
}

interface Version {
  readonly bytes: Uint8Array
  /** For messages. */
  readonly name: string
}

interface Merged {
  readonly text: string
  readonly notices: readonly string[]
  readonly output: Readonly<Record<string, unknown>>
  readonly summary: string
}

/** Recognized by its name or by its first member. */
function isEventLog(name: string, versions: readonly Version[]): boolean {
  if (/(^|[/.])events\.jsonl$/.test(name)) return true
  if (/(^|\/)issues\.jsonl$/.test(name)) return false
  return versions.some(({ bytes }) => {
    const start = new TextDecoder().decode(bytes.subarray(0, 200))
    return /^\s*\{"(?:schema":"issue\.event\.|event_id":)/.test(start)
  })
}

function mergeMemories(versions: readonly Version[], { sha256 }: OperationContext): Merged {
  const notices: string[] = []
  const [was, our, their] = versions.map(version => rowsOf(version, notices, sha256))
  if (!was || !our || !their) throw new Error('a merge has three versions')
  const [base, ours, theirs] = [was.rows, our.rows, their.rows]
  const earlier = { ours: our.earlier, theirs: their.earlier }
  const { rows, conflicts, renamed } = mergeIssues({ base, ours, theirs, earlier }, sha256)
  const memory = memoryOf(rows)
  const { cyclePath } = graphIntegrity(memory, 'full')
  const isNew = cyclePath !== null && ![ours, theirs].some(side => hasCycle([...side.values()]))
  notices.push(...conflicts.map(conflictMessage), ...renamed.map(renamedMessage))
  if (isNew) notices.push(`  edges of both sides make a cycle: ${cyclePath.join(' -> ')}`)
  return {
    text: memory.all().map(snapshotRow).join(''),
    notices,
    output: {
      conflicts,
      cyclePath: isNew ? cyclePath : null,
      issueCount: rows.length,
      renamed,
      snapshotRef: memory.snapshotRef(sha256),
    },
    summary: counted(rows.length, 'issue'),
  }
}

function rowsOf({ bytes, name }: Version, notices: string[], sha256: Sha256) {
  const inFile: Issue[] = []
  const end = readRows(bytes, rowsStart, name, ({ issue }) => inFile.push(issue))
  const torn = new TextDecoder().decode(bytes.subarray(end.bytes)).trim()
  // An incomplete line was never acknowledged, but its loss is reported.
  if (torn !== '' && !torn.startsWith('#')) notices.push(tornMessage(name, torn))
  return sideOf(inFile, sha256)
}

function mergeLogs(versions: readonly Version[]): Merged {
  const notices: string[] = []
  const [base, ours, theirs] = versions.map(({ bytes, name }) => {
    const { lines, torn } = readEventLines(bytes, name)
    if (torn !== undefined) notices.push(tornMessage(name, torn))
    return lines
  })
  if (!base || !ours || !theirs) throw new Error('a merge has three versions')
  const lines = mergeEvents(base, ours, theirs)
  return {
    text: lines.map(line => `${line}\n`).join('') + mergedMark,
    notices,
    output: { eventCount: lines.length },
    summary: counted(lines.length, 'event'),
  }
}

/** A log that ends in a comment is compared with all rows before the next change. */
const mergedMark = '# premath:merged\n'

const tornMessage = (name: string, text: string) =>
  `  ${name} ends in an incomplete line, which is dropped: ${visible(text)}`

const conflictMessage = ({ issueId, field, value }: MergeConflict) =>
  `  ${issueId}: both sides changed ${field}; the losing value is kept in the row: ${visible(canonicalJson(value))}`

const renamedMessage = ({ from, to, title }: RenamedIssue) =>
  `  ${from} was two issues; ${visible(JSON.stringify(title))} is ${to} now`

function memoryOf(rows: readonly Issue[]): IssueMemory {
  const memory = new IssueMemory()
  for (const issue of rows) memory.put(issue)
  return memory
}

const hasCycle = (rows: readonly Issue[]) => graphIntegrity(memoryOf(rows), 'full').hasCycle
