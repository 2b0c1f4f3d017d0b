/** A small document that several processes update: read, decide and replace under a lock. */
import { Fault } from '../fault.ts'
import { unreadableArtifact } from '../kernel/harness/artifact.ts'
import { type Json, parseJson } from '../kernel/json.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import type { Disk, FileStamp } from '../world/world.ts'
import { type LockGuard, lockWaitMsDefault, underLock } from './lock.ts'

/** The most bytes of a document. It is read as a whole each time, so it must not grow like a log. */
export const cellBytesMax = 16 * 1024 * 1024

export interface CellOptions {
  readonly disk: Disk
  readonly path: string
  readonly lockWaitMs?: number | undefined
  /** Whether a write survives a power loss. The default is true. */
  readonly durable?: boolean | undefined
}

export class Cell {
  readonly path: string
  readonly #disk: Disk
  readonly #lockWaitMs: number
  readonly #durable: boolean
  /** The file at the last look. Mostly one worker reads what it wrote itself. */
  #known: { readonly stamp: FileStamp; readonly bytes: Uint8Array } | undefined
  /** The folder is created once: a folder that somebody removes later stays removed. */
  #hasFolder = false

  constructor({ disk, path, lockWaitMs = lockWaitMsDefault, durable = true }: CellOptions) {
    this.path = path
    this.#durable = durable
    this.#disk = disk
    this.#lockWaitMs = lockWaitMs
  }

  /** Returns the same array as long as the file is the same; `undefined` where there is no document. */
  async read(): Promise<Uint8Array | undefined> {
    const known = this.#known
    if (known && isSame(known.stamp, await this.#disk.stamp(this.path))) return known.bytes
    const file = await this.#disk.open(this.path)
    if (!file) return undefined
    try {
      const stamp = await file.stamp()
      if (stamp.size > cellBytesMax) throw tooLarge(this.path, stamp.size)
      const bytes = await file.read(0, stamp.size)
      this.#known = { stamp, bytes }
      return bytes
    } finally {
      await file.close()
    }
  }

  /**
   * Replaces the document with the text that `decide` returns, and returns its bytes: the same array
   * that `read` returns until another process writes.
   */
  async update(decide: (before: Uint8Array | undefined) => string): Promise<Uint8Array> {
    if (!this.#hasFolder) await this.#disk.makeFolder(folderOf(this.path))
    this.#hasFolder = true
    const replace = async (guard: LockGuard) => {
      const content = new TextEncoder().encode(decide(await this.read()))
      // A larger document could be written, but not read again.
      if (content.length > cellBytesMax) throw tooLarge(this.path, content.length)
      this.#known = undefined
      if (this.#durable) await this.#disk.replace(this.path, content, guard)
      else {
        guard()
        await this.#disk.replaceLoosely(this.path, content)
      }
      const stamp = await this.#disk.stamp(this.path)
      if (stamp) this.#known = { stamp, bytes: content }
      return content
    }
    return await underLock(this.#disk, `${this.path}.lock`, this.#lockWaitMs, replace, {
      noun: 'document',
    })
  }
}

const isSame = (one: FileStamp, other: FileStamp | undefined) =>
  one.identity === other?.identity &&
  one.size === other.size &&
  one.modifiedNs === other.modifiedNs &&
  one.changedNs === other.changedNs

const tooLarge = (path: string, bytes: number) =>
  new Fault('invalid_input', `${path} would have ${bytes} bytes; the limit is ${cellBytesMax}`, {
    hint: 'Nothing was changed. Move the file away to start a new one, or shorten its content.',
    detail: { path, bytes },
  })

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/'

interface DocumentForm<T> {
  /** The name of the artifact in messages. */
  readonly noun: string
  /** Faults where the value is not such a document. The path is for the message. */
  read(value: Json, path: string): T
  /** `read` of the printed text returns the same document. */
  print(document: T): string
}

/** A cell that holds an artifact: checked when it is read, printed when it is written. */
export class DocumentCell<T> {
  readonly path: string
  readonly #cell: Cell
  readonly #form: DocumentForm<T>
  #known: { readonly bytes: Uint8Array; readonly document: T } | undefined

  constructor(options: CellOptions, form: DocumentForm<T>) {
    this.path = options.path
    this.#cell = new Cell(options)
    this.#form = form
  }

  /** `undefined` where there is no document. Faults where it is not valid. */
  async read(): Promise<T | undefined> {
    return this.#documentIn(await this.#cell.read())
  }

  /** Returns the new document. An invalid one stays as it is. */
  async update(decide: (before: T | undefined) => T): Promise<T> {
    let after: T | undefined
    const bytes = await this.#cell.update(before => {
      after = decide(this.#documentIn(before))
      return this.#form.print(after)
    })
    const document = after as T
    this.#known = { bytes, document }
    return document
  }

  /** Parses the bytes once. A document that was printed here is not parsed again. */
  #documentIn(bytes: Uint8Array | undefined): T | undefined {
    if (!bytes) return undefined
    if (this.#known?.bytes === bytes) return this.#known.document
    const document = this.#form.read(this.#jsonIn(bytes), this.path)
    this.#known = { bytes, document }
    return document
  }

  #jsonIn(bytes: Uint8Array): Json {
    try {
      // Unknown members are written back, so their numbers must keep their spelling.
      return parseJson(decodeUtf8(bytes), { numbersAreCanonical: true })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      throw unreadableArtifact({ noun: this.#form.noun, path: this.path }, error)
    }
  }
}
