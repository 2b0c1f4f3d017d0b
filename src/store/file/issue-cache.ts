/**
 * Keeps the index of issue memory under `.premath/cache/`, and a record of the state of the file it
 * is good for. Whoever appends under the lock moves the record along, so that only rows that were
 * added since the index was made have to be read. Absent, stale or broken, it is made again.
 */
import { Fault } from '../../fault.ts'
import type { Disk, DiskFile, FileStamp } from '../../world/world.ts'
import { makeCacheFolder } from '../cache-folder.ts'
import { checksum } from '../checksum.ts'
import { type IssueIndex, openIndex, type ReadRow } from './issue-index.ts'

/** Added rows are read one by one; beyond this many bytes a new index is cheaper. */
const addedBytesMax = 512 * 1024

/** A smaller file is read as a whole in less time than the index takes. */
export const cachedBytesMin = 128 * 1024

const recordBytes = 256

export const tailBytesMax = 512

export class IssueCache {
  readonly #disk: Disk
  readonly #folder: string
  readonly #indexPath: string
  readonly #recordPath: string
  /** The state the record tells of, as far as we know, and the index it belongs to. */
  #record: { readonly state: string; readonly index: number } | undefined

  constructor(disk: Disk, folder: string, name: string) {
    this.#disk = disk
    this.#folder = folder
    this.#indexPath = `${folder}/${name}.index`
    this.#recordPath = `${folder}/${name}.state`
  }

  /** The index, when it and the record fit the file as it is. */
  async open(file: DiskFile, stamp: FileStamp, readRow: ReadRow): Promise<IssueIndex | undefined> {
    if (stamp.size < cachedBytesMin) return undefined
    try {
      if (!(await this.#recordFits(stateOf(stamp, await tailOf(file, stamp.size))))) {
        return undefined
      }
      const bytes = await this.#bytesAt(this.#indexPath)
      const index = bytes && openIndex(bytes, readRow)
      if (!index || index.checksum !== this.#record?.index) return undefined
      const { end } = index
      return end.bytes <= stamp.size && stamp.size - end.bytes <= addedBytesMax ? index : undefined
    } catch (error) {
      if (error instanceof Fault) return undefined
      throw error
    }
  }

  /** Whether rows that are appended to the file as it is may be added to the record. */
  async fits(stamp: FileStamp, tail: Uint8Array): Promise<boolean> {
    return await this.#quietly(() => this.#recordFits(stateOf(stamp, tail)), false)
  }

  async #recordFits(state: string): Promise<boolean> {
    if (this.#record?.state !== state) this.#record = await this.#readRecord()
    return this.#record?.state === state
  }

  /** After an append to a file that the record fitted. */
  async moveOn(stamp: FileStamp, tail: Uint8Array): Promise<void> {
    const index = this.#record?.index
    if (index === undefined) return
    await this.#quietly(() => this.#writeRecord(stateOf(stamp, tail), index), undefined)
  }

  async write(index: Uint8Array, stamp: FileStamp, tail: Uint8Array): Promise<void> {
    await this.#quietly(async () => {
      await makeCacheFolder(this.#disk, this.#folder)
      await this.#disk.replaceLoosely(this.#indexPath, index)
      const number = new DataView(index.buffer, index.byteOffset).getUint32(0, true)
      await this.#writeRecord(stateOf(stamp, tail), number)
    }, undefined)
  }

  async #writeRecord(state: string, index: number): Promise<void> {
    const text = `${index} ${state}`
    const sum = checksum(new TextEncoder().encode(text))
    const line = `${sum} ${text}`.padEnd(recordBytes - 1)
    await this.#disk.overwrite(this.#recordPath, new TextEncoder().encode(`${line}\n`))
    this.#record = { state, index }
  }

  async #readRecord() {
    const bytes = await this.#bytesAt(this.#recordPath)
    const [, sum, text = '', index] = /^(\d+) ((\d+) .*?) *\n$/.exec(decode(bytes)) ?? []
    if (Number(sum) !== checksum(new TextEncoder().encode(text))) return undefined
    return { state: text.slice(text.indexOf(' ') + 1), index: Number(index) }
  }

  async #bytesAt(path: string): Promise<Uint8Array | undefined> {
    const file = await this.#disk.open(path)
    if (!file) return undefined
    try {
      const { size } = await file.stamp()
      return await file.read(0, size)
    } finally {
      await file.close()
    }
  }

  /** A cache that cannot be kept is done without. */
  async #quietly<T>(act: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await act()
    } catch (error) {
      if (error instanceof Fault) return otherwise
      throw error
    }
  }
}

const decode = (bytes: Uint8Array | undefined) => (bytes ? new TextDecoder().decode(bytes) : '')

function stateOf(stamp: FileStamp, tail: Uint8Array): string {
  const { identity, size, modifiedNs, changedNs } = stamp
  return `${identity} ${size} ${modifiedNs} ${changedNs} ${checksum(tail)}`
}

export async function tailOf(file: DiskFile, size: number): Promise<Uint8Array> {
  const length = Math.min(size, tailBytesMax)
  return await file.read(size - length, length)
}
