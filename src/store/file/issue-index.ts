/**
 * A shelf of rows for one-shot commands: where each issue's row stands in the file, who waits for
 * whom, what is offered, and the rows that are leased. Made from a whole reading of the file and
 * kept beside it as bytes that are looked at where they lie; a cache, and never authority.
 */
import { Fault } from '../../fault.ts'
import { BadRow, type Issue, readIssueLine } from '../../kernel/issues/issue.ts'
import { blockersOf, type IssueShelf } from '../../kernel/issues/issue-memory.ts'
import type { OfferShelf } from '../../kernel/issues/ready-list.ts'
import { checksum } from '../checksum.ts'
import { type RowsEnd, readRows } from '../issue-rows.ts'
import {
  countedPrefix,
  hashOf,
  headIn,
  type IndexHead,
  partsOf,
  type Sections,
  sectionBytes,
  sectionsOf,
  wordBytes,
} from './issue-index-format.ts'
import { OfferBlocks } from './issue-offers.ts'

/** Rows by place, as the file has them. */
export type ReadRow = (at: number, length: number) => Uint8Array

/** The shelf in the bytes, or `undefined` where they are not one. */
export function openIndex(given: Uint8Array, readRow: ReadRow): IssueIndex | undefined {
  if (given.length < 2 * wordBytes) return undefined
  const bytes = aligned(given)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const headBytes = view.getUint32(4, true)
  const head = headIn(bytes.subarray(wordBytes, wordBytes + headBytes))
  if (!head) return undefined
  const { offersAt, offerBytes, leasedAt, sectionsAt } = partsOf(headBytes, head)
  const sum = view.getUint32(0, true)
  if (bytes.length !== sectionsAt + sectionBytes(head)) return undefined
  if (sum !== checksum(bytes.subarray(4, sectionsAt))) return undefined
  const offers = bytes.subarray(offersAt, offersAt + offerBytes)
  return new IssueIndex({
    head,
    checksum: sum,
    offers: new OfferBlocks(head.ready, { bytes: offers, blocks: head.offerBlocks }),
    leased: rowsIn(bytes.subarray(leasedAt, leasedAt + head.leasedBytes)),
    sections: bytes.subarray(sectionsAt),
    readRow,
  })
}

/** Typed views need their bytes to begin on a multiple of eight. */
function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % wordBytes === 0 ? bytes : bytes.slice()
}

/** The rows do not stand where they should: the index is of another file. */
export class StrayIndex extends Fault {
  constructor(why: string) {
    super('unavailable', `the cache of issue memory does not fit it any more: ${why}`, {
      hint: 'Delete .premath/cache and run again.',
    })
  }
}

interface IndexParts {
  readonly head: IndexHead
  readonly checksum: number
  readonly offers: OfferBlocks
  readonly leased: readonly Issue[]
  readonly sections: Uint8Array
  readonly readRow: ReadRow
}

export class IssueIndex implements IssueShelf {
  readonly end: RowsEnd
  readonly garbage: number
  readonly checksum: number
  readonly size: number
  readonly ready: OfferShelf
  readonly leased: readonly Issue[]
  readonly #parts: IndexParts
  #sections: Sections | undefined
  /** In the place of sections that are broken: all rows, read anew. */
  #rescued: ReadonlyMap<string, Issue> | undefined

  constructor(parts: IndexParts) {
    const { head } = parts
    this.end = head.end
    this.garbage = head.garbage
    this.checksum = parts.checksum
    this.size = head.issues
    const { offers } = parts
    this.ready = {
      count: offers.count,
      at: place => offers.at(place),
      has: id => this.#isReady(id),
    }
    this.leased = parts.leased
    this.#parts = parts
  }

  get(id: string): Issue | undefined {
    const sections = this.#opened()
    if (!sections) return this.#rescue().get(id)
    const { hashes } = sections
    const hash = hashOf(id)
    for (let at = firstAt(hashes, hash); hashes[at] === hash; at++) {
      const issue = this.#rowAt(sections, at)
      if (issue.id === id) return issue
    }
    return undefined
  }

