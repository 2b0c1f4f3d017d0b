/** What a store keeps of its file between two questions, and how it catches up. */
import type { Issue } from '../../kernel/issues/issue.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import type { Disk, DiskFile, FileStamp } from '../../world/world.ts'
import { type PlacedRow, type RowsEnd, readRows } from '../issue-rows.ts'
import { cachedBytesMin, type IssueCache, tailBytesMax, tailOf } from './issue-cache.ts'
import { type IssueIndex, openIndex } from './issue-index.ts'
import { IndexDraft } from './issue-index-draft.ts'

/** Memory, and enough of the file to tell whether it was only appended to since. */
export interface Known {
  readonly memory: IssueMemory
  readonly stamp: FileStamp
  readonly end: RowsEnd
  /** The last bytes before the end. */
  readonly tail: Uint8Array
  /** About how many bytes belong to rows that later ones have replaced. */
  readonly garbage: number
}

const start: RowsEnd = { bytes: 0, lines: 0, unfinished: false }
const pieceBytes = 4 * 1024 * 1024
const lineFeed = 0x0a

export class WarmIssues {
  readonly #path: string
  readonly #disk: Disk
  readonly #cache: IssueCache | undefined
  #known: Known | undefined
  /** Open as long as memory looks rows up in it. */
  #shelved: DiskFile | undefined

  constructor(path: string, disk: Disk, cache: IssueCache | undefined) {
    this.#path = path
    this.#disk = disk
    this.#cache = cache
  }

