/** Compares the event log with the rows. */

import { BadEvent, replayEvents } from '../../kernel/issues/events/issue-replay.ts'
import { isLogBehind } from '../../kernel/issues/events/log-behind.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { shellWord } from '../../kernel/text/shell-word.ts'
import { readEventLines } from '../../store/file/event-lines.ts'
import { EventLog } from '../../store/file/event-log.ts'
import { issueFiles } from '../../store/file/issue-files.ts'
import type { OperationContext } from '../context.ts'
import { mustStayInside } from '../paths.ts'
import {
  type DoctorFinding,
  type Examined,
  faultAsFinding,
  finding,
  fixed,
  singleFinding,
  type Visit,
} from './finding.ts'

/** A memory without a log is fine: the next change begins one. */
export async function examineEvents(visit: Visit, memory: IssueMemory): Promise<Examined> {
  const log = issueFiles(visit.path).events
  const read = await faultAsFinding('events', () => readLog(log, visit), rowsUnharmed)
  if ('found' in read) return read.found
  const standing = read.value ? standingOf(log, read.value, memory, visit.project) : 'level'
  // Every merge leaves the log behind, and the next change completes it: nobody needs to act.
  if (standing === 'level' || (standing === 'behind' && !visit.fix)) return nothingFound
  const found = standing === 'behind' ? behind(log) : standing
  if (!visit.fix || found.exitCode > 1) return singleFinding(found)
  const done = await faultAsFinding('events', () => catchUp(visit, memory), rowsUnharmed)
  return 'found' in done ? done.found : singleFinding(fixed(found, 'It is complete now.'))
}

const nothingFound: Examined = { checks: ['events'], findings: [] }

const rowsUnharmed = 'The rows are intact, but they could not be rebuilt from the log.'

type Log = ReturnType<typeof readEventLines> & { readonly isMerged: boolean }

async function readLog(log: string, { path, project, disk }: Visit): Promise<Log | undefined> {
  await mustStayInside(log, path.replace(/\/[^/]*$/, '') || '/', disk)
  const bytes = await project.files.readIfPresent(log)
  if (!bytes) return undefined
  const last = new TextDecoder().decode(bytes).trimEnd().split('\n').at(-1) ?? ''
  return { ...readEventLines(bytes, log), isMerged: last.startsWith('#') }
}

function standingOf(
  log: string,
  { lines, torn, isMerged }: Log,
  memory: IssueMemory,
  { sha256 }: OperationContext,
): 'level' | 'behind' | DoctorFinding {
  const replayed = replayEvents(lines)
  const isBad = replayed instanceof BadEvent
  const isSame = !isBad && replayed.snapshotRef(sha256) === memory.snapshotRef(sha256)
  if (isSame && torn === undefined) return 'level'
  // A merge of two logs is completed from the rows, whatever it replays to.
  if (isSame || isMerged || (!isBad && isLogBehind(replayed, memory))) {
    return torn === undefined ? 'behind' : behind(log)
  }
  return isBad ? gapFinding(log, replayed) : contradiction(log)
}

const behind = (log: string) =>
  finding(
    'events',
    `${log} is behind the rows`,
    'It was not written to its end, or was merged. The next change completes it from the rows.',
    'premath doctor --fix completes it now.',
  )

const gapFinding = (log: string, { line, why }: BadEvent) =>
  finding(
    'events',
    `${log} cannot be replayed: line ${line}: ${why}`,
    rowsUnharmed,
    'premath issue migrate-events writes a new log from the rows, and keeps this one beside it.',
    5,
  )

const contradiction = (log: string) =>
  finding(
    'events',
    `${log} replays to another memory than the rows`,
    'Either the rows or the log changed without the other.',
    `If the rows are right, premath issue migrate-events writes a new log, and keeps this one beside it. premath issue replay-events --issues replayed.jsonl --events ${shellWord(log)} shows what this one has.`,
    5,
  )

async function catchUp({ path, disk }: Visit, memory: IssueMemory): Promise<void> {
  const file = await disk.openToAppend(path)
  try {
    const { size } = await file.stamp()
    await new EventLog(disk, issueFiles(path)).compare({ file, bytes: size, memory })
  } finally {
    await file.close()
  }
}
