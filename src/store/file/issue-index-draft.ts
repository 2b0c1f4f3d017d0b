import type { Issue } from '../../kernel/issues/issue.ts'
import { isTaken, SharedPrefix } from '../../kernel/issues/issue-id.ts'
import { traitsOf } from '../../kernel/issues/issue-list.ts'
import { blockersOf } from '../../kernel/issues/issue-memory.ts'
import { naturalList, rankedList } from '../../kernel/issues/issue-order.ts'
import { isUnclaimed } from '../../kernel/issues/issue-status.ts'
import type { PlacedRow, RowsEnd } from '../issue-rows.ts'
import { type Columns, hashOf, printIndex, printOffer } from './issue-index.ts'
import { TraitPlaces } from './issue-list-index.ts'

interface Entry {
  readonly id: string
  readonly at: number
  readonly bytes: number
  readonly closed: boolean
  /** Hashes of the ids that it depends on. */
  readonly targets: readonly number[]
  /** The place of its traits. */
  readonly traits: number
  /** Kept for issues that may be ready or leased. Most work is done, and its rows are let go. */
  readonly issue: Issue | undefined
}

/** An index in the making: it takes the rows of a file in order, and keeps few of them. */
export class IndexDraft {
  readonly #entries = new Map<string, Entry>()
  readonly #traits = new TraitPlaces()
  #garbage = 0

  take({ issue, at, bytes }: PlacedRow): void {
    const { id } = issue
    const before = this.#entries.get(id)
    if (before) this.#garbage += before.bytes + 1
    const closed = issue.status === 'closed'
    const isLive = !closed || issue.lease !== undefined
    const targets = targetsOf(issue)
    const traits = this.#traits.placeOf(traitsOf(issue))
    const kept = isLive ? issue : undefined
    this.#entries.set(id, { id, at, bytes, closed, targets, traits, issue: kept })
  }

  /** An index has numbers for so many issues; a larger memory is read as a whole each time. */
  get fits(): boolean {
    return this.#entries.size <= issuesMax
  }

  print(end: RowsEnd): Uint8Array {
    const unordered = [...this.#entries.values()]
    const keys = sortedKeys(unordered.map(({ id }, at) => keyOf(hashOf(id), at)))
    const entries = Array.from(keys, key => unordered[numberIn(key)] as Entry)
    const edges = sortedKeys(
      entries.flatMap(({ targets }, source) => targets.map(target => keyOf(target, source))),
    )
    const ready = rankedList(
      entries.flatMap(({ issue }) => (issue && this.#isReady(issue) ? [issue] : [])),
    )
    const leased = entries.flatMap(({ issue }, number) => (issue?.lease ? [number] : []))
    // Rows are mostly in the order of their ids, which sorts faster than the order of their hashes.
    const numbers = new Uint32Array(entries.length)
    for (const [number, key] of keys.entries()) numbers[numberIn(key)] = number
    const inOrder = naturalList(unordered.map(({ id }, at) => ({ id, number: numbers[at] ?? 0 })))
    const encoder = new TextEncoder()
    const prefix = new SharedPrefix()
    for (const id of this.#entries.keys()) prefix.take(id)
    const offers = ready.map(issue => encoder.encode(printOffer(issue)))
    const head = {
      end,
      issues: entries.length,
      edges: edges.length,
      ready: ready.length,
      offerBytes: offers.reduce((sum, { length }) => sum + length, 0),
      leased: leased.length,
      garbage: this.#garbage,
      sharedPrefix: prefix.shared,
      idPrefix: prefix.prefix,
      counted: this.#firstUncounted(prefix.prefix),
    }
    const fill = (columns: Columns) => {
      columns.places.set(entries.map(({ at }) => at))
      columns.lengths.set(entries.map(({ bytes }) => bytes))
      columns.hashes.set(keys.map(hashIn))
      columns.targetHashes.set(edges.map(hashIn))
      columns.sources.set(edges.map(numberIn))
      columns.leased.set(leased)
      let end = 0
      for (const [place, offer] of offers.entries()) {
        columns.offers.set(offer, end)
        end += offer.length
        columns.offerEnds[place] = end
      }
    }
    const listed = inOrder.map(({ number }) => number)
    const traits = entries.map(entry => entry.traits)
    return printIndex(head, fill, this.#traits.print(listed, traits))
  }

  #isReady(issue: Issue): boolean {
    return (
      isUnclaimed(issue) &&
      blockersOf(issue).every(target => this.#entries.get(target)?.closed === true)
    )
  }

  #firstUncounted(prefix: string): number {
    let number = 1
    while (isTaken(`${prefix}-${number}`, id => this.#entries.has(id))) number++
    return number
  }
}

/** A hash and a number below this fit into one number, and sort by the hash. */
const issuesMax = 2 ** 21
const keyOf = (hash: number, number: number) => hash * issuesMax + number
const hashIn = (key: number) => Math.floor(key / issuesMax)
const numberIn = (key: number) => key % issuesMax

const sortedKeys = (keys: readonly number[]) => Float64Array.from(keys).sort()

function targetsOf({ dependencies }: Issue): readonly number[] {
  return dependencies.length === 0 ? noTargets : dependencies.map(row => hashOf(row.depends_on_id))
}

const noTargets: readonly number[] = []
