/** Text by code point. White space is Unicode's plus four control separators. */
import { isSpace as isWhiteSpace } from '../../text/clean.ts'

const isSpace = (unit: number): boolean => isWhiteSpace(unit) || (unit >= 0x1c && unit <= 0x1f)

export function trimSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

/** All words, or as many as the caller wants. */
export function wordsOf(text: string, goesOn: () => boolean): string[] {
  const words: string[] = []
  let start = -1
  for (let at = 0; at <= text.length && goesOn(); at++) {
    const inside = at < text.length && !isSpace(text.charCodeAt(at))
    if (inside && start < 0) start = at
    if (!inside && start >= 0) {
      words.push(text.slice(start, at))
      start = -1
    }
  }
  return words
}

const isFirstHalf = (unit: number) => unit >= 0xd800 && unit <= 0xdbff
const isSecondHalf = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

const isPairAt = (text: string, at: number) =>
  isFirstHalf(text.charCodeAt(at)) && isSecondHalf(text.charCodeAt(at + 1))

export function countPoints(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    if (isPairAt(text, at)) {
      count--
      at++
    }
  }
  return count
}

export function firstPoints(text: string, count: number): string {
  if (count >= text.length) return text
  let at = 0
  for (let taken = 0; taken < count && at < text.length; taken++) at += isPairAt(text, at) ? 2 : 1
  return text.slice(0, at)
}

export function lastPoints(text: string, count: number): string {
  if (count >= text.length) return text
  let at = text.length
  for (let taken = 0; taken < count && at > 0; taken++) at -= isPairAt(text, at - 2) ? 2 : 1
  return text.slice(at)
}
