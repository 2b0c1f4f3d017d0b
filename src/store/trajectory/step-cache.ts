/**
 * Keeps the index of the trajectory under `.premath/cache/`, and a note of the file as it was when
 * somebody last had a look. The file only grows; where it did anything else since, the index is
 * not used. What nobody can tell is an edit in place that keeps every length, made between an
 * append by another program and the next look: blocks are checked when they are read, and counts
 * of those that are not would be as before the edit.
 */
import { Fault } from '../../fault.ts'
import type { Disk, DiskFile, FileStamp } from '../../world/world.ts'
import { makeCacheFolder } from '../cache-folder.ts'
import { checksum } from '../checksum.ts'
import { type OpenIndex, printIndex, readIndex, type StepIndex } from './step-index.ts'

/** A smaller file is read as a whole in less time than the index takes. */
export const cachedBytesMin = 128 * 1024

const tailBytes = 512
const noteBytes = 128

type Seen = Pick<FileStamp, 'identity' | 'size' | 'changedNs'>

export interface CachePlace {
  readonly folder: string
  readonly name: string
}

export class StepCache {
  readonly #disk: Disk
  readonly #folder: string
  readonly #indexPath: string
  readonly #notePath: string

  constructor(disk: Disk, { folder, name }: CachePlace) {
    this.#disk = disk
    this.#folder = folder
    this.#indexPath = `${folder}/${name}.index`
    this.#notePath = `${folder}/${name}.seen`
  }

  /** Hands over the index, where it fits the file as it is. */
  async with<T>(
    file: DiskFile,
    stamp: FileStamp,
    use: (index: OpenIndex | undefined) => Promise<T>,
  ): Promise<T> {
    const kept = await quietly(() => this.#disk.open(this.#indexPath))
    try {
      return await use(kept && (await this.#fitting(kept, file, stamp)))
    } finally {
      await kept?.close()
    }
  }

  async #fitting(kept: DiskFile, file: DiskFile, stamp: FileStamp): Promise<OpenIndex | undefined> {
    const seen = await this.#seen()
    if (!seen || !hasOnlyGrown(seen, stamp)) return undefined
    const index = await quietly(() => readIndex(kept))
    const end = index && endOf(index.blocks)
    if (!end || end.at > stamp.size || (await tailOf(file, end.at)) !== index.tail) return undefined
    if (stamp.size > seen.size) await this.#note(stamp)
    return index
  }

  /** The file as it was noted. */
  async #seen(): Promise<Seen | undefined> {
    const bytes = await quietly(() => this.#noteBytes())
    const text = bytes ? new TextDecoder().decode(bytes) : ''
    const [, sum, noted = '', identity = '', size, changedNs = ''] =
      /^(\d+) ((\S+) (\d+) (\d+)) *\n$/.exec(text) ?? []
    if (Number(sum) !== checksum(new TextEncoder().encode(noted))) return undefined
    return { identity, size: Number(size), changedNs: BigInt(changedNs) }
  }

  async #note({ identity, size, changedNs }: Seen): Promise<void> {
    const noted = `${identity} ${size} ${changedNs}`
    const sum = checksum(new TextEncoder().encode(noted))
    const line = new TextEncoder().encode(`${`${sum} ${noted}`.padEnd(noteBytes - 1)}\n`)
    await quietly(() => this.#disk.overwrite(this.#notePath, line))
  }

  /**
   * Before bytes are added to the file as it is. Whoever appends notices an edit while it still
   * shows; otherwise what is returned keeps the note at the end of the file.
   */
  async beforeAppend(before: Seen, added: number) {
    const seen = await this.#seen()
    if (!seen) return undefined
    if (!hasOnlyGrown(seen, before)) {
      await quietly(() => this.#disk.remove(this.#notePath))
      return undefined
    }
    return async (after: Seen) => {
      const isOurs = seen.size === before.size && after.size === before.size + added
      if (isOurs) await this.#note(after)
    }
  }

  async write(index: Omit<StepIndex, 'tail'>, file: DiskFile, stamp: FileStamp): Promise<void> {
    const tail = await tailOf(file, endOf(index.blocks).at)
    await quietly(async () => {
      await makeCacheFolder(this.#disk, this.#folder)
      await this.#disk.replaceLoosely(this.#indexPath, printIndex({ ...index, tail }))
      await this.#note(stamp)
    })
  }

  async #noteBytes(): Promise<Uint8Array | undefined> {
    const file = await this.#disk.open(this.#notePath)
    try {
      return await file?.read(0, noteBytes)
    } finally {
      await file?.close()
    }
  }
}

/** As far as anybody can tell who does not read all of it. */
function hasOnlyGrown(seen: Seen, now: Seen): boolean {
  if (seen.identity !== now.identity || seen.size > now.size) return false
  return seen.size < now.size || seen.changedNs === now.changedNs
}

/** Where the last block ends: bytes and lines. */
export function endOf(blocks: StepIndex['blocks']) {
  const last = blocks.at(-1)
  return last ? { at: last.at + last.bytes, line: last.line + last.lines } : { at: 0, line: 0 }
}

async function tailOf(file: DiskFile, end: number): Promise<number> {
  const length = Math.min(end, tailBytes)
  return checksum(await file.read(end - length, length))
}

/** A cache that cannot be kept is done without. */
async function quietly<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
