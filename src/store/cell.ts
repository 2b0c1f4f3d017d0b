/** One small document that several processes update: read, decide, replace, under a lock. */
import { Fault } from '../fault.ts'
import type { Disk, FileStamp } from '../world/world.ts'
import { type LockGuard, lockWaitMsDefault, underLock } from './lock.ts'

/** Bytes of one document. More is a log that grew in the wrong place, and would be read each time. */
export const cellBytesMax = 16 * 1024 * 1024

export interface CellOptions {
  readonly disk: Disk
  readonly path: string
  readonly lockWaitMs?: number | undefined
  /** Whether a write survives a loss of power; true unless something else can tell it again. */
  readonly durable?: boolean | undefined
}

export class Cell {
  readonly path: string
  readonly #disk: Disk
  readonly #lockWaitMs: number
  readonly #durable: boolean
  /** What the file held when it was looked at last: a worker's is mostly its own. */
  #known: { readonly stamp: FileStamp; readonly bytes: Uint8Array } | undefined
  /** Made once: a folder that is taken away later is not made again unasked. */
  #hasFolder = false

  constructor({ disk, path, lockWaitMs = lockWaitMsDefault, durable = true }: CellOptions) {
    this.path = path
    this.#durable = durable
    this.#disk = disk
    this.#lockWaitMs = lockWaitMs
  }

  /**
   * The bytes as they are, whole; `undefined` where there is no document yet. The same ones as long
   * as the file is the same.
   */
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
   * Puts what `decide` makes of the document in its place. Nobody else does meanwhile. Answers the
   * bytes, which are those that `read` answers until somebody else writes.
   */
  async update(decide: (before: Uint8Array | undefined) => string): Promise<Uint8Array> {
    if (!this.#hasFolder) await this.#disk.makeFolder(folderOf(this.path))
    this.#hasFolder = true
    const replace = async (guard: LockGuard) => {
      const content = new TextEncoder().encode(decide(await this.read()))
      // What could be written and not be read again would be lost.
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
  new Fault('invalid_input', `${path} would hold ${bytes} bytes, and at most ${cellBytesMax} can`, {
    hint: 'Nothing was changed. Move the file away to begin anew, or make what it holds smaller.',
    detail: { path, bytes },
  })

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/'
