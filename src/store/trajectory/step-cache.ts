/**
 * Keeps the index of the trajectory under `.premath/cache/`, with a note of the file at the last look.
 * The file only grows; after any other change the index is not used. One edit goes unnoticed: in place,
 * with every length kept, between an append by another program and the next look. Blocks are checked
 * when they are read, so only the counts of unread blocks are those from before such an edit.
 */
import { joinedBytes } from '../../world/joined-bytes.ts'
import type { Disk, DiskFile, FileStamp } from '../../world/world.ts'
import {
  CacheNote,
  type CachePlace,
  checksum,
  openCached,
  printCached,
  readCached,
  unlessFault,
} from '../cache-file.ts'
import { makeGitignoredFolder } from '../gitignored-folder.ts'
import { filterBytes, type StepBlock } from './step-block.ts'
import type { PackedFailures } from './step-failures.ts'
import type { BadLine } from './step-lines.ts'

export interface StepIndex {
  readonly blocks: readonly StepBlock[]
  /** The name filters of all blocks, one after the other. */
  readonly names: Uint8Array
  /** The first bad lines. */
  readonly bad: readonly BadLine[]
  readonly failures: PackedFailures
}

const format = 'premath.trajectory_index.v3'

interface IndexHead extends Pick<StepIndex, 'blocks' | 'bad'> {
  readonly format: string
  /** The number of cells of the failures, which stand between the filters and their names. */
  readonly cells: number
  /** The checksum of the last bytes that the index covers. */
  readonly tail: number
}

/** A smaller file is read as a whole in less time than the index takes. */
export const cachedBytesMin = 128 * 1024

const tailBytes = 512

type Seen = Pick<FileStamp, 'identity' | 'size' | 'changedNs'>

export class StepCache {
  readonly #disk: Disk
  readonly #folder: string
  readonly #indexPath: string
  readonly #note: CacheNote

  constructor(disk: Disk, { folder, name }: CachePlace) {
    this.#disk = disk
    this.#folder = folder
    this.#indexPath = `${folder}/${name}.index`
    this.#note = new CacheNote(disk, `${folder}/${name}.seen`)
  }

  /** The index, where it fits the file as it is. */
  async open(file: DiskFile, stamp: FileStamp): Promise<StepIndex | undefined> {
    return await unlessFault(async () => {
      const seen = await this.#seen()
      if (!seen || !hasOnlyGrown(seen, stamp)) return undefined
      const bytes = await readCached(this.#disk, this.#indexPath)
      const document = bytes && openCached(bytes)
      if (!document) return undefined
      const { format: found, blocks, bad, cells, tail } = document.head as IndexHead
      if (found !== format) return undefined
      const end = endOf(blocks).at
      if (end > stamp.size || (await tailOf(file, end)) !== tail) return undefined
      if (stamp.size > seen.size) await this.#see(stamp)
      return { blocks, bad, ...bodyOf(document.body, filterBytes * blocks.length, cells) }
    })
  }

  async #seen(): Promise<Seen | undefined> {
    const noted = (await unlessFault(() => this.#note.read())) ?? ''
    const [, identity = '', size, changedNs = ''] = /^(\S+) (\d+) (\d+)$/.exec(noted) ?? []
    if (size === undefined) return undefined
    return { identity, size: Number(size), changedNs: BigInt(changedNs) }
  }

  async #see({ identity, size, changedNs }: Seen): Promise<void> {
    await unlessFault(() => this.#note.write(`${identity} ${size} ${changedNs}`))
  }

  /**
   * Called before an append, which is the last moment at which an edit still shows. The function that it
   * returns updates the note after the append, if nobody else changed the file.
   */
  async beforeAppend(before: Seen) {
    const seen = await this.#seen()
    if (!seen) return undefined
    if (!hasOnlyGrown(seen, before)) {
      await this.forget()
      return undefined
    }
    return async (after: Seen) => {
      if (seen.size === before.size) await this.#see(after)
    }
  }

  /** The next question reads every line. */
  async forget(): Promise<void> {
    await unlessFault(() => this.#note.remove())
  }

  async write(index: StepIndex, file: DiskFile, stamp: FileStamp): Promise<void> {
    const { blocks, names, bad, failures } = index
    const tail = await tailOf(file, endOf(blocks).at)
    const head: IndexHead = { format, blocks, bad, cells: failures.cells.length, tail }
    const { buffer, byteOffset, byteLength } = failures.cells
    const cells = new Uint8Array(buffer, byteOffset, byteLength)
    const body = joinedBytes([names, cells, failures.names])
    await unlessFault(async () => {
      await makeGitignoredFolder(this.#folder, this.#disk)
      await this.#disk.replaceLoosely(this.#indexPath, printCached(head, body))
      await this.#see(stamp)
    })
  }
}

function bodyOf(body: Uint8Array, namesBytes: number, cells: number) {
  const cellsEnd = namesBytes + cells * Float64Array.BYTES_PER_ELEMENT
  return {
    names: body.subarray(0, namesBytes),
    failures: {
      cells: new Float64Array(body.buffer, body.byteOffset + namesBytes, cells),
      names: body.subarray(cellsEnd),
    },
  }
}

/** As far as the stamps show. */
function hasOnlyGrown(seen: Seen, now: Seen): boolean {
  if (seen.identity !== now.identity || seen.size > now.size) return false
  return seen.size < now.size || seen.changedNs === now.changedNs
}

/** The end of the last block, in bytes and lines. */
export function endOf(blocks: readonly StepBlock[]) {
  const last = blocks.at(-1)
  return last ? { at: last.at + last.bytes, line: last.line + last.lines } : { at: 0, line: 0 }
}

async function tailOf(file: DiskFile, end: number): Promise<number> {
  const length = Math.min(end, tailBytes)
  return checksum(await file.read(end - length, length))
}