  dependentsOf(target: string): readonly string[] {
    const sections = this.#opened()
    if (!sections) return [...this.#rescue().keys()]
    return dependentsIn(sections, hashOf(target)).map(number => this.#rowAt(sections, number).id)
  }

  /**
   * Backwards, over hashes alone: looking rows up is what takes the time. Hashes that clash, and
   * edges that are gone since, can only add ways.
   */
  mayLead(from: string, to: string, rows: Iterable<Issue>): boolean {
    const sections = this.#opened()
    if (!sections) return true
    const added = addedEdges(rows)
    const goal = hashOf(from)
    const seen = new Set([hashOf(to)])
    for (const hash of seen) {
      if (hash === goal) return true
      for (const number of dependentsIn(sections, hash)) seen.add(sections.hashes[number] ?? 0)
      for (const source of added.get(hash) ?? []) seen.add(source)
    }
    return false
  }

  countedFrom(prefix: string): number {
    return prefix === countedPrefix ? this.#parts.head.counted : 1
  }

  *all(): Iterable<Issue> {
    const sections = this.#opened()
    if (!sections) {
      yield* this.#rescue().values()
      return
    }
    const { places } = sections
    const inOrder = Uint32Array.from(places.keys()).sort(
      (a, b) => (places[a] ?? 0) - (places[b] ?? 0),
    )
    const readRow = throughWindow(this.#parts.readRow)
    for (const at of inOrder) yield this.#rowAt(sections, at, readRow)
  }

  /** As it was when the index was made. */
  #isReady(id: string): boolean {
    const issue = this.get(id)
    const isClosed = (target: string) => this.get(target)?.status === 'closed'
    return issue?.status === 'open' && blockersOf(issue).every(isClosed)
  }

  #opened(): Sections | undefined {
    if (this.#sections || this.#rescued) return this.#sections
    const { head, sections } = this.#parts
    if (checksum(sections) !== head.sectionsChecksum) return undefined
    this.#sections = sectionsOf(sections, head)
    return this.#sections
  }

  #rescue(): ReadonlyMap<string, Issue> {
    if (this.#rescued) return this.#rescued
    const rows = new Map<string, Issue>()
    const bytes = this.#parts.readRow(0, this.end.bytes)
    readRows(bytes, { bytes: 0, lines: 0, unfinished: false }, 'the file', ({ issue }) => {
      rows.set(issue.id, issue)
    })
    this.#rescued = rows
    return rows
  }

  #rowAt(sections: Sections, at: number, readRow = this.#parts.readRow): Issue {
    const { places, lengths, hashes } = sections
    const issue = rowIn(utf8.decode(readRow(places[at] ?? 0, lengths[at] ?? 0)))
    if (hashOf(issue.id) !== hashes[at]) throw new StrayIndex(`${issue.id} is somewhere else`)
    return issue
  }
}

/** Numbers of the rows that an edge leads from to a target of that hash. */
function dependentsIn({ targetHashes, waiters }: Sections, hash: number): number[] {
  const found: number[] = []
  for (let at = firstAt(targetHashes, hash); targetHashes[at] === hash; at++) {
    found.push(waiters[at] ?? 0)
  }
  return found
}

/** By the hash of the target: hashes of the sources. */
function addedEdges(rows: Iterable<Issue>): ReadonlyMap<number, readonly number[]> {
  const edges = new Map<number, number[]>()
  for (const { id, dependencies } of rows) {
    for (const { depends_on_id } of dependencies) {
      const target = hashOf(depends_on_id)
      const sources = edges.get(target)
      if (sources) sources.push(hashOf(id))
      else edges.set(target, [hashOf(id)])
    }
  }
  return edges
}

const rowsIn = (bytes: Uint8Array): readonly Issue[] =>
  utf8.decode(bytes).split('\n').slice(0, -1).map(rowIn)

const windowBytes = 1024 * 1024

/** For rows that are read one after the other: many at a time. */
function throughWindow(readRow: ReadRow): ReadRow {
  let start = 0
  let window: Uint8Array = new Uint8Array()
  return (at, length) => {
    if (at < start || at + length > start + window.length) {
      start = at
      window = readRow(at, Math.max(length, windowBytes))
    }
    return window.subarray(at - start, at - start + length)
  }
}

const utf8 = new TextDecoder()

function rowIn(line: string): Issue {
  const issue = readIssueLine(line)
  if (issue instanceof BadRow) throw new StrayIndex(issue.why)
  return issue
}

function firstAt(sorted: Uint32Array, value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}
