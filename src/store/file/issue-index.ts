/**
 * An index of issue memory for commands that ask one question: the position of each issue's row in the
 * file, the dependencies, the offers of ready work, and the issues that are leased. It is a cache and
 * never authority: the rows themselves are read from the file.
 */
import { Fault } from '../../fault.ts'
import { BadRow, type Issue, readIssueLine } from '../../kernel/issues/issue.ts'
import type { IssueTraits } from '../../kernel/issues/issue-list.ts'
import {
  blockersOf,
  type IndexedIssues,
  type IndexedMatches,
} from '../../kernel/issues/issue-memory.ts'
import { isUnclaimed } from '../../kernel/issues/issue-status.ts'
import type { IndexedOffers, Offer } from '../../kernel/issues/ready-list.ts'
import { joinedBytes } from '../../world/joined-bytes.ts'
import { openCached, padded, printCached } from '../cache-file.ts'
import type { RowsEnd } from '../issue-rows.ts'
import { listedNumbers } from './issue-list-index.ts'

const format = 'premath.issue_index.v7'

export interface IndexHead {
  /** The end of the rows that the index covers. */
  readonly end: RowsEnd
  readonly issues: number
  readonly edges: number
  readonly ready: number
  readonly offerBytes: number
  readonly leased: number
  /** Bytes of rows that a later row has replaced. */
  readonly garbage: number
  /** The prefix that all ids share, or `null`. */
  readonly sharedPrefix: string | null
  /** The prefix of new ids, and the lowest number that no id with it has. */
  readonly idPrefix: string
  readonly counted: number
}

/** Columns of numbers. Issues are numbered by the hash of their id, and edges sorted by their target's. */
export interface Columns {
  readonly places: Float64Array
  readonly lengths: Uint32Array
  readonly hashes: Uint32Array
  readonly targetHashes: Uint32Array
  /** The number of the issue that has the edge. */
  readonly sources: Uint32Array
  readonly leased: Uint32Array
  /** Offers of ready work in their order, each as JSON, and the end of each in those bytes. */
  readonly offerEnds: Uint32Array
  readonly offers: Uint8Array
}

/** The columns in the body of the index. Each starts on a multiple of eight bytes. */
function columnsIn(body: Uint8Array, head: IndexHead): Columns {
  const places = new Float64Array(body.buffer, body.byteOffset, head.issues)
  let end = 8 * head.issues
  const column = (count: number) => {
    const words = new Uint32Array(body.buffer, body.byteOffset + end, count)
    end += padded(4 * count)
    return words
  }
  const lengths = column(head.issues)
  const hashes = column(head.issues)
  const targetHashes = column(head.edges)
  const sources = column(head.edges)
  const leased = column(head.leased)
  const offerEnds = column(head.ready)
  const offers = body.subarray(end, end + head.offerBytes)
  return { places, lengths, hashes, targetHashes, sources, leased, offerEnds, offers }
}

const bodyBytes = ({ issues, edges, ready, leased, offerBytes }: IndexHead) =>
  8 * issues +
  2 * padded(4 * issues) +
  2 * padded(4 * edges) +
  padded(4 * leased) +
  padded(4 * ready) +
  offerBytes

/**
 * The index as bytes, with the columns that `fill` writes: the length of its document, the document, and
 * the part for lists.
 */
export function printIndex(
  head: IndexHead,
  fill: (columns: Columns) => void,
  lists: Uint8Array,
): Uint8Array {
  const body = new Uint8Array(bodyBytes(head))
  fill(columnsIn(body, head))
  const document = printCached({ format, ...head }, body)
  const start = new Uint8Array(startBytes)
  new DataView(start.buffer).setUint32(0, document.length, true)
  return joinedBytes([start, document, lists])
}

const startBytes = 8

/** Reads a row of the file by its position. */
export type ReadRow = (at: number, length: number) => Uint8Array

/** The row at a position is not the one that the index expects, so the index is of another file. */
export class ForeignIndex extends Fault {
  constructor(why: string) {
    super('unavailable', `the cache of issue memory does not fit it any more: ${why}`, {
      hint: 'Remove it: premath doctor --fix. Then run the command again.',
    })
  }
}

interface OpenedIndex {
  readonly head: IndexHead
  readonly columns: Columns
  readonly checksum: number
  readonly lists: Uint8Array
}

export class IssueIndex implements IndexedIssues {
  readonly end: RowsEnd
  readonly garbage: number
  readonly size: number
  readonly sharedPrefix: string | null
  readonly ready: IndexedOffers
  readonly leased: readonly Issue[]
  readonly #idPrefix: string
  readonly #counted: number
  /** The checksum of its document. */
  readonly checksum: number
  readonly #columns: Columns
  readonly #lists: Uint8Array
  readonly #readRow: ReadRow
  /** The numbers of issues that were looked up. Two ids may have one hash, so that takes their rows. */
  readonly #found = new Map<string, number>()

