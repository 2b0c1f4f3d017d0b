/**
 * The event log beside the rows, written under their lock and without a sync. After a crash it may lack
 * the last events; the next change appends them from the rows.
 */
import { Fault } from '../../fault.ts'
import { type IssueEvent, snapshotEvent } from '../../kernel/issues/events/issue-event.ts'
import { printEvent, readEventLine } from '../../kernel/issues/events/issue-event-line.ts'
import { BadEvent, EventReplay, missingEvents } from '../../kernel/issues/events/issue-replay.ts'
import { isLogBehind } from '../../kernel/issues/events/log-behind.ts'
import { ContradictingFences, isLower } from '../../kernel/issues/forward/fences.ts'
import { BadRow, fenceOf, type Issue, readIssueLine } from '../../kernel/issues/issue.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import type { Disk, DiskFile } from '../../world/world.ts'
import { unlessFault } from '../cache-file.ts'
import { encodedLines } from '../encoded-lines.ts'
import { openToAppend } from '../line-log.ts'
import { eachEventLine } from './event-lines.ts'
import type { IssueFiles } from './issue-files.ts'

/** The rows that the log is compared with. */
interface LoggedRows {
  readonly file: DiskFile
  /** The end of the rows. */
  readonly bytes: number
  readonly memory: IssueMemory
}

/** The part at the end of both files that is compared before everything is. */
const tailBytes = 64 * 1024

export class EventLog {
  readonly path: string
  readonly #disk: Disk
  readonly #files: IssueFiles
  /** The log lacked no event at the last look. To a log with a gap nothing is appended. */
  #isComplete = false
  #staysInside = false
  /** The state of both files when they last agreed. */
  #agreed: { readonly log: string; readonly rows: string } | undefined

  constructor(disk: Disk, files: IssueFiles) {
    this.#disk = disk
    this.path = files.events
    this.#files = files
  }

  /**
   * Called before rows are appended: adds the events that the log lacks. Compares the ends of both files
   * first. Where they do not meet (rows older than the log, a merge, an edit by hand), it replays the
   * whole log and compares it with the rows. A log that contradicts them stays as it is: its last events
   * are the evidence of what changed.
   */
  async complete(rows: LoggedRows): Promise<void> {
    if (await this.#isAgreed(rows)) return
    await this.#catchUp(async log => {
      const atEnd = log && (await missingAtEnd(log, rows))
      return atEnd ?? (await this.#missing(log, rows, await isUnmerged(log)))
    })
  }

  /** The same for rows that were just rewritten, which need a whole replay. */
  async compare(rows: LoggedRows): Promise<void> {
    await this.#catchUp(log => this.#missing(log, rows))
  }

