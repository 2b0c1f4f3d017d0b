/** The order of ready work: priority, then id in natural order. */
import { byCodePoint } from '../canonical.ts'

/** `bd-2` before `bd-10`: runs of digits compare as numbers, everything else by code point. */
export function byNaturalId(a: string, b: string): number {
  let [left, right] = [0, 0]
  while (left < a.length && right < b.length) {
    if (isDigit(a, left) && isDigit(b, right)) {
      const [leftStart, rightStart] = [afterZeros(a, left), afterZeros(b, right)]
      const [leftEnd, rightEnd] = [afterDigits(a, leftStart), afterDigits(b, rightStart)]
      const order = leftEnd - leftStart - (rightEnd - rightStart)
      if (order !== 0) return order
      for (let at = 0; leftStart + at < leftEnd; at++) {
        const difference = a.charCodeAt(leftStart + at) - b.charCodeAt(rightStart + at)
        if (difference !== 0) return difference
      }
      left = leftEnd
      right = rightEnd
    } else if (a.charCodeAt(left) === b.charCodeAt(right)) {
      left++
      right++
    } else {
      return byCodePoint(a.slice(left), b.slice(right))
    }
  }
  // Ids with equal numbers (`bd-1`, `bd-01`) also need a fixed order.
  return a.length - left - (b.length - right) || byCodePoint(a, b)
}

function isDigit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0x30 && unit <= 0x39
}

/** Keeps the last zero, which is the number itself. */
function afterZeros(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) === 0x30 && isDigit(text, at + 1)) at++
  return at
}

function afterDigits(text: string, from: number): number {
  let at = from
  while (isDigit(text, at)) at++
  return at
}

interface Ranked {
  readonly id: string
  readonly priority: number
}

export const byRank = (a: Ranked, b: Ranked): number =>
  a.priority - b.priority || byNaturalId(a.id, b.id)

interface Counted<T> {
  readonly item: T
  readonly prefix: string
  readonly number: number
}

/** Ids in natural order, many at once. */
export const naturalList = <T extends { readonly id: string }>(items: readonly T[]): T[] =>
  rankedList(items.map(item => ({ id: item.id, priority: 0, item }))).map(({ item }) => item)

/** Two ordered sequences as one. Reads the first as far as the result is read. */
export function* merged<T>(
  left: Iterable<T>,
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Iterable<T> {
  let next = 0
  for (const item of left) {
    for (; next < right.length && compare(right[next] as T, item) < 0; next++) {
      yield right[next] as T
    }
    yield item
  }
  for (; next < right.length; next++) yield right[next] as T
}

/** Reads no more items than it returns. */
export function firstOf<T>(found: Iterable<T>, limit = Number.POSITIVE_INFINITY): T[] {
  const first: T[] = []
  if (limit < 1) return first
  for (const item of found) {
    first.push(item)
    if (first.length >= limit) break
  }
  return first
}

/** The same order for many issues: parses common id suffixes once. */
export function rankedList<T extends Ranked>(items: readonly T[]): T[] {
  const counted = items.map(item => {
    const [, prefix = '', digits = ''] = /^(.*?\D|)([1-9]\d{0,14})$/s.exec(item.id) ?? []
    return { item, prefix, number: digits === '' ? 0 : Number(digits) }
  })
  return counted.sort(byCount).map(({ item }) => item)
}

function byCount<T extends Ranked>(a: Counted<T>, b: Counted<T>): number {
  const order = a.item.priority - b.item.priority
  if (order !== 0) return order
  const comparable = a.prefix === b.prefix && a.number > 0 && b.number > 0
  return comparable ? a.number - b.number : byNaturalId(a.item.id, b.item.id)
}
