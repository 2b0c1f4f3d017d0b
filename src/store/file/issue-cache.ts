/**
 * Keeps the index of issue memory under `.premath/cache/`, with a note of the state of the file that
 * the index is good for. A writer that holds the lock updates the note after each append, so the next
 * command reads the index and only the rows that follow it.
 */
import type { Disk, DiskFile, FileStamp } from '../../world/world.ts'
import { CacheNote, type CachePlace, checksum, readCached, unlessFault } from '../cache-file.ts'
import { makeGitignoredFolder } from '../gitignored-folder.ts'
import { IssueIndex, type ReadRow } from './issue-index.ts'

/** Rows after the index are read one by one; beyond this many bytes a new index is cheaper. */
const addedBytesMax = 512 * 1024

/** A smaller file is read as a whole in less time than the index takes. */
export const cachedBytesMin = 128 * 1024

export const tailBytesMax = 512

interface PrintedIndex {
  readonly bytes: Uint8Array
  readonly checksum: number
}

export class IssueCache {
  readonly #disk: Disk
  readonly #folder: string
  readonly #indexPath: string
  readonly #note: CacheNote
  readonly #isReadOnly: boolean
  /** The last state that was read or written, and the checksum of the index that it belongs to. */
  #noted: { readonly state: string; readonly index: number } | undefined

  constructor(disk: Disk, { folder, name, isReadOnly = false }: CachePlace) {
    this.#disk = disk
    this.#folder = folder
    this.#isReadOnly = isReadOnly
    this.#indexPath = `${folder}/${name}.index`
    this.#note = new CacheNote(disk, `${folder}/${name}.state`)
  }

  /** The index, where it and the note fit the file as it is. */
  async open(
    file: Pick<DiskFile, 'read'>,
    stamp: FileStamp,
    readRow: ReadRow,
  ): Promise<IssueIndex | undefined> {
    if (stamp.size < cachedBytesMin) return undefined
    return await unlessFault(async () => {
      if (!(await this.#isNoted(stateOf(stamp, await tailOf(file, stamp.size))))) return undefined
      const bytes = await readCached(this.#disk, this.#indexPath)
      const index = bytes && IssueIndex.open(bytes, readRow)
      if (index?.checksum !== this.#noted?.index) return undefined
      const added = index && stamp.size - index.end.bytes
      return added !== undefined && added >= 0 && added <= addedBytesMax ? index : undefined
    })
  }

  /** Whether the note fits the file before an append, so that it can be updated after it. */
  async fits(stamp: FileStamp, tail: Uint8Array): Promise<boolean> {
    return (await unlessFault(() => this.#isNoted(stateOf(stamp, tail)))) ?? false
  }

  async #isNoted(state: string): Promise<boolean> {
    if (this.#noted?.state !== state) this.#noted = noted(await this.#note.read())
    return this.#noted?.state === state
  }

  /** After an append to a file that the note fitted. */
  async moveOn(stamp: FileStamp, tail: Uint8Array): Promise<void> {
    const index = this.#noted?.index
    if (index === undefined) return
    await unlessFault(() => this.#writeNote(stateOf(stamp, tail), index))
  }

  async write(index: PrintedIndex, stamp: FileStamp, tail: Uint8Array): Promise<void> {
    if (this.#isReadOnly) return
    await unlessFault(async () => {
      await makeGitignoredFolder(this.#folder, this.#disk)
      await this.#disk.replaceLoosely(this.#indexPath, index.bytes)
      await this.#writeNote(stateOf(stamp, tail), index.checksum)
    })
  }

  async #writeNote(state: string, index: number): Promise<void> {
    await this.#note.write(`${index} ${state}`)
    this.#noted = { state, index }
  }
}

function noted(text = '') {
  const [, index, state = ''] = /^(\d+) (.*)$/.exec(text) ?? []
  return index === undefined ? undefined : { state, index: Number(index) }
}

export const stateOf = (stamp: FileStamp, tail: Uint8Array) =>
  `${stampText(stamp)} ${checksum(tail)}`

export const stampText = ({ identity, size, modifiedNs, changedNs }: FileStamp) =>
  `${identity} ${size} ${modifiedNs} ${changedNs}`

export const isSameStamp = (one: FileStamp, other: FileStamp) =>
  one.identity === other.identity &&
  one.size === other.size &&
  one.modifiedNs === other.modifiedNs &&
  one.changedNs === other.changedNs

export async function tailOf(file: Pick<DiskFile, 'read'>, size: number): Promise<Uint8Array> {
  const length = Math.min(size, tailBytesMax)
  return await file.read(size - length, length)
}
