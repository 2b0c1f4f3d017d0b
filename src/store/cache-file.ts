/**
 * Files under `.premath/cache/`. Each is made from another file, and may be missing, stale or broken:
 * its reader then makes it again, and no command fails because of it.
 */
import { Fault } from '../fault.ts'
import type { Disk } from '../world/world.ts'

export interface CachePlace {
  readonly folder: string
  /** The name of its files without their ending. */
  readonly name: string
  /** A reader that leaves nothing behind uses the cache and makes none. */
  readonly isReadOnly?: boolean
}

/** Finds damage by a disk or by an interrupted write. It does not protect against forgery. */
export function checksum(bytes: Uint8Array): number {
  const whole = bytes.length - (bytes.length % 4)
  // A copy where the words would not be aligned.
  const start = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
  const words = new Int32Array(start.buffer, start.byteOffset, whole / 4)
  let [low, high] = [0x811c9dc5, bytes.length]
  for (let at = 0; at < words.length; at++) {
    low = Math.imul(low ^ (words[at] as number), 0x01000193)
    high = (Math.imul(high, 31) + low) | 0
  }
  for (let at = whole; at < bytes.length; at++) {
    low = Math.imul(low ^ (bytes[at] ?? 0), 0x01000193)
    high = (Math.imul(high, 31) + low) | 0
  }
  // Turned, since the highest bit of a word would change both in the same bit, and cancel.
  return (low ^ ((high << 16) | (high >>> 16))) >>> 0
}

const wordBytes = 8

/** The size of a part that the next one follows on a multiple of eight bytes. */
export const padded = (length: number) => Math.ceil(length / wordBytes) * wordBytes

export interface CachedDocument {
  /** The JSON value that was printed. */
  readonly head: unknown
  readonly body: Uint8Array
  readonly checksum: number
}

/** A checksum, the length of the head, the head as JSON, and the body. */
export function printCached(head: object, body: Uint8Array): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(head))
  const bodyAt = wordBytes + padded(text.length)
  const bytes = new Uint8Array(bodyAt + body.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(4, text.length, true)
  bytes.set(text, wordBytes)
  bytes.set(body, bodyAt)
  view.setUint32(0, checksum(bytes.subarray(4)), true)
  return bytes
}

/** `undefined` where the bytes are not those of a printed document. */
export function openCached(given: Uint8Array): CachedDocument | undefined {
  if (given.length < 2 * wordBytes) return undefined
  // Typed arrays over the body need it on a multiple of eight.
  const bytes = given.byteOffset % wordBytes === 0 ? given : new Uint8Array(given)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const sum = view.getUint32(0, true)
  if (sum !== checksum(bytes.subarray(4))) return undefined
  const length = view.getUint32(4, true)
  const text = new TextDecoder().decode(bytes.subarray(wordBytes, wordBytes + length))
  const body = bytes.subarray(wordBytes + padded(length))
  return { head: JSON.parse(text), body, checksum: sum }
}

const noteBytes = 256

/** A short text with its checksum, overwritten in place: cheap enough for every append. */
export class CacheNote {
  readonly #disk: Disk
  readonly #path: string

  constructor(disk: Disk, path: string) {
    this.#disk = disk
    this.#path = path
  }

  async read(): Promise<string | undefined> {
    const bytes = await readCached(this.#disk, this.#path)
    const line = bytes ? new TextDecoder().decode(bytes) : ''
    const [, sum, text = ''] = /^(\d+) (.*?) *\n$/.exec(line) ?? []
    return Number(sum) === sumOf(text) ? text : undefined
  }

  async write(text: string): Promise<void> {
    const line = `${sumOf(text)} ${text}`.padEnd(noteBytes - 1)
    await this.#disk.overwrite(this.#path, new TextEncoder().encode(`${line}\n`))
  }

  async remove(): Promise<void> {
    await this.#disk.remove(this.#path)
  }
}

const sumOf = (text: string) => checksum(new TextEncoder().encode(text))

export async function readCached(disk: Disk, path: string): Promise<Uint8Array | undefined> {
  const file = await disk.open(path)
  try {
    return await file?.read(0, (await file.stamp()).size)
  } finally {
    await file?.close()
  }
}

/** `undefined` where the disk fails: a command goes on without its cache. */
export async function unlessFault<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
