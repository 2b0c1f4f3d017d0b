/** Ids of new issues: counted, or hashed so that ids of separate clones rarely clash. */
import type { MutationPolicy } from '../../wire/policy/mutation-policy.ts'
import type { Sha256 } from '../canonical.ts'

const idPrefixDefault = 'bd'

/** `api` of `api-12`, `web-a3f` and `web-a3f.1`. */
const prefixed = /^([A-Za-z][\w.-]*)-[0-9A-Za-z]+(?:\.\d+)*$/

/** Finds the prefix that all ids share. */
export class SharedPrefix {
  /** `null` if there are ids and they share none. */
  #shared: string | null | undefined

  constructor(shared?: string | null) {
    this.#shared = shared
  }

  take(id: string): void {
    if (this.#shared === null) return
    const prefix = prefixed.exec(id)?.[1] ?? null
    this.#shared = this.#shared === undefined || this.#shared === prefix ? prefix : null
  }

  get shared(): string | null {
    return this.#shared ?? null
  }

  /** For new ids. */
  get prefix(): string {
    return this.#shared ?? idPrefixDefault
  }
}

/** The input of a new id. */
export interface IdSeed {
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
  /** The prefix of the ids so far, with which new ones begin too. */
  readonly idPrefix: string
  has(id: string): boolean
  nextCountedId(prefix: string): string
}

/**
 * For `ChangeStamp.newId`. No issue has the id, in whatever case. `counted` gives the lowest free
 * `bd-N`, `hash` an id such as `bd-k3f9`, with the prefix of the project.
 */
export function newIdFor(mode: MutationPolicy['ids'], memory: KnownIds, seed: IdSeed): string {
  const prefix = memory.idPrefix
  if (mode === 'counted') return memory.nextCountedId(prefix)
  const { title, now, random, sha256 } = seed
  const has = (id: string) => isTaken(id, one => memory.has(one))
  return freeHashId(
    `${prefix}-`,
    [title, now.toString(), random],
    { size: memory.size, has },
    sha256,
  )
}

/** An id that differs only in case is taken too: people and disks may mix them up. */
export function isTaken(id: string, has: (id: string) => boolean): boolean {
  if (has(id)) return true
  for (const twin of inEachCase(id)) if (has(twin)) return true
  return false
}

/** The number of ids doubles with each letter. One of another tool that has more is rarely mixed. */
const mixedLettersMax = 8

function* inEachCase(id: string): Iterable<string> {
  const letters = id.match(/[A-Za-z]/g)?.length ?? 0
  if (letters > mixedLettersMax) {
    yield id.toLowerCase()
    yield id.toUpperCase()
    return
  }
  for (let cases = 0; cases < 2 ** letters; cases++) {
    let letter = 0
    yield id.replace(/[A-Za-z]/g, one =>
      (cases >> letter++) & 1 ? one.toUpperCase() : one.toLowerCase(),
    )
  }
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