  async #catchUp(find: (log: DiskFile | undefined) => Promise<readonly IssueEvent[]>) {
    this.#isComplete = false
    await this.#mustStayInside()
    const log = await this.#disk.open(this.path)
    try {
      const missing = await find(log)
      if (missing.length > 0) await this.#write(missing)
      this.#isComplete = true
    } finally {
      await log?.close()
    }
  }

  /** A link in the repository must not redirect the write. */
  async #mustStayInside(): Promise<void> {
    if (this.#staysInside) return
    const [real, folder] = [
      await this.#disk.realPath(this.path),
      await this.#disk.realPath(this.#files.folder),
    ]
    this.#staysInside = real.startsWith(folder === '/' ? '/' : `${folder}/`)
    if (this.#staysInside) return
    throw new Fault('unavailable', `${this.path} leaves its folder through a symbolic link`, {
      hint: 'Remove the link. premath makes the log again from the rows.',
      detail: { path: this.path },
    })
  }

  /** Called after the rows are synced. Does nothing where the log could not be completed before. */
  async record(events: readonly IssueEvent[], rows: LoggedRows): Promise<void> {
    if (!this.#isComplete) return
    await this.#write(events)
    const [log, { identity }] = await Promise.all([this.#disk.stamp(this.path), rows.file.stamp()])
    this.#agreed = { log: `${log?.identity} ${log?.size}`, rows: `${identity} ${rows.bytes}` }
  }

  /** Called after compaction: repeats the event of the last row, so that the ends meet again. */
  async meet(last: Issue | undefined): Promise<void> {
    if (last && this.#isComplete) await this.#write([snapshotEvent(last)])
  }

  async #isAgreed({ file, bytes }: LoggedRows): Promise<boolean> {
    if (!this.#agreed) return false
    const [log, { identity }] = await Promise.all([this.#disk.stamp(this.path), file.stamp()])
    const { log: agreedLog, rows } = this.#agreed
    return `${log?.identity} ${log?.size}` === agreedLog && `${identity} ${bytes}` === rows
  }

  /** Compares everything. The last event is that of the last row, so that the ends meet next time. */
  async #missing(
    log: DiskFile | undefined,
    rows: LoggedRows,
    mustAgree = false,
  ): Promise<readonly IssueEvent[]> {
    const replay = new EventReplay()
    if (log) await this.#replayInto(replay, log, rows.memory)
    if (mustAgree) this.#mustNotContradict(replay, rows.memory)
    const missing = replay.missing(rows.memory)
    const last = (await lastLines(rows.file, rows.bytes))?.at(-1)
    const row = last === undefined ? undefined : readIssueLine(last)
    if (!row || row instanceof BadRow || missing.at(-1)?.issue_id === row.id) return missing
    return [...missing, snapshotEvent(row)]
  }

  /** Gaps are filled from the rows. */
  #mustNotContradict(replay: EventReplay, memory: IssueMemory): void {
    const replayed = replay.memory()
    if (replayed instanceof BadEvent || isLogBehind(replayed, memory)) return
    throw new Fault('corrupt', `${this.path} contradicts the rows, and was not continued`, {
      hint: 'premath doctor says what to do.',
      detail: { path: this.path },
    })
  }

  /** Removes an incomplete last line, or ends it. */
  async #replayInto(replay: EventReplay, log: DiskFile, memory: IssueMemory): Promise<void> {
    const fences = new LoggedFences(memory, this.#files)
    const end = await eachEventLine(log, this.path, logged => {
      replay.take(logged)
      fences.take(logged)
    })
    fences.mustNotGoBack()
    if (end.torn !== undefined) await this.#withLog(file => file.cut(end.bytes))
    if (end.unfinished) await this.#withLog(file => append(file, '\n'))
  }

  async #write(events: readonly IssueEvent[]): Promise<void> {
    const wasComplete = this.#isComplete
    this.#isComplete = false
    this.#agreed = undefined
    await this.#withLog(async log => {
      const { size } = await log.stamp()
      await log.append(encodedLines(printed(events, size)))
    })
    this.#isComplete = wasComplete
  }

  async #withLog(act: (log: DiskFile) => Promise<void>): Promise<void> {
    const log = await openToAppend(this.#disk, this.path)
    try {
      await act(log)
    } finally {
      await log.close()
    }
  }
}

/** The lines to append to a log of that size. A large memory without a log needs many. */
function* printed(events: readonly IssueEvent[], size: number): Iterable<string> {
  for (const [index, event] of events.entries()) {
    // The position in the log makes an id unique, since a line is longer than one byte.
    yield printEvent({ ...event, event_id: `${event.event_id}#${size + index}` })
  }
}

const append = (log: DiskFile, text: string) => log.append(new TextEncoder().encode(text))

/**
 * Faults where the log has a larger fence than the row of an issue. Rows are written first, so they
 * went back. Returns the fences of issues that have no row.
 */
export async function mustNotContradictLog(
  disk: Disk,
  { events, rows }: Pick<IssueFiles, 'events' | 'rows'>,
  memory: IssueMemory,
): Promise<ReadonlyMap<string, number>> {
  const fences = new LoggedFences(memory, { events, rows })
  if (!(await readLog(disk, events, logged => fences.take(logged)))) return new Map()
  fences.mustNotGoBack()
  return fences.withoutRow
}

/** The largest fence of every issue in the log. */
export async function loggedFences(
  disk: Disk,
  { events }: Pick<IssueFiles, 'events'>,
): Promise<ReadonlyMap<string, number>> {
  const fences = new Map<string, number>()
  const isRead = await readLog(disk, events, ({ event }) => {
    if (event.action !== 'upsert_issue') return
    const before = fences.get(event.issue_id) ?? 0
    fences.set(event.issue_id, Math.max(before, fenceOf(event.issue)))
  })
  return isRead ? fences : new Map()
}

interface Logged {
  readonly event: IssueEvent
  readonly line: number
}

/** Returns whether the log could be read. A damaged log says nothing about rows. */
async function readLog(
  disk: Disk,
  events: string,
  take: (logged: Logged) => void,
): Promise<boolean> {
  const log = await disk.open(events)
  if (!log) return false
  try {
    return (await unlessFault(() => eachEventLine(log, events, take))) !== undefined
  } finally {
    await log.close()
  }
}

/** Compares the fences of a log with those of rows. */
class LoggedFences {
  readonly #memory: IssueMemory
  readonly #files: Pick<IssueFiles, 'events' | 'rows'>
  readonly withoutRow = new Map<string, number>()
  #contradiction: ContradictingFences | undefined

  constructor(memory: IssueMemory, files: Pick<IssueFiles, 'events' | 'rows'>) {
    this.#memory = memory
    this.#files = files
  }

  take({ event, line }: Logged): void {
    if (this.#contradiction || event.action !== 'upsert_issue') return
    const row = this.#memory.get(event.issue_id)
    const logged = fenceOf(event.issue)
    if (!row && logged > 0) this.withoutRow.set(event.issue_id, logged)
    if (!row || !isLower(fenceOf(row), logged)) return
    const { events, rows } = this.#files
    this.#contradiction = new ContradictingFences(
      row.id,
      { fence: logged, place: `line ${line} of ${events}` },
      { fence: fenceOf(row), place: `its row in ${rows}` },
    )
  }

  /** Faults where the log has a larger fence than a row. */
  mustNotGoBack(): void {
    if (this.#contradiction) throw this.#contradiction
  }
}

/** The missing events by the ends of both files; `undefined` where the ends do not meet. */
async function missingAtEnd(
  log: DiskFile,
  { file, bytes }: LoggedRows,
): Promise<readonly IssueEvent[] | undefined> {
  const { size } = await log.stamp()
  const lines = await lastLines(log, size)
  const last = lines && lastUpsert(lines)
  const rowLines = last && (await lastLines(file, bytes))
  if (!rowLines) return undefined
  const rows: Issue[] = []
  for (const line of rowLines.toReversed()) {
    if (line === '' || line.startsWith('#')) continue
    const row = readIssueLine(line)
    if (row instanceof BadRow) return undefined
    rows.unshift(row)
    const missing = missingEvents([last], rows)
    if (missing) return missing
  }
  return undefined
}

/** A merge of two logs ends with a comment, and is completed from the rows, whatever it replays to. */
async function isUnmerged(log: DiskFile | undefined): Promise<boolean> {
  if (!log) return true
  const { size } = await log.stamp()
  return !(await lastLines(log, size))?.at(-1)?.startsWith('#')
}

/** The last upsert. A comment at the end marks a log that was merged. */
function lastUpsert(lines: readonly string[]): IssueEvent | undefined {
  for (const line of lines.toReversed()) {
    const event = line.startsWith('{') ? readIfEvent(line) : undefined
    if (!event) return undefined
    if (event.action === 'upsert_issue') return event
  }
  return undefined
}

function readIfEvent(line: string): IssueEvent | undefined {
  try {
    const event = readEventLine(line)
    return event instanceof BadRow ? undefined : event
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

/** The whole lines at the end of the first `size` bytes; `undefined` where the last is incomplete. */
async function lastLines(file: DiskFile, size: number): Promise<readonly string[] | undefined> {
  const from = Math.max(0, size - tailBytes)
  const tail = await file.read(from, size - from)
  if (tail.at(-1) !== 0x0a) return undefined
  const lines = new TextDecoder().decode(tail).split('\n').slice(0, -1)
  return from === 0 ? lines : lines.slice(1)
}
