/**
 * The digests of the files of one tree, as a cache in git's folder: a file that has not changed is not
 * read again. A file that may still change unseen is left out.
 */
import { type FileState, isSameState } from '../kernel/proof/known-file.ts'
import type { TreeDigest, TreeEntry } from '../kernel/proof/tree-digest.ts'
import type { Disk, FileStamp } from '../world/world.ts'
import { openCached, printCached, readCached, unlessFault } from './cache-file.ts'

/** A file with its state, or a link. */
export interface KnownEntry {
  readonly entry: TreeEntry
  readonly stamp: FileState | undefined
}

const formatVersion = 1

interface Head {
  readonly formatVersion: number
  readonly entries: number
  readonly digest: TreeDigest | null
}

export class KnownFiles {
  readonly #disk: Disk
  readonly #folder: string
  readonly #name: string
  readonly #rows: KnownRows

  private constructor(disk: Disk, folder: string, name: string, rows: KnownRows) {
    this.#disk = disk
    this.#folder = folder
    this.#name = name
    this.#rows = rows
  }

  static async read(disk: Disk, folder: string, name: string): Promise<KnownFiles> {
    const bytes = await unlessFault(() => readCached(disk, `${folder}/${name}`))
    return new KnownFiles(disk, folder, name, openKnown(bytes ?? new Uint8Array()))
  }

  get count(): number {
    return this.#rows.count
  }

  /** The digest of the tree that has these entries, and no others. */
  get digest(): TreeDigest | null {
    return this.#rows.digest
  }

  /** A link is read each time, so only the digest of the tree needs it. */
  hasLink({ path, mode, sha256 }: TreeEntry): boolean {
    const at = this.#rows.find(path)
    return at !== undefined && this.#rows.factsAt(at) === `${mode} ${sha256}`
  }

  /** The row of the file, if it has not changed since. Another mode would be a change too. */
  unchanged(path: string, stamp: FileState): number | undefined {
    const at = this.#rows.find(path)
    return at !== undefined && this.#rows.isAt(at, stamp) ? at : undefined
  }

  isAt(row: number, stamp: FileState): boolean {
    return this.#rows.isAt(row, stamp)
  }

  at(row: number): KnownEntry {
    return this.#rows.at(row)
  }

  /** The state of a file that was written just now, by the clock of the disk. */
  async now(): Promise<FileStamp | undefined> {
    return await unlessFault(async () => {
      await this.#disk.makeFolderLoosely(this.#folder)
      const path = `${this.#folder}/now`
      await this.#disk.overwrite(path, new Uint8Array(1))
      return await this.#disk.stamp(path)
    })
  }

  async write(entries: readonly KnownEntry[], digest: TreeDigest | null): Promise<void> {
    const bytes = printKnown(entries, digest)
    await unlessFault(() => this.#disk.replaceLoosely(`${this.#folder}/${this.#name}`, bytes))
  }
}

/** Each entry is three numbers, and three texts: its identity, its mode and digest, its path. */
const parts = 3

function printKnown(entries: readonly KnownEntry[], digest: TreeDigest | null): Uint8Array {
  const numbers = new BigInt64Array(entries.length * parts)
  const texts: string[] = []
  for (const [at, { entry, stamp }] of entries.entries()) {
    numbers[at * parts] = BigInt(stamp?.size ?? 0)
    numbers[at * parts + 1] = stamp?.modifiedNs ?? 0n
    numbers[at * parts + 2] = stamp?.changedNs ?? 0n
    texts.push(stamp?.identity ?? '', `${entry.mode} ${entry.sha256}`, entry.path)
  }
  const text = new TextEncoder().encode(texts.join('\0'))
  const body = new Uint8Array(numbers.byteLength + text.length)
  body.set(new Uint8Array(numbers.buffer))
  body.set(text, numbers.byteLength)
  const head: Head = { formatVersion, entries: entries.length, digest }
  return printCached(head, body)
}

/** No entries where the bytes are damaged, or of another version. */
function openKnown(bytes: Uint8Array): KnownRows {
  const document = openCached(bytes)
  const { formatVersion: version, entries, digest } = (document?.head ?? {}) as Partial<Head>
  if (document === undefined || entries === undefined || version !== formatVersion) {
    return new KnownRows(new BigInt64Array(), [], null)
  }
  const { body } = document
  const numbers = new BigInt64Array(body.buffer, body.byteOffset, entries * parts)
  const texts = new TextDecoder().decode(body.subarray(numbers.byteLength)).split('\0')
  return new KnownRows(numbers, texts, digest ?? null)
}

/** Entries as they were printed. An object for each would take longer than the rest. */
class KnownRows {
  readonly #numbers: BigInt64Array
  readonly #texts: readonly string[]
  readonly digest: TreeDigest | null
  /** The entry after the one that was found last: mostly the next to be asked for. */
  #next = 0
  #byPath: ReadonlyMap<string, number> | undefined

  constructor(numbers: BigInt64Array, texts: readonly string[], digest: TreeDigest | null) {
    this.#numbers = numbers
    this.#texts = texts
    this.digest = digest
  }

  get count(): number {
    return this.#numbers.length / parts
  }

  find(path: string): number | undefined {
    const isNext = this.#next < this.count && this.#pathAt(this.#next) === path
    const at = isNext ? this.#next : this.#indexed().get(path)
    if (at !== undefined) this.#next = at + 1
    return at
  }

  factsAt(at: number): string {
    return this.#texts[at * parts + 1] as string
  }

  isAt(at: number, stamp: FileState): boolean {
    return isSameState(this.#stampAt(at), stamp)
  }

  at(at: number): KnownEntry {
    const [mode = '', sha256 = ''] = this.factsAt(at).split(' ')
    const entry = { path: this.#pathAt(at), mode: mode as TreeEntry['mode'], sha256 }
    return { entry, stamp: this.#stampAt(at) }
  }

  #stampAt(at: number): FileState {
    return {
      identity: this.#texts[at * parts] as string,
      size: Number(this.#numbers[at * parts]),
      modifiedNs: this.#numbers[at * parts + 1] as bigint,
      changedNs: this.#numbers[at * parts + 2] as bigint,
    }
  }

  #pathAt(at: number): string {
    return this.#texts[at * parts + 2] as string
  }

  #indexed(): ReadonlyMap<string, number> {
    this.#byPath ??= new Map(
      Array.from({ length: this.count }, (_, at) => [this.#pathAt(at), at] as const),
    )
    return this.#byPath
  }
}
