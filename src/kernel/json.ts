/**
 * JSON as values that lose nothing a digest needs. `JSON.parse` forgets how a number was written,
 * keeps the last of two equal keys without a word and overflows on deep nesting; the gate must
 * notice all three.
 */
import { Fault } from '../fault.ts'
import { canonicalNumber, isPlainInteger } from './number.ts'

/** A number whose canonical text is not what JavaScript would print (`1.0`, `-0`, 23 digits). */
export class JsonNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  valueOf(): number {
    return Number(this.text)
  }
}

export type Json = null | boolean | number | string | JsonNumber | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

/** Containers within containers; one more is refused, as the reference's reader does. */
export const jsonDepthMax = 127

/** Has no inherited names, so `__proto__` and `constructor` are keys like any other. */
export const EmptyObject = function EmptyObject() {} as unknown as new () => Record<string, Json>
EmptyObject.prototype = Object.create(null)

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof JsonNumber)
  )
}

/** A number of any spelling as JavaScript computes with it. */
export function numberOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value
  return value instanceof JsonNumber ? Number(value.text) : undefined
}

export type FreeKeys = ReadonlyMap<string, ReadonlySet<string>>

interface ParseOptions {
  /**
   * Where somebody's free-form data stands, by the list whose rows carry it: inside, the last of
   * two equal keys wins.
   */
  readonly freeKeys?: FreeKeys
  /** Our own text: numbers are canonical already, and reading them anew would misread them anew. */
  readonly numbersAreCanonical?: boolean
  /** Which line of a larger text this one is, for places in faults. */
  readonly line?: number
  /** The text is one line, and whoever tells of the fault says which: its column is enough. */
  readonly isLine?: boolean
}

/** Reads one JSON document. Throws a `Fault` that knows line and column. */
export function parseJson(text: string, options: ParseOptions = {}): Json {
  return new Reader(text, options).document()
}

const noFreeKeys: FreeKeys = new Map()