  /** `undefined` where the bytes are damaged, or not an index of this format. */
  static open(bytes: Uint8Array, readRow: ReadRow): IssueIndex | undefined {
    if (bytes.length < startBytes) return undefined
    const end = startBytes + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
    const document = openCached(bytes.subarray(startBytes, end))
    if (!document) return undefined
    const { format: found, ...head } = document.head as IndexHead & { readonly format: string }
    if (found !== format) return undefined
    const columns = columnsIn(document.body, head)
    const { checksum } = document
    return new IssueIndex({ head, columns, checksum, lists: bytes.subarray(end) }, readRow)
  }

  private constructor({ head, columns, checksum, lists }: OpenedIndex, readRow: ReadRow) {
    this.checksum = checksum
    this.#lists = lists
    this.end = head.end
    this.garbage = head.garbage
    this.size = head.issues
    this.sharedPrefix = head.sharedPrefix
    this.#idPrefix = head.idPrefix
    this.#counted = head.counted
    this.#columns = columns
    this.#readRow = readRow
    this.ready = {
      count: head.ready,
      at: place => this.#offerAt(place),
      has: id => this.#wasReady(id),
    }
    this.leased = Array.from(columns.leased, number => this.#row(number))
  }

  get(id: string): Issue | undefined {
    const { hashes } = this.#columns
    const hash = hashOf(id)
    for (let number = firstAt(hashes, hash); hashes[number] === hash; number++) {
      const issue = this.#row(number)
      if (issue.id !== id) continue
      this.#found.set(id, number)
      return issue
    }
    return undefined
  }

  #numberOf(id: string): number | undefined {
    if (!this.#found.has(id)) this.get(id)
    return this.#found.get(id)
  }

  dependentsOf(target: string): readonly string[] {
    return this.#sourcesOf(hashOf(target)).map(number => this.#row(number).id)
  }

  /**
   * Follows edges backwards by hash, without reading a row. Two ids with one hash, and edges that were
   * removed since, can only add ways.
   */
  mayLead(from: string, to: string, rows: Iterable<Issue>): boolean {
    const added = addedEdges(rows)
    const goal = hashOf(from)
    const seen = new Set([hashOf(to)])
    for (const hash of seen) {
      if (hash === goal) return true
      for (const number of this.#sourcesOf(hash)) seen.add(this.#columns.hashes[number] ?? 0)
      for (const source of added.get(hash) ?? []) seen.add(source)
    }
    return false
  }

  countedFrom(prefix: string): number {
    return prefix === this.#idPrefix ? this.#counted : 1
  }

  matching(
    isWanted: (traits: IssueTraits) => boolean,
    except: Iterable<string>,
  ): IndexedMatches | undefined {
    const numbers = Array.from(except, id => this.#numberOf(id))
    const found = new Set(numbers.filter(number => number !== undefined))
    const listed = listedNumbers(this.#lists, isWanted, found)
    return listed && { count: listed.count, rows: () => this.#rows(listed.numbers()) }
  }

  all(): Iterable<Issue> {
    const { places } = this.#columns
    const inOrder = Uint32Array.from(places.keys()).sort(
      (a, b) => (places[a] ?? 0) - (places[b] ?? 0),
    )
    return this.#rows(inOrder, throughWindow(this.#readRow))
  }

  *#rows(numbers: Iterable<number>, readRow = this.#readRow): Iterable<Issue> {
    for (const number of numbers) yield this.#row(number, readRow)
  }

  #offerAt(place: number): Offer {
    const { offers, offerEnds } = this.#columns
    return offerIn(utf8.decode(offers.subarray(offerEnds[place - 1] ?? 0, offerEnds[place])))
  }

  /** Whether the issue was ready when the index was made. */
  #wasReady(id: string): boolean {
    const issue = this.get(id)
    const isClosed = (target: string) => this.get(target)?.status === 'closed'
    return issue !== undefined && isUnclaimed(issue) && blockersOf(issue).every(isClosed)
  }

  /** Numbers of the issues that have an edge to a target of that hash. */
  #sourcesOf(hash: number): number[] {
    const { targetHashes, sources } = this.#columns
    const found: number[] = []
    for (let at = firstAt(targetHashes, hash); targetHashes[at] === hash; at++) {
      found.push(sources[at] ?? 0)
    }
    return found
  }

  #row(number: number, readRow = this.#readRow): Issue {
    const { places, lengths, hashes } = this.#columns
    const line = utf8.decode(readRow(places[number] ?? 0, lengths[number] ?? 0))
    const issue = readIssueLine(line)
    if (issue instanceof BadRow) throw new ForeignIndex(issue.why)
    if (hashOf(issue.id) !== hashes[number]) throw new ForeignIndex(`${issue.id} is somewhere else`)
    return issue
  }
}

const utf8 = new TextDecoder()

export const printOffer = ({ id, priority, title, assignee }: Offer): string =>
  JSON.stringify([id, priority, title, assignee])

function offerIn(text: string): Offer {
  const [id, priority, title, assignee]: [string, number, string, string] = JSON.parse(text)
  return { id, priority, title, assignee }
}

/** FNV-1a over UTF-16 units. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return hash >>> 0
}

/** Hashes of the sources of edges, by the hash of the target. */
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

const windowBytes = 1024 * 1024

/** Reads many rows at a time, for a caller that asks for them in the order of the file. */
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
