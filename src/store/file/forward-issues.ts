/** Compares a file of rows with its high-water mark, and finds the rows that it lacks. */
import { Fault } from '../../fault.ts'
import type { Acknowledged, FileRows, RowHistory } from '../../kernel/issues/forward/forward.ts'
import { type Issue, printIssue } from '../../kernel/issues/issue.ts'
import { shellWord } from '../../kernel/text/shell-word.ts'
import type { Disk, DiskFile } from '../../world/world.ts'
import { HighWaterMark, type MarkPlace } from './high-water-mark.ts'
import type { IssueFiles } from './issue-files.ts'
import { type Known, readAllRows } from './warm-issues.ts'

/** Asks the version control that keeps the file about rows of it. */
export type AskHistory = (asked: {
  /** Rows of the file that nobody acknowledged here. */
  readonly inFile: ReadonlySet<string>
  /** Acknowledged rows that the file does not have. */
  readonly acknowledged: ReadonlySet<string>
}) => Promise<RowHistory>

export interface ForwardPlace extends MarkPlace {
  /** True if the version control has the file, which is not there. */
  readonly isCommitted?: (() => Promise<boolean>) | undefined
  /** Without it, nothing is known about the past of a row. */
  readonly askHistory?: AskHistory | undefined
}

export class ForwardIssues {
  readonly mark: HighWaterMark
  readonly #disk: Disk
  readonly #files: IssueFiles
  readonly #place: ForwardPlace

  constructor(disk: Disk, files: IssueFiles, place: ForwardPlace) {
    this.#disk = disk
    this.#files = files
    this.#place = place
    this.mark = new HighWaterMark(disk, place, files.events)
  }

  /** Faults where git has rows, and neither the file nor the mark has any. */
  async mustNotBeCommitted(): Promise<void> {
    if (await this.#place.isCommitted?.()) throw new NotCheckedOut(this.#files.rows)
  }

  async #mustNotBeEmptied({ end }: Known): Promise<void> {
    if (end.bytes === 0) await this.mustNotBeCommitted()
  }

  /** For a reader: the acknowledged rows that the file lacks. Faults where fences contradict. */
  async lackingFrom(file: Pick<DiskFile, 'read'>, known: Known): Promise<readonly Issue[]> {
    const { kind } = await this.mark.standing(file, known, 'read')
    if (kind === 'level' || kind === 'ahead') return noRows
    if (kind === 'none') await this.#mustNotBeEmptied(known)
    const lacking = kind === 'other log' ? noRows : await this.#compare(file, known)
    if (lacking.length > 0) return lacking
    await this.#mustNotContradictLog(known)
    await this.mark.noteCompared(known)
    return noRows
  }

