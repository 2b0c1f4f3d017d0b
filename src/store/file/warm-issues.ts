/** Memory that a store keeps between two calls, and how it catches up with the file. */
import { FenceOrder, isLower } from '../../kernel/issues/forward/fences.ts'
import { fenceOf, type Issue } from '../../kernel/issues/issue.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { joinedBytes } from '../../world/joined-bytes.ts'
import type { Disk, DiskFile, FileStamp } from '../../world/world.ts'
import { type PlacedRow, type RowsEnd, readRows, rowsStart } from '../issue-rows.ts'
import { cachedBytesMin, type IssueCache, tailBytesMax, tailOf } from './issue-cache.ts'
import { IssueIndex } from './issue-index.ts'
import { IndexDraft } from './issue-index-draft.ts'

/** Memory, and enough of the file to find out whether rows were only appended since. */
export interface Known {
  readonly memory: IssueMemory
  readonly stamp: FileStamp
  readonly end: RowsEnd
  /** The last bytes before the end. */
  readonly tail: Uint8Array
  /** About how many bytes belong to rows that later ones replaced. */
  readonly garbage: number
}

/** A file as readers of rows use it. */
export type RowsFile = Pick<DiskFile, 'stamp' | 'read' | 'readNow'>

const pieceBytes = 4 * 1024 * 1024
const lineFeed = 0x0a

export class WarmIssues {
  readonly #path: string
  readonly #disk: Disk
  readonly #cache: IssueCache | undefined
  #known: Known | undefined
  /** The file that an index reads rows from. Open as long as memory uses that index. */
  #rowsFile: DiskFile | undefined

  constructor(path: string, disk: Disk, cache: IssueCache | undefined) {
    this.#path = path
    this.#disk = disk
    this.#cache = cache
  }