  /** Up to date with the file: reads what was added, or all of it when in doubt. */
  async catchUp(file: DiskFile): Promise<Known> {
    const stamp = await file.stamp()
    const known = this.#known
    // A fault half way must not leave memory half read.
    this.#known = undefined
    this.#known =
      known && (await isStillThere(known, file, stamp))
        ? await this.#readOn(known, file, stamp)
        : ((await this.#fromIndex(file, stamp)) ?? (await this.#fromStart(file, stamp)))
    return this.#known
  }

  /** Takes over rows that were appended and synced. */
  async take(known: Known, rows: readonly Issue[], bytes: Uint8Array, file: DiskFile) {
    const { memory, end, tail } = known
    const replaced = rows.filter(row => memory.has(row.id)).length / rows.length
    for (const row of rows) memory.put(row)
    // Several rows come with a line ahead that says so.
    const lines = end.lines + rows.length + (rows.length > 1 ? 1 : 0)
    const added = { bytes: end.bytes + bytes.length, lines, unfinished: false }
    const fitted = await this.#cache?.fits(known.stamp, tail)
    this.#known = {
      memory,
      stamp: await file.stamp(),
      end: added,
      tail: joined(tail, bytes).slice(-tailBytesMax),
      garbage: known.garbage + bytes.length * replaced,
    }
    if (fitted) await this.#cache?.moveOn(this.#known.stamp, this.#known.tail)
    return this.#known
  }

  forget(): void {
    this.#known = undefined
  }

  async #readOn(known: Known, file: DiskFile, stamp: FileStamp): Promise<Known> {
    const { memory } = known
    if (stamp.size === known.end.bytes) return { ...known, stamp }
    let { garbage } = known
    const added = await file.read(known.end.bytes, stamp.size - known.end.bytes)
    const from = known.end.unfinished ? afterLineFeed(known.end, added) : known.end
    const rest = added.subarray(from.bytes - known.end.bytes)
    const end = readRows(rest, from, this.#path, ({ issue, bytes }) => {
      if (memory.has(issue.id)) garbage += bytes + 1
      memory.put(issue)
    })
    return { memory, stamp, end, tail: await tailOf(file, end.bytes), garbage }
  }

  async #fromIndex(file: DiskFile, stamp: FileStamp): Promise<Known | undefined> {
    const shelf = this.#shelf(file)
    const index = await this.#cache?.open(file, stamp, shelf.readRow)
    return index && (await shelf.hold(stamp)) ? await this.#over(index, file, stamp) : undefined
  }

  async #fromStart(file: DiskFile, stamp: FileStamp): Promise<Known> {
    const indexed = stamp.size >= cachedBytesMin && (await this.#drafted(file, stamp))
    if (indexed) return indexed
    const memory = new IssueMemory()
    let garbage = 0
    const end = await this.#readAll(file, stamp, ({ issue, bytes }) => {
      if (memory.has(issue.id)) garbage += bytes + 1
      memory.put(issue)
    })
    return { memory, stamp, end, tail: await tailOf(file, end.bytes), garbage }
  }

  /**
   * Reads a large file once to make its index, and keeps that instead of the rows: most are never
   * asked for, and holding fifty thousand of them costs as much time as reading them.
   */
  async #drafted(file: DiskFile, stamp: FileStamp): Promise<Known | undefined> {
    if (!this.#cache) return undefined
    const draft = new IndexDraft()
    const end = await this.#readAll(file, stamp, row => draft.take(row))
    if (end.unfinished || !draft.fits) return undefined
    const printed = draft.print(end)
    const shelf = this.#shelf(file)
    const index = openIndex(printed, shelf.readRow)
    if (!index || !(await shelf.hold(stamp))) return undefined
    if (end.bytes === stamp.size) {
      await this.#cache.write(printed, stamp, await tailOf(file, end.bytes))
    }
    return await this.#over(index, file, stamp)
  }

  /** Piece by piece: a large file held in memory costs more than reading it does. */
  async #readAll(
    file: DiskFile,
    { size }: FileStamp,
    take: (row: PlacedRow) => void,
  ): Promise<RowsEnd> {
    let end = start
    for (let length = pieceBytes; ; ) {
      const piece = await file.read(end.bytes, Math.min(length, size - end.bytes))
      const ahead = size - end.bytes - piece.length
      const next = readRows(piece, end, this.#path, take, ahead)
      if (ahead === 0) return next
      const stuck = next.bytes === end.bytes
      // Either a row that is longer than a piece, or the beginning of a change that is not all there.
      if (stuck && piece.includes(lineFeed)) return next
      length = stuck ? 2 * length : pieceBytes
      end = next
    }
  }

  async #over(index: IssueIndex, file: DiskFile, stamp: FileStamp): Promise<Known> {
    const { end, garbage } = index
    const known = { memory: new IssueMemory(index), stamp, end, tail: new Uint8Array(), garbage }
    const read = await this.#readOn(known, file, stamp)
    return { ...read, tail: await tailOf(file, read.end.bytes) }
  }

  /** Rows are looked up in a file of their own, which stays open with the memory. */
  #shelf(file: DiskFile) {
    let rows: DiskFile | undefined
    return {
      readRow: (at: number, length: number) => (rows ?? file).readNow(at, length),
      hold: async ({ identity }: FileStamp) => {
        rows = await this.#disk.open(this.#path)
        await this.#shelved?.close()
        this.#shelved = rows
        return (await rows?.stamp())?.identity === identity
      },
    }
  }
}

/** A row whose line feed came later was counted when it was read. */
function afterLineFeed(end: RowsEnd, added: Uint8Array): RowsEnd {
  const feeds = added[0] === lineFeed ? 1 : 0
  return { bytes: end.bytes + feeds, lines: end.lines, unfinished: false }
}

async function isStillThere(known: Known, file: DiskFile, stamp: FileStamp): Promise<boolean> {
  const { end, tail } = known
  if (known.stamp.identity !== stamp.identity || stamp.size < end.bytes) return false
  // Something was done to it that added nothing.
  if (known.stamp.size === stamp.size && known.stamp.changedNs !== stamp.changedNs) return false
  const found = await file.read(end.bytes - tail.length, tail.length)
  return found.length === tail.length && found.every((byte, at) => byte === tail[at])
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
