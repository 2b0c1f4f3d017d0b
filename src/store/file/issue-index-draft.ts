/** An index of issue memory in the making. */
import { type Issue, printIssue } from '../../kernel/issues/issue.ts'
import { blockersOf } from '../../kernel/issues/issue-memory.ts'
import { rankedList } from '../../kernel/issues/issue-order.ts'
import { checksum } from '../checksum.ts'
import type { PlacedRow, RowsEnd } from '../issue-rows.ts'
import {
  countedPrefix,
  format,
  hashOf,
  type IndexHead,
  joinedIndex,
  type Sections,
  sectionBytes,
  sectionsOf,
} from './issue-index-format.ts'
import { printOffers } from './issue-offers.ts'

/** What an index says of one issue. */
interface Slip {
  readonly id: string
  readonly at: number
  readonly bytes: number
  readonly closed: boolean
  /** Hashes of what it depends on. */
  readonly targets: readonly number[]
  /** Kept where a question may be about it; most work is done, and its rows need not stay. */
  readonly issue: Issue | undefined
}

/** An index in the making: takes the rows of a file as they are read, and forgets most of them. */
export class IndexDraft {
  readonly #slips = new Map<string, Slip>()
  readonly #counted: boolean[] = []
  #garbage = 0

  take({ issue, at, bytes }: PlacedRow): void {
    const { id } = issue
    const before = this.#slips.get(id)
    if (before) this.#garbage += before.bytes + 1
    else this.#count(id)
    const closed = issue.status === 'closed'
    const isLive = !closed || issue.lease !== undefined
    const targets = targetsOf(issue)
    this.#slips.set(id, { id, at, bytes, closed, targets, issue: isLive ? issue : undefined })
  }

  /** Whether there are no more issues than an index can number. */
  get fits(): boolean {
    return this.#slips.size <= indexedIssuesMax
  }

  /** The index of all rows up to the end. */
  print(end: RowsEnd): Uint8Array {
    const unordered = [...this.#slips.values()]
    const keys = sortedKeys(unordered)
    const slips = new Array<Slip>(keys.length)
    for (let at = 0; at < keys.length; at++) {
      slips[at] = unordered[numberIn(keys[at] ?? 0)] as Slip
    }
    const edges = edgesAmong(slips)
    const ready = rankedList(this.#live(issue => this.#isReady(issue)))
    const offers = printOffers(ready)
    const leased = this.#live(issue => issue.lease !== undefined)
    const rows = new TextEncoder().encode(leased.map(row => `${printIssue(row)}\n`).join(''))
    const head: IndexHead = {
      format,
      end,
      issues: slips.length,
      edges: edges.length,
      ready: ready.length,
      offerBlocks: offers.blocks,
      leasedBytes: rows.length,
      garbage: this.#garbage,
      counted: this.#firstUncounted(),
      sectionsChecksum: 0,
    }
    const sections = new Uint8Array(sectionBytes(head))
    fill(sectionsOf(sections, head), keys, slips, edges)
    return joinedIndex(
      { ...head, sectionsChecksum: checksum(sections) },
      offers.bytes,
      rows,
      sections,
    )
  }

  #live(belongs: (issue: Issue) => boolean): Issue[] {
    const found: Issue[] = []
    for (const { issue } of this.#slips.values()) if (issue && belongs(issue)) found.push(issue)
    return found
  }

  #isReady(issue: Issue): boolean {
    return (
      issue.status === 'open' &&
      blockersOf(issue).every(target => this.#slips.get(target)?.closed === true)
    )
  }

  #count(id: string): void {
    const number = countedNumber(id)
    if (number !== undefined) this.#counted[number] = true
  }

  #firstUncounted(): number {
    let number = 1
    while (this.#counted[number]) number++
    return number
  }
}

/** `12` for `bd-12`. */
function countedNumber(id: string): number | undefined {
  const start = countedPrefix.length + 1
  if (!id.startsWith(countedPrefix) || id.charCodeAt(start - 1) !== 0x2d) return undefined
  let number = 0
  for (let at = start; at < id.length; at++) {
    const digit = id.charCodeAt(at) - 0x30
    const isFirstZero = at === start && digit === 0
    if (!(digit >= 0 && digit <= 9) || isFirstZero || number >= indexedIssuesMax) return undefined
    number = number * 10 + digit
  }
  return number
}

function fill(
  sections: Sections,
  keys: Float64Array,
  slips: readonly Slip[],
  edges: Float64Array,
): void {
  for (let number = 0; number < slips.length; number++) {
    const { at, bytes } = slips[number] as Slip
    sections.places[number] = at
    sections.hashes[number] = hashIn(keys[number] ?? 0)
    sections.lengths[number] = bytes
  }
  for (let number = 0; number < edges.length; number++) {
    const key = edges[number] ?? 0
    sections.targetHashes[number] = hashIn(key)
    sections.waiters[number] = numberIn(key)
  }
}

/** A hash and a number below this fit into one number, which sorts by the hash. */
const keyStep = 2 ** 21
const hashIn = (key: number) => Math.floor(key / keyStep)
const numberIn = (key: number) => key - hashIn(key) * keyStep

function sortedKeys(slips: readonly Slip[]): Float64Array {
  const keys = new Float64Array(slips.length)
  for (let at = 0; at < slips.length; at++) {
    keys[at] = hashOf((slips[at] as Slip).id) * keyStep + at
  }
  return keys.sort()
}

function targetsOf({ dependencies }: Issue): readonly number[] {
  return dependencies.length === 0 ? noTargets : dependencies.map(row => hashOf(row.depends_on_id))
}

const noTargets: readonly number[] = []

/** Hashes of targets, each with the number of who depends on it. */
function edgesAmong(slips: readonly Slip[]): Float64Array {
  const edges: number[] = []
  for (let waiter = 0; waiter < slips.length; waiter++) {
    for (const target of (slips[waiter] as Slip).targets) edges.push(target * keyStep + waiter)
  }
  return Float64Array.from(edges).sort()
}

/** More issues than an index can number are read as a whole each time. */
const indexedIssuesMax = keyStep
