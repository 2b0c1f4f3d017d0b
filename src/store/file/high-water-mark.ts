/**
 * The high-water mark of issue memory: the rows that were acknowledged here, in a folder that no branch
 * switch, reset or stash reaches. It is written after the rows, without a sync, under their lock. After a
 * crash it may lack the last rows, which the file has then.
 *
 *   rows.jsonl  the acknowledged rows, in order
 *   replaced    digests of rows that a compaction of this file dropped
 *   state       the file of rows, the event log and the size of rows.jsonl as they were when all agreed
 *   compared    a file and a log that were compared with these rows: the file lacks none of them
 *   fences.json the fences of issues that somebody gave up on purpose
 */
import { Fault } from '../../fault.ts'
import type { Acknowledged } from '../../kernel/issues/forward/forward.ts'
import {
  BadRow,
  fenceOf,
  type Issue,
  printIssue,
  readIssueLine,
} from '../../kernel/issues/issue.ts'
import { isJsonObject, type Json, numberOf } from '../../kernel/json.ts'
import type { Disk, DiskFile } from '../../world/world.ts'
import { CacheNote, checksum, readCached, unlessFault } from '../cache-file.ts'
import { encodedLines } from '../encoded-lines.ts'
import type { PlacedRow, RowsEnd } from '../issue-rows.ts'
import { stampText, stateOf, tailBytesMax } from './issue-cache.ts'
import { type Known, readAllRows } from './warm-issues.ts'

export interface MarkPlace {
  readonly folder: string
  readonly sha256: (text: string) => string
  /** A command that leaves nothing behind. */
  readonly isReadOnly?: boolean
}

/** The end of a file of rows, by which it is recognized. */
export type FileEnd = Pick<Known, 'stamp' | 'end' | 'tail'>

/**
 * How a file of rows stands to the mark. `ahead`: rows after these bytes were appended to it. `unknown`:
 * somebody replaced the file, so all rows must be compared. `other log`: somebody replaced the event log
 * alone, as a cherry-pick does whose commit has no row.
 */
export type Standing =
  | { readonly kind: 'none' | 'level' | 'unknown' | 'other log' }
  | { readonly kind: 'ahead'; readonly from: number }

/** Smaller marks are not worth rewriting. */
const compactedBytesMin = 4 * 1024 * 1024

export class HighWaterMark {
  readonly rowsPath: string
  /** The last write that failed. The rows are durable without it, but may go back unseen. */
  failed: Fault | undefined
  readonly #disk: Disk
  readonly #place: MarkPlace
  readonly #logPath: string
  readonly #state: CacheNote
  readonly #compared: CacheNote
  /** The last state that this process wrote or read. */
  #noted: string | undefined

  constructor(disk: Disk, place: MarkPlace, logPath: string) {
    this.#disk = disk
    this.#place = place
    this.#logPath = logPath
    this.rowsPath = `${place.folder}/rows.jsonl`
    this.#state = new CacheNote(disk, `${place.folder}/state`)
    this.#compared = new CacheNote(disk, `${place.folder}/compared`)
  }