const code = {
  tab: 0x09,
  lineFeed: 0x0a,
  carriageReturn: 0x0d,
  space: 0x20,
  quote: 0x22,
  comma: 0x2c,
  minus: 0x2d,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

class Reader {
  readonly #text: string
  readonly #freeKeys: FreeKeys
  readonly #numbersAreCanonical: boolean
  readonly #firstLine: number
  readonly #isLine: boolean
  #at = 0
  #depth = 0
  /** How many free-form values enclose the cursor. */
  #free = 0

  constructor(text: string, options: ParseOptions) {
    this.#text = text
    this.#freeKeys = options.freeKeys ?? noFreeKeys
    this.#numbersAreCanonical = options.numbersAreCanonical ?? false
    this.#firstLine = options.line ?? 1
    this.#isLine = options.isLine ?? false
  }

  document(): Json {
    if (!this.#text.isWellFormed()) {
      throw this.#fault('half of a surrogate pair', this.#text.search(loneSurrogate))
    }
    const value = this.#value()
    this.#skipSpace()
    if (this.#at < this.#text.length) throw this.#fault(`${this.#here()} after the document's end`)
    return value
  }

  #value(): Json {
    this.#skipSpace()
    const text = this.#text
    const next = text.charCodeAt(this.#at)
    if (next === code.quote) return this.#string()
    if (next === code.openBrace) return this.#object(undefined)
    if (next === code.openBracket) return this.#array(undefined)
    if (next === code.minus || (next >= code.zero && next <= code.nine)) return this.#number()
    if (text.startsWith('true', this.#at)) return this.#word('true', true)
    if (text.startsWith('false', this.#at)) return this.#word('false', false)
    if (text.startsWith('null', this.#at)) return this.#word('null', null)
    throw this.#fault(`${this.#here()} where a value should be`)
  }

  #word<T>(word: string, value: T): T {
    this.#at += word.length
    return value
  }

  /** `freeHere`: keys of this object whose values are free-form. */
  #object(freeHere: ReadonlySet<string> | undefined): JsonObject {
    this.#enter()
    const object = new EmptyObject()
    this.#at++
    this.#skipSpace()
    if (this.#text.charCodeAt(this.#at) === code.closeBrace) return this.#leave(object)
    for (;;) {
      this.#skipSpace()
      const keyAt = this.#at
      if (this.#text.charCodeAt(keyAt) !== code.quote) {
        throw this.#fault(`${this.#here()} where a key should be`)
      }
      const key = this.#string()
      if (this.#free === 0 && object[key] !== undefined) {
        throw this.#fault(`the key ${quoted(key)} is given twice`, keyAt)
      }
      this.#skipSpace()
      if (this.#text.charCodeAt(this.#at) !== code.colon) {
        throw this.#fault(`${this.#here()} where a colon should be`)
      }
      this.#at++
      object[key] = freeHere?.has(key) ? this.#freeValue() : this.#memberValue(key)
      this.#skipSpace()
      const next = this.#text.charCodeAt(this.#at)
      if (next === code.closeBrace) return this.#leave(object)
      if (next !== code.comma) throw this.#fault(`${this.#here()} where , or } should be`)
      this.#at++
    }
  }

  /** The value of a member: a list may be one whose rows carry free-form data. */
  #memberValue(key: string): Json {
    const freeInRows = this.#freeKeys.get(key)
    if (freeInRows === undefined) return this.#value()
    this.#skipSpace()
    const isList = this.#text.charCodeAt(this.#at) === code.openBracket
    return isList ? this.#array(freeInRows) : this.#value()
  }

  #freeValue(): Json {
    this.#free++
    const value = this.#value()
    this.#free--
    return value
  }

  #array(freeInRows: ReadonlySet<string> | undefined): readonly Json[] {
    this.#enter()
    const items: Json[] = []
    this.#at++
    this.#skipSpace()
    if (this.#text.charCodeAt(this.#at) === code.closeBracket) return this.#leave(items)
    for (;;) {
      items.push(this.#itemValue(freeInRows))
      this.#skipSpace()
      const next = this.#text.charCodeAt(this.#at)
      if (next === code.closeBracket) return this.#leave(items)
      if (next !== code.comma) throw this.#fault(`${this.#here()} where , or ] should be`)
      this.#at++
    }
  }

  #itemValue(freeInRows: ReadonlySet<string> | undefined): Json {
    if (freeInRows === undefined) return this.#value()
    this.#skipSpace()
    const isRow = this.#text.charCodeAt(this.#at) === code.openBrace
    return isRow ? this.#object(freeInRows) : this.#value()
  }

  #enter(): void {
    if (++this.#depth > jsonDepthMax) {
      throw this.#fault(`nested more than ${jsonDepthMax} levels deep`)
    }
  }

  #leave<T>(container: T): T {
    this.#depth--
    this.#at++
    return container
  }

  #string(): string {
    const text = this.#text
    const start = this.#at + 1
    let end = start
    for (;;) {
      const next = text.charCodeAt(end)
      if (next === code.quote) {
        this.#at = end + 1
        return text.slice(start, end)
      }
      if (next === code.backslash) return this.#escapedString(start, end)
      // NaN, past the end, is neither above nor below: it lands here too.
      if (!(next >= code.space)) throw this.#unfinished(end)
      end++
    }
  }

  #escapedString(start: number, firstEscape: number): string {
    const text = this.#text
    let value = text.slice(start, firstEscape)
    let at = firstEscape
    let hasUnicodeEscape = false
    for (;;) {
      const next = text.charCodeAt(at)
      if (next === code.quote) break
      if (next === code.backslash) {
        const letter = text.charAt(at + 1)
        if (letter === 'u') {
          value += this.#unicodeEscape(at)
          hasUnicodeEscape = true
          at += 6
        } else {
          const meant = escapes[letter]
          if (meant === undefined) throw this.#fault(`the unknown escape \\${letter}`, at)
          value += meant
          at += 2
        }
        continue
      }
      if (!(next >= code.space)) throw this.#unfinished(at)
      const runStart = at
      for (
        let peek = next;
        peek !== code.quote && peek !== code.backslash && peek >= code.space;
      ) {
        peek = text.charCodeAt(++at)
      }
      value += text.slice(runStart, at)
    }
    if (hasUnicodeEscape && !value.isWellFormed()) {
      throw this.#fault('a string with half of a surrogate pair', start - 1)
    }
    this.#at = at + 1
    return value
  }

  #unicodeEscape(at: number): string {
    const digits = this.#text.slice(at + 2, at + 6)
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#fault('a \\u without four hex digits', at)
    return String.fromCharCode(Number.parseInt(digits, 16))
  }

  #number(): number | JsonNumber {
    numberPattern.lastIndex = this.#at
    const lexeme = numberPattern.exec(this.#text)?.[0]
    if (lexeme === undefined) throw this.#fault('an incomplete number')
    const after = this.#text.charAt(this.#at + lexeme.length)
    if (/[0-9.eE+-]/.test(after)) throw this.#fault(`a malformed number, ${lexeme}${after}…`)
    const value = isPlainInteger(lexeme) ? Number(lexeme) : new JsonNumber(this.#exotic(lexeme))
    this.#at += lexeme.length
    return value
  }

  #exotic(lexeme: string): string {
    if (this.#numbersAreCanonical) return lexeme
    const text = canonicalNumber(lexeme)
    if (text === undefined) throw this.#fault(`the number ${lexeme.slice(0, 40)} is out of range`)
    return text
  }

  #skipSpace(): void {
    const text = this.#text
    for (;;) {
      const next = text.charCodeAt(this.#at)
      if (
        next !== code.space &&
        next !== code.lineFeed &&
        next !== code.carriageReturn &&
        next !== code.tab
      ) {
        return
      }
      this.#at++
    }
  }

  #here(): string {
    if (this.#at >= this.#text.length) return 'the end of the text'
    const point = this.#text.codePointAt(this.#at) ?? 0
    const visible = point > 0x20 && point < 0x7f
    return visible ? quoted(String.fromCodePoint(point)) : `U+${hex(point)}`
  }

  #unfinished(at: number): Fault {
    if (at >= this.#text.length) return this.#fault('a string that is never closed', at)
    return this.#fault('a raw control character in a string (write it as an escape)', at)
  }

  #fault(what: string, at = this.#at): Fault {
    const before = this.#text.slice(0, at)
    const line = before.split('\n').length + this.#firstLine - 1
    const column = at - before.lastIndexOf('\n')
    const place = this.#isLine ? `column ${column}` : `line ${line}, column ${column}`
    return new Fault('invalid_input', `not readable as JSON: ${what}, at ${place}`, {
      hint: 'Fix the document at that place and run again.',
      detail: { line, column },
    })
  }
}

const hex = (point: number) => point.toString(16).toUpperCase().padStart(4, '0')

/** A piece of somebody's text inside a message: escaped, and never longer than a line. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}

/** For texts that need not be JSON: `undefined` where one is not. */
export function jsonIn(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
