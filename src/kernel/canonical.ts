/** One byte sequence per JSON value, and its digest. */
import { EmptyObject, type Json, JsonNumber, type JsonObject } from './json.ts'

export type Digest = `sha256:${string}`

/** SHA-256 of the UTF-8 bytes of a text, in lower-case hex. Handed in: the kernel knows no Node. */
export type Sha256 = (text: string) => string

/**
 * Keys in code-point order, no spaces, numbers by `number.ts`, everything but quotes, backslashes
 * and control characters raw. Like `JSON.stringify`, leaves out members that are `undefined`.
 */
export function canonicalJson(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (value instanceof JsonNumber) return value.text
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  let text = ''
  for (const key of sortedKeys(value)) {
    if (value[key] === undefined) continue
    text += `${text === '' ? '{' : ','}${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`
  }
  return text === '' ? '{}' : `${text}}`
}

/** The same value for people: two spaces, one member a line, keys in the same order. */
export function prettyJson(value: Json): string {
  return isInOrder(value) ? JSON.stringify(value, null, 2) : indented(value, '', sortedKeys)
}

/** The same with keys in the order they stand in, for files whose order says something. */
export function prettyAsOrdered(value: Json): string {
  return isPlain(value) ? JSON.stringify(value, null, 2) : indented(value, '', Object.keys)
}

/** Whether the native printer, which is many times faster, would print it canonically. */
function isInOrder(value: Json | undefined): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (value instanceof JsonNumber) return false
  if (isArray(value)) return value.every(isInOrder)
  let previous = ''
  for (const key in value) {
    if (key < previous || outsideBasicOrder.test(key) || !isInOrder(value[key])) return false
    previous = key
  }
  return true
}

/** Whether it would print all of it as it is spelled. */
function isPlain(value: Json | undefined): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (value instanceof JsonNumber) return false
  if (isArray(value)) return value.every(isPlain)
  for (const key in value) if (!isPlain(value[key])) return false
  return true
}

function indented(
  value: Json,
  indent: string,
  keysOf: (object: JsonObject) => readonly string[],
): string {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) {
    return canonicalJson(value)
  }
  const inner = `${indent}  `
  const members = isArray(value)
    ? value.map(item => indented(item, inner, keysOf))
    : keysOf(value)
        .filter(key => value[key] !== undefined)
        .map(key => `${JSON.stringify(key)}: ${indented(value[key] as Json, inner, keysOf)}`)
  const [open, close] = isArray(value) ? '[]' : '{}'
  if (members.length === 0) return `${open}${close}`
  return `${open}\n${inner}${members.join(`,\n${inner}`)}\n${indent}${close}`
}

export function digestOf(value: Json, sha256: Sha256): Digest {
  return `sha256:${sha256(canonicalJson(value))}`
}

const outsideBasicOrder = /[\ud800-\uffff]/

/**
 * Orders text by code points, which is the order of its UTF-8 bytes. JavaScript compares UTF-16
 * units and so puts U+1F600 before U+FFFF.
 */
export function byCodePoint(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Surrogates stand for code points above every other unit. */
const rank = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)

function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object)
  return keys.some(key => outsideBasicOrder.test(key)) ? keys.sort(byCodePoint) : keys.sort()
}

/** The value with its keys in canonical order, for free-form parts of a document that has its own. */
export function inKeyOrder(value: Json): Json {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value
  if (isArray(value)) return value.map(inKeyOrder)
  const ordered = new EmptyObject()
  for (const key of sortedKeys(value)) ordered[key] = inKeyOrder(value[key] as Json)
  return ordered
}

/** `Array.isArray` does not narrow readonly arrays. */
const isArray = (value: JsonObject | readonly Json[]): value is readonly Json[] =>
  Array.isArray(value)

/** How many bytes a text takes in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    // A surrogate is half of four bytes, so two; other units take one, two or three.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return bytes
}