  /**
   * A writer takes new rows of the file in, so it does not ask whether they were compared before. It asks
   * whether the record is as it was noted, because a crash can cut off its end.
   */
  async standing(
    file: Pick<DiskFile, 'read'>,
    rows: FileEnd,
    purpose: 'read' | 'write',
  ): Promise<Standing> {
    const state = await this.#stateOf(rows)
    const isRead = purpose === 'read'
    const isNoted = (noted: string | undefined) => noted?.startsWith(state) ?? false
    if (isRead && isNoted(this.#noted)) return { kind: 'level' }
    this.#noted = await this.#state.read()
    if (isRead && isNoted(this.#noted)) return { kind: 'level' }
    const isWhole = isRead || this.#noted?.endsWith(` ${await this.#markedBytes()}`) === true
    if (isWhole && isNoted(this.#noted)) return { kind: 'level' }
    const from = this.#noted === undefined ? undefined : await grownFrom(this.#noted, file, rows)
    if (isWhole && from !== undefined) return { kind: 'ahead', from }
    const isCompared = async () => (await this.#compared.read()) === (await this.#comparison(rows))
    if (isRead && (await isCompared())) return { kind: 'level' }
    if (isWhole && this.#noted?.startsWith(`${stateOfRows(rows)} `)) return { kind: 'other log' }
    return { kind: (await this.#disk.stamp(this.rowsPath)) ? 'unknown' : 'none' }
  }

  /** True if these rows were noted. */
  async isNoted(rows: FileEnd): Promise<boolean> {
    return (await this.#state.read())?.startsWith(`${stateOfRows(rows)} `) ?? false
  }

  /** True if others before them in the same file were noted. A pull makes another file. */
  async isContinued(file: Pick<DiskFile, 'read'>, rows: FileEnd): Promise<boolean> {
    const noted = await this.#state.read()
    return noted !== undefined && (await grownFrom(noted, file, rows)) !== undefined
  }

  /** The state of the rows and the log, without the size of the record at its end. */
  async #stateOf(rows: FileEnd): Promise<string> {
    const log = await this.#disk.stamp(this.#logPath)
    return `${stateOfRows(rows)} ${log ? stampText(log) : 'none'} `
  }

  async #markedBytes(): Promise<string> {
    return String((await this.#disk.stamp(this.rowsPath))?.size ?? 'none')
  }

  /** Notes that the file lacks no acknowledged row, so that the next reader need not compare them. */
  async noteCompared(rows: FileEnd): Promise<void> {
    if (this.#place.isReadOnly) return
    await unlessFault(async () => {
      await this.#disk.makeFolderLoosely(this.#place.folder)
      await this.#compared.write(await this.#comparison(rows))
    })
  }

  async #comparison(rows: FileEnd): Promise<string> {
    return `${await this.#stateOf(rows)}${await this.#markedBytes()}`
  }

  /** The acknowledged rows; `undefined` where there are none. Faults where a row cannot be read. */
  async read(): Promise<Acknowledged | undefined> {
    const file = await this.#disk.open(this.rowsPath)
    if (!file) return undefined
    try {
      const rows = new Map<string, Issue>()
      const replaced = await this.#replacedBefore()
      await this.#eachRow(file, ({ issue }) => {
        const before = rows.get(issue.id)
        if (before) replaced.add(this.#digest(printIssue(before)))
        rows.set(issue.id, issue)
      })
      return { rows, wasReplaced: row => replaced.has(this.#digest(row)) }
    } finally {
      await file.close()
    }
  }

  async #eachRow(file: DiskFile, take: (row: PlacedRow) => void): Promise<RowsEnd> {
    try {
      return await readAllRows(file, await sizeWithoutZeros(file), this.rowsPath, take)
    } catch (error) {
      if (error instanceof Fault && error.code === 'corrupt') throw new DamagedMark(error)
      throw error
    }
  }

  /** Keeps the rows that can be read. A damaged one may have been the only row of its change. */
  async dropDamagedRows(): Promise<void> {
    const bytes = (await readCached(this.#disk, this.rowsPath)) ?? new Uint8Array()
    const isRow = (line: string) => line !== '' && !(readIssueLine(line) instanceof BadRow)
    // A row can follow zeros that a crash left.
    const lines = new TextDecoder().decode(bytes).split('\n')
    const rows = lines.map(line => line.replace(/^\0+/, '')).filter(isRow)
    await this.#disk.replace(this.rowsPath, encodedLines(rows))
  }

  /** Faults where premath could not note the next row. Makes nothing. */
  async mustBeWritable(): Promise<void> {
    let { folder } = this.#place
    while (!(await this.#disk.entry(folder))) folder = folder.slice(0, folder.lastIndexOf('/'))
    await this.#disk.checkWritable(folder)
    for (const path of this.files) {
      if (await this.#disk.stamp(path)) await (await this.#disk.openToAppend(path)).close()
    }
  }

  get files(): readonly string[] {
    const { folder } = this.#place
    return ['rows.jsonl', 'replaced', 'state', 'compared', 'fences.json'].map(
      name => `${folder}/${name}`,
    )
  }

  /** True if rows were acknowledged. For a file that is gone. */
  async hasRows(): Promise<boolean> {
    return ((await this.#disk.stamp(this.rowsPath))?.size ?? 0) > 0
  }

  /** For a file whose rows are taken in after others are appended to it. */
  async begin(): Promise<void> {
    await this.#write(() => this.#disk.makeFolderLoosely(this.#place.folder))
  }

  /** Begins the mark, or begins it again, with the rows of the file. */
  async adopt(path: string, rows: FileEnd): Promise<void> {
    await this.#write(async () => {
      await this.#disk.makeFolderLoosely(this.#place.folder)
      await this.#disk.copyLoosely(path, this.rowsPath)
      await this.#note(rows)
    })
  }

  /** Removes rows that a crash cut off. The next ones would continue their line. */
  async dropTornRows(): Promise<void> {
    await this.#write(async () => {
      const file = await this.#disk.openToAppend(this.rowsPath)
      try {
        const { size } = await file.stamp()
        const end = await this.#eachRow(file, () => {})
        if (end.bytes < size) await file.cut(end.bytes)
        if (end.unfinished) await file.append(lineFeed)
      } finally {
        await file.close()
      }
    })
  }

  /** Adds rows that were synced, and notes the file that has them. */
  async acknowledge(bytes: Uint8Array, rows: FileEnd): Promise<void> {
    await this.#write(async () => {
      await this.#disk.appendLoosely(this.rowsPath, bytes)
      await this.#note(rows)
    })
  }

  /** Notes the file as it is: it was rewritten with the same rows. */
  async noteRewritten(rows: FileEnd): Promise<void> {
    await this.#write(async () => {
      const { size } = (await this.#disk.stamp(this.rowsPath)) ?? { size: 0 }
      if (size > compactedBytesMin && size > 4 * rows.stamp.size) await this.#compact()
      await this.#note(rows)
    })
  }

  /** The fences that a new issue with one of these ids continues from. */
  async retiredFences(): Promise<ReadonlyMap<string, number>> {
    const bytes = await readCached(this.#disk, `${this.#place.folder}/fences.json`)
    const fences: Json = bytes === undefined ? {} : JSON.parse(new TextDecoder().decode(bytes))
    return new Map(
      Object.entries(isJsonObject(fences) ? fences : {}).map(([id, fence]) => [
        id,
        numberOf(fence) ?? 0,
      ]),
    )
  }

  /** Keeps the fences of issues that the file no longer has. Durable, since no row has them. */
  async retire(issues: Iterable<Issue>): Promise<void> {
    await this.retireFences([...issues].map(issue => [issue.id, fenceOf(issue)]))
  }

  async retireFences(given: Iterable<readonly [id: string, fence: number]>): Promise<void> {
    const fences = new Map(await this.retiredFences())
    const larger = [...given].filter(([id, fence]) => fence > (fences.get(id) ?? 0))
    if (larger.length === 0) return
    for (const [id, fence] of larger) fences.set(id, Math.max(fence, fences.get(id) ?? 0))
    const text = JSON.stringify(Object.fromEntries(fences))
    await this.#disk.makeFolder(this.#place.folder)
    await this.#disk.replace(`${this.#place.folder}/fences.json`, new TextEncoder().encode(text))
  }

  /** The change is durable by now, so the writer tells of a fault and does not fail. */
  async #write(act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      if (!(error instanceof Fault) || error instanceof DamagedMark) throw error
      this.failed = error
    }
  }

  async #note(rows: FileEnd): Promise<void> {
    const state = await this.#comparison(rows)
    await this.#state.write(state)
    this.#noted = state
  }

  /** Keeps the last row of every id. Digests of the others are put away piece by piece. */
  async #compact(): Promise<void> {
    const file = await this.#disk.open(this.rowsPath)
    if (!file) return
    const rows = new Map<string, string>()
    let replaced: string[] = []
    const take = ({ issue }: PlacedRow) => {
      const before = rows.get(issue.id)
      if (before !== undefined) replaced.push(this.#digest(before))
      rows.set(issue.id, printIssue(issue))
    }
    const putAway = async () => {
      await this.#disk.appendLoosely(this.#replacedPath, encodedLines(replaced))
      replaced = []
    }
    try {
      const { size } = await file.stamp()
      await readAllRows(file, size, this.rowsPath, take, putAway)
    } finally {
      await file.close()
    }
    await this.#disk.replaceLoosely(this.rowsPath, encodedLines(rows.values()))
  }

  get #replacedPath(): string {
    return `${this.#place.folder}/replaced`
  }

  async #replacedBefore(): Promise<Set<string>> {
    const bytes = await readCached(this.#disk, this.#replacedPath)
    return new Set(bytes ? new TextDecoder().decode(bytes).split('\n') : [])
  }

  #digest(row: string): string {
    return this.#place.sha256(row).slice(0, digestLetters)
  }
}

const lineFeed = new TextEncoder().encode('\n')

/** A mark that cannot be read is not a mark that is gone: whoever begins it anew loses its rows. */
export class DamagedMark extends Fault {
  constructor({ message, detail }: Fault) {
    super('corrupt', `the record of acknowledged rows is damaged: ${message}`, {
      hint: 'Rows that git took out of issue memory may be missing in it. premath doctor --fix keeps the rows that can be read.',
      detail,
    })
  }
}

const zerosMax = 64 * 1024

/** A crash of the machine can leave zeros at the end, where the last rows were not written yet. */
async function sizeWithoutZeros(file: DiskFile): Promise<number> {
  const { size } = await file.stamp()
  const length = Math.min(size, zerosMax)
  const tail = await file.read(size - length, length)
  const last = tail.findLastIndex(byte => byte !== 0)
  return last === tail.length - 1 ? size : size - tail.length + last + 1
}

/** Enough to tell a billion rows apart. */
const digestLetters = 24

const stateOfRows = ({ stamp, tail }: FileEnd) => stateOf(stamp, tail)

/**
 * The start of the rows that were appended since the state was noted; `undefined` where the file was
 * replaced, or its end at that time differs.
 */
async function grownFrom(
  state: string,
  file: Pick<DiskFile, 'read'>,
  { stamp, end }: FileEnd,
): Promise<number | undefined> {
  const [identity, sizeText, , , tailSum] = state.split(' ')
  const size = Number(sizeText)
  if (identity !== stamp.identity || size >= stamp.size || size > end.bytes) return undefined
  const length = Math.min(size, tailBytesMax)
  const tail = await file.read(size - length, length)
  return checksum(tail) === Number(tailSum) ? size : undefined
}
