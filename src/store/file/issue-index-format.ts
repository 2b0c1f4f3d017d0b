/** The index of issue memory as bytes: a head, what is offered, leased rows, and sections. */
import { checksum } from '../checksum.ts'
import type { RowsEnd } from '../issue-rows.ts'

export const format = 'premath.issue_index.v3'

export interface IndexHead {
  readonly format: typeof format
  /** How much of the file it covers. */
  readonly end: RowsEnd
  readonly issues: number
  readonly edges: number
  readonly ready: number
  /** How long each block of offers is. */
  readonly offerBlocks: readonly number[]
  readonly leasedBytes: number
  /** Bytes of rows that a later row has replaced. */
  readonly garbage: number
  readonly counted: number
  /** Of the sections, which are checked when the first row is looked up. */
  readonly sectionsChecksum: number
}

/** Ids that are counted most often; any other prefix is counted from one. */
export const countedPrefix = 'bd'

export const wordBytes = 8

/** Sections in order, each starting on a multiple of eight bytes. */
export interface Sections {
  readonly places: Float64Array
  readonly hashes: Uint32Array
  readonly lengths: Uint32Array
  readonly targetHashes: Uint32Array
  readonly waiters: Uint32Array
}

/** Where the parts of an index begin; each does on a multiple of eight. */
export function partsOf(headBytes: number, { offerBlocks, leasedBytes }: IndexHead) {
  const offersAt = wordBytes + padded(headBytes)
  const offerBytes = offerBlocks.reduce((sum, length) => sum + length, 0)
  const leasedAt = offersAt + padded(offerBytes)
  return { offersAt, offerBytes, leasedAt, sectionsAt: leasedAt + padded(leasedBytes) }
}

/** Checksum, length of the head, head, offers, leased rows, sections. */
export function joinedIndex(
  head: IndexHead,
  offers: Uint8Array,
  leased: Uint8Array,
  sections: Uint8Array,
): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(head))
  const { offersAt, leasedAt, sectionsAt } = partsOf(text.length, head)
  const bytes = new Uint8Array(sectionsAt + sections.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(4, text.length, true)
  bytes.set(text, wordBytes)
  bytes.set(offers, offersAt)
  bytes.set(leased, leasedAt)
  bytes.set(sections, sectionsAt)
  view.setUint32(0, checksum(bytes.subarray(4, sectionsAt)), true)
  return bytes
}

export function headIn(bytes: Uint8Array): IndexHead | undefined {
  try {
    const head: IndexHead = JSON.parse(new TextDecoder().decode(bytes))
    return head.format === format ? head : undefined
  } catch {
    return undefined
  }
}

export const sectionBytes = ({ issues, edges }: IndexHead) =>
  8 * issues + 2 * padded(4 * issues) + 2 * padded(4 * edges)

export function sectionsOf(bytes: Uint8Array, { issues, edges }: IndexHead): Sections {
  let at = bytes.byteOffset
  const words = (count: number) => {
    const section = new Uint32Array(bytes.buffer, at, count)
    at += padded(4 * count)
    return section
  }
  const places = new Float64Array(bytes.buffer, at, issues)
  at += 8 * issues
  return {
    places,
    hashes: words(issues),
    lengths: words(issues),
    targetHashes: words(edges),
    waiters: words(edges),
  }
}

const padding = (length: number) => (wordBytes - (length % wordBytes)) % wordBytes
export const padded = (length: number) => length + padding(length)

/** FNV-1a over UTF-16 units. Ids that clash are told apart by their rows. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return hash >>> 0
}