  /**
   * For a writer, under the lock: the same. The mark takes in a file that lacks none. Otherwise the
   * caller appends the rows, and calls `takeIn`.
   */
  async settle(file: DiskFile, known: Known): Promise<readonly Issue[]> {
    const standing = await this.mark.standing(file, known, 'write')
    if (standing.kind === 'level') return noRows
    if (standing.kind === 'ahead') {
      const { from } = standing
      await this.mark.dropTornRows()
      await this.mark.acknowledge(await file.read(from, known.end.bytes - from), known)
      return noRows
    }
    if (standing.kind === 'none') await this.#mustNotBeEmptied(known)
    // The rows that are appended would continue a line that a crash cut off.
    else await this.mark.dropTornRows()
    const lacking = standing.kind === 'other log' ? noRows : await this.#compare(file, known)
    if (lacking.length > 0) {
      if (standing.kind === 'none') await this.mark.begin()
      return lacking
    }
    const lost = await this.#mustNotContradictLog(known)
    if (lost.size > 0) await this.mark.retireFences(lost)
    if (standing.kind === 'none') await this.mark.adopt(this.#files.rows, known)
    else await this.takeIn(file, known)
    return noRows
  }

  /**
   * The fences of issues that only the log has. Loaded where somebody replaced a file: every question
   * would load the code that replays the log.
   */
  async #mustNotContradictLog({ memory }: Known): Promise<ReadonlyMap<string, number>> {
    const { mustNotContradictLog } = await import('./event-log.ts')
    return await mustNotContradictLog(this.#disk, this.#files, memory)
  }

  /** Rows that were acknowledged here, and the record lacks: it was damaged, or could not be written. */
  async missingInMark(file: DiskFile, known: Known): Promise<readonly Issue[]> {
    // Without git each user has a record, and others may have continued the file.
    const isShared = this.#place.askHistory !== undefined
    const isOfHere =
      (await this.mark.isNoted(known)) || (isShared && (await this.mark.isContinued(file, known)))
    if (!isOfHere) return noRows
    const acknowledged = (await this.mark.read()) ?? noneAcknowledged
    const { rows } = await this.#rowsOf(file, known, acknowledged)
    return [...rows.values()].filter(row => isNew(row, acknowledged))
  }

  /** The acknowledged rows, for a file that is gone. */
  async allRows(): Promise<readonly Issue[]> {
    return [...((await this.mark.read())?.rows.values() ?? [])]
  }

  async #compare(file: Pick<DiskFile, 'read'>, known: Known): Promise<readonly Issue[]> {
    const acknowledged = (await this.mark.read()) ?? noneAcknowledged
    const rows = await this.#rowsOf(file, known, acknowledged)
    // Loaded where a file was replaced: every question would load the code that merges.
    const { fileDifference, rowsForward } = await import('../../kernel/issues/forward/forward.ts')
    const difference = fileDifference(rows, acknowledged)
    const { wentBack, changed, apart, passed } = difference
    if (wentBack.length + changed.size + apart.size + passed.size === 0) return noRows
    const asked = [...changed.values()]
    const lines = [...apart.values(), ...passed.values()].flat().map(printIssue)
    const history =
      asked.length + lines.length === 0
        ? undefined
        : await this.#place.askHistory?.({
            inFile: new Set([...asked.map(({ inFile }) => inFile), ...lines]),
            acknowledged: new Set(asked.map(({ acknowledged }) => acknowledged)),
          })
    const place = { file: this.#files.rows, mark: this.mark.rowsPath }
    const { sha256 } = this.#place
    return rowsForward(rows, acknowledged, difference, history ?? nothingKnown, place, sha256)
  }

  async #rowsOf(
    file: Pick<DiskFile, 'read'>,
    { end }: Known,
    acknowledged: Acknowledged,
  ): Promise<FileRows> {
    const { byIdOf, RowEnds } = await import('../../kernel/issues/forward/apart.ts')
    const { PassedOver } = await import('../../kernel/issues/forward/passed-over.ts')
    const ends = new RowEnds()
    const passed = new PassedOver(acknowledged)
    const held = new Set<string>()
    const path = this.#files.rows
    await readAllRows(file, end.bytes, path, ({ issue }) => {
      const marked = acknowledged.rows.get(issue.id)
      if (marked && printIssue(marked) === printIssue(issue)) held.add(issue.id)
      ends.take(issue)
      passed.take(issue)
    })
    const apart = ends.apart()
    const inFile: Issue[] = []
    // The file is read again for them, because most rows of a long one are replaced.
    if (apart.size > 0) {
      await readAllRows(file, end.bytes, path, ({ issue }) => {
        if (apart.has(issue.id)) inFile.push(issue)
      })
    }
    return { rows: ends.last(), apart, byId: byIdOf(inFile), passed, holds: id => held.has(id) }
  }

  /**
   * Acknowledges the rows of the file that the mark does not have, and notes the file. The last row of an
   * id in the file is its last one in the mark too.
   */
  async takeIn(file: DiskFile, known: Known): Promise<void> {
    const acknowledged = await this.mark.read()
    if (!acknowledged) return await this.mark.adopt(this.#files.rows, known)
    const { isKnown } = await import('../../kernel/issues/forward/passed-over.ts')
    const unknown: Issue[] = []
    const last = new Map<string, Issue>()
    await readAllRows(file, known.end.bytes, this.#files.rows, ({ issue }) => {
      last.set(issue.id, issue)
      if (!isKnown(issue, acknowledged)) unknown.push(issue)
    })
    const isBefore = (row: Issue) => last.get(row.id) !== row
    const ids = new Set(unknown.filter(isBefore).map(({ id }) => id))
    const ends = [...last.values()].filter(row => ids.has(row.id) || isNew(row, acknowledged))
    const lines = [...unknown.filter(isBefore), ...ends].map(row => `${printIssue(row)}\n`)
    await this.mark.dropTornRows()
    await this.mark.acknowledge(new TextEncoder().encode(lines.join('')), known)
  }
}

function isNew(row: Issue, { rows }: Acknowledged): boolean {
  const marked = rows.get(row.id)
  return !marked || printIssue(marked) !== printIssue(row)
}

const noRows: readonly Issue[] = []
const noneAcknowledged: Acknowledged = { rows: new Map(), wasReplaced: () => false }

/** A clone without a checkout, a sparse one, or somebody removed the rows. */
export class NotCheckedOut extends Fault {
  constructor(path: string) {
    super('corrupt', `git has issue memory at ${path}, and the file is missing or empty`, {
      hint: `New issues would get ids that others have. git checkout --ignore-skip-worktree-bits HEAD -- ${shellWord(path)} brings the rows back.`,
      detail: { path },
    })
  }
}

const nothingKnown: RowHistory = { committed: new Set(), past: new Set() }