  /** Reads the rows that were appended, or the whole file where that is not certain. */
  async catchUp(file: RowsFile): Promise<Known> {
    const stamp = await file.stamp()
    const known = this.#known
    // A fault on the way must not leave memory half read.
    this.#known = undefined
    this.#known =
      known && (await hasOnlyGrown(known, file, stamp))
        ? await this.#readOn(known, file, stamp)
        : ((await this.#fromIndex(file, stamp)) ?? (await this.#fromStart(file, stamp)))
    return this.#known
  }

  /** Takes over rows that were appended and synced. */
  async take(known: Known, rows: readonly Issue[], bytes: Uint8Array, file: DiskFile) {
    const { memory, end, tail } = known
    const replaced = rows.filter(row => memory.has(row.id)).length / rows.length
    for (const row of rows) memory.put(row)
    // Several rows follow a line that counts their bytes.
    const lines = end.lines + rows.length + (rows.length > 1 ? 1 : 0)
    const added = { bytes: end.bytes + bytes.length, lines, unfinished: false }
    const fitted = await this.#cache?.fits(known.stamp, tail)
    this.#known = {
      memory,
      stamp: await file.stamp(),
      end: added,
      tail: joinedBytes([tail, bytes]).slice(-tailBytesMax),
      garbage: known.garbage + bytes.length * replaced,
    }
    if (fitted) await this.#cache?.moveOn(this.#known.stamp, this.#known.tail)
    return this.#known
  }

  forget(): void {
    this.#known = undefined
  }

  async #readOn(known: Known, file: RowsFile, stamp: FileStamp): Promise<Known> {
    const { memory } = known
    if (stamp.size === known.end.bytes) return { ...known, stamp }
    let { garbage } = known
    const added = await file.read(known.end.bytes, stamp.size - known.end.bytes)
    const from = known.end.unfinished ? afterLineFeed(known.end, added) : known.end
    const rest = added.subarray(from.bytes - known.end.bytes)
    let goesBack = false
    const end = readRows(rest, from, this.#path, ({ issue, bytes }) => {
      const before = memory.get(issue.id)
      if (before) {
        garbage += bytes + 1
        goesBack ||= isLower(fenceOf(issue), fenceOf(before))
      }
      memory.put(issue)
    })
    if (goesBack) await this.#mustBeInOrder(file, stamp)
    return { memory, stamp, end, tail: await tailOf(file, end.bytes), garbage }
  }

  /** Faults with both lines: those of rows in an index are not known. */
  async #mustBeInOrder(file: RowsFile, { size }: FileStamp): Promise<void> {
    const fences = new FenceOrder(this.#path)
    await readAllRows(file, size, this.#path, ({ issue, line }) => fences.take(issue, line))
  }

  async #fromIndex(file: RowsFile, stamp: FileStamp): Promise<Known | undefined> {
    const rows = this.#rowsOf(file)
    const index = await this.#cache?.open(file, stamp, rows.readRow)
    return index && (await rows.keepOpen(stamp)) ? await this.#over(index, file, stamp) : undefined
  }

  async #fromStart(file: RowsFile, stamp: FileStamp): Promise<Known> {
    const indexed = stamp.size >= cachedBytesMin && (await this.#drafted(file, stamp))
    if (indexed) return indexed
    const memory = new IssueMemory()
    let garbage = 0
    const fences = new FenceOrder(this.#path)
    const end = await readAllRows(file, stamp.size, this.#path, ({ issue, bytes, line }) => {
      fences.take(issue, line)
      if (memory.has(issue.id)) garbage += bytes + 1
      memory.put(issue)
    })
    return { memory, stamp, end, tail: await tailOf(file, end.bytes), garbage }
  }

  /**
   * Reads a large file once to make its index, and keeps the index instead of the rows: no command asks
   * for most of them, and holding fifty thousand rows costs as much time as reading them.
   */
  async #drafted(file: RowsFile, stamp: FileStamp): Promise<Known | undefined> {
    if (!this.#cache) return undefined
    const draft = new IndexDraft()
    const fences = new FenceOrder(this.#path)
    const end = await readAllRows(file, stamp.size, this.#path, row => {
      fences.take(row.issue, row.line)
      draft.take(row)
    })
    if (end.unfinished || !draft.fits) return undefined
    const bytes = draft.print(end)
    const rows = this.#rowsOf(file)
    const index = IssueIndex.open(bytes, rows.readRow)
    if (!index || !(await rows.keepOpen(stamp))) return undefined
    if (end.bytes === stamp.size) {
      const { checksum } = index
      await this.#cache.write({ bytes, checksum }, stamp, await tailOf(file, end.bytes))
    }
    return await this.#over(index, file, stamp)
  }

  async #over(index: IssueIndex, file: RowsFile, stamp: FileStamp): Promise<Known> {
    const { end, garbage } = index
    const known = { memory: new IssueMemory(index), stamp, end, tail: new Uint8Array(), garbage }
    const read = await this.#readOn(known, file, stamp)
    return { ...read, tail: await tailOf(file, read.end.bytes) }
  }

  /** Rows are read from a file handle of its own, because the caller closes `file`. */
  #rowsOf(file: RowsFile) {
    let rows: DiskFile | undefined
    return {
      readRow: (at: number, length: number) => (rows ?? file).readNow(at, length),
      keepOpen: async ({ identity }: FileStamp) => {
        rows = await this.#disk.open(this.#path)
        await this.#rowsFile?.close()
        this.#rowsFile = rows
        return (await rows?.stamp())?.identity === identity
      },
    }
  }
}

/**
 * Reads all rows in pieces: holding all bytes of a large file costs more than reading it. `afterPiece`
 * can put away what `take` collected.
 */
export async function readAllRows(
  file: Pick<DiskFile, 'read'>,
  size: number,
  path: string,
  take: (row: PlacedRow) => void,
  afterPiece = async (): Promise<void> => {},
): Promise<RowsEnd> {
  let end = rowsStart
  for (let length = pieceBytes; ; ) {
    const piece = await file.read(end.bytes, Math.min(length, size - end.bytes))
    const ahead = size - end.bytes - piece.length
    const next = readRows(piece, end, path, take, ahead)
    await afterPiece()
    if (ahead === 0) return next
    const isStuck = next.bytes === end.bytes
    // Either a row is longer than a piece, or a change of several rows is incomplete.
    if (isStuck && piece.includes(lineFeed)) return next
    length = isStuck ? 2 * length : pieceBytes
    end = next
  }
}

/** A row that got its line feed later was counted when it was read. */
function afterLineFeed(end: RowsEnd, added: Uint8Array): RowsEnd {
  const feeds = added[0] === lineFeed ? 1 : 0
  return { bytes: end.bytes + feeds, lines: end.lines, unfinished: false }
}

async function hasOnlyGrown(known: Known, file: RowsFile, stamp: FileStamp): Promise<boolean> {
  const { end, tail } = known
  if (known.stamp.identity !== stamp.identity || stamp.size < end.bytes) return false
  // The file was written to and has the same size.
  if (known.stamp.size === stamp.size && known.stamp.changedNs !== stamp.changedNs) return false
  const found = await file.read(end.bytes - tail.length, tail.length)
  return found.length === tail.length && found.every((byte, at) => byte === tail[at])
}
