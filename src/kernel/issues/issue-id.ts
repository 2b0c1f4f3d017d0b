/** Ids of new issues: counted, or such that clones which do not know each other rarely clash. */
import type { Sha256 } from '../canonical.ts'

export const idModes = ['counted', 'hash'] as const
export type IdMode = (typeof idModes)[number]

export const idPrefixDefault = 'bd'

/** What an id is made of. */
export interface IdSeed {
  readonly prefix?: string | undefined
  readonly title: string
  /** Nanoseconds since 1970. */
  readonly now: bigint
  /** From the machine; two clones may add the same title in the same instant. */
  readonly random: string
  readonly sha256: Sha256
}

/** What the search for a free id asks of memory. */
export interface KnownIds {
  readonly size: number
  has(id: string): boolean
  nextCountedId(prefix: string): string
}

/** For `ChangeStamp.newId`. `counted` gives the lowest free `bd-N`, `hash` something like `bd-k3f9`. */
export function newIdFor(mode: IdMode, memory: KnownIds, seed: IdSeed): string {
  const prefix = seed.prefix ?? idPrefixDefault
  if (mode === 'counted') return memory.nextCountedId(prefix)
  const { title, now, random, sha256 } = seed
  return freeHashId(`${prefix}-`, [title, now.toString(), random], memory, sha256)
}

/**
 * The shortest free id over a digest of the parts. One letter more on each clash, and letters
 * enough for the memory's size that unseen ids rarely clash either.
 */
export function freeHashId(
  start: string,
  parts: readonly string[],
  memory: Pick<KnownIds, 'size' | 'has'>,
  sha256: Sha256,
): string {
  const letters = lettersOf(sha256(JSON.stringify(parts)))
  for (let length = lengthFor(memory.size); length <= letters.length; length++) {
    const id = `${start}${letters.slice(0, length)}`
    if (!memory.has(id)) return id
  }
  return freeHashId(start, [...parts, letters], memory, sha256)
}

const digits = 36n
const lettersMax = 40
const lengthMin = 4

/** Of a thousand pairs of clones that each mint as many ids as memory has, about one clashes. */
function lengthFor(size: number): number {
  let length = lengthMin
  for (let room = 26 * 36 ** (lengthMin - 1); room < size * size * 1000; room *= 36) length++
  return Math.min(length, lettersMax)
}

/** Base 36, lower case; a letter first, so that no id looks counted. */
function lettersOf(hex: string): string {
  let rest = BigInt(`0x${hex}`)
  let letters = (10n + (rest % 26n)).toString(36)
  while (letters.length < lettersMax) {
    rest /= digits
    letters += (rest % digits).toString(36)
  }
  return letters
}
