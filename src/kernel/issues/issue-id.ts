/** Ids of new issues: counted, or hashed so that ids of separate clones rarely clash. */
import type { MutationPolicy } from '../../wire/policy/mutation-policy.ts'
import type { Sha256 } from '../canonical.ts'

const idPrefixDefault = 'bd'

/** The input of a new id. */
export interface IdSeed {
  readonly prefix?: string | undefined
  readonly title: string
  /** Nanoseconds since 1970. */
  readonly now: bigint
  /** Randomness, because two clones may add the same title at the same time. */
  readonly random: string
  readonly sha256: Sha256
}

/** The part of memory that the search for a free id needs. */
export interface KnownIds {
  readonly size: number
  has(id: string): boolean
  nextCountedId(prefix: string): string
}

/**
 * For `ChangeStamp.newId`. `counted` gives the lowest free `bd-N`, `hash` an id such as `bd-k3f9`.
 */
export function newIdFor(mode: MutationPolicy['ids'], memory: KnownIds, seed: IdSeed): string {
  const prefix = seed.prefix ?? idPrefixDefault
  if (mode === 'counted') return memory.nextCountedId(prefix)
  const { title, now, random, sha256 } = seed
  return freeHashId(`${prefix}-`, [title, now.toString(), random], memory, sha256)
}

/**
 * The shortest free prefix of a digest, one letter longer after each clash. The minimum length
 * grows with memory, so that ids of unseen clones rarely clash.
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

/** About one in a thousand pairs of clones clashes if each creates as many ids as memory has. */
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
