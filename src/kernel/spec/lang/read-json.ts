/**
 * Parses JSON into spec values. `JSON.parse` moves integer-like keys to the front, rounds large
 * integers and has no budget.
 */
import { floatOf } from './float.ts'
import { integerDigitsMax, integerIn } from './integer.ts'
import { type Meter, unlimitedMeter } from './meter.ts'
import { Failure, schemaFailure } from './spec-error.ts'
import type { SpecValue } from './value.ts'

const space = /[ \t\n\r]*/y
const word = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const quote = 0x22
const backslash = 0x5c
const firstPrintable = 0x20

/** A list or mapping that is not closed yet. */
type Open =
  | { readonly items: SpecValue[] }
  | { readonly members: Map<string, SpecValue>; key: string }

export function readJson(text: string, meter: Meter = unlimitedMeter()): SpecValue | Failure {
  return new Reader(text, meter).document()
}

class Reader {
  readonly #text: string
  readonly #meter: Meter
  readonly #open: Open[] = []
  #at = 0

  constructor(text: string, meter: Meter) {
    this.#text = text
    this.#meter = meter
  }

  document(): SpecValue | Failure {
    for (;;) {
      const value = this.#begin()
      if (value === opened) continue
      if (value instanceof Failure) return value
      const result = this.#settle(value)
      if (result !== opened) return result
    }
  }

  /** Returns a scalar, an empty container, or `opened` if an item follows. */
  #begin(): SpecValue | Failure | typeof opened {
    if (!this.#meter.allotItems(1)) return null
    const next = this.#peek()
    if (next === '[') {
      this.#at++
      if (this.#skip(']')) return []
      this.#open.push({ items: [] })
      return opened
    }
    if (next === '{') {
      this.#at++
      if (this.#skip('}')) return new Map()
      const key = this.#key()
      if (typeof key !== 'string') return key
      this.#open.push({ members: new Map(), key })
      return opened
    }
    return this.#scalar(next)
  }

  /** Adds a finished value to its container and closes finished containers. */
  #settle(finished: SpecValue): SpecValue | Failure | typeof opened {
    let value = finished
    for (;;) {
      const open = this.#open.at(-1)
      if (open === undefined) return this.#peek() === '' ? value : this.#unexpected()
      if ('items' in open) {
        open.items.push(value)
        if (this.#skip(',')) return opened
        if (!this.#skip(']')) return this.#unexpected()
        value = open.items
      } else {
        open.members.set(open.key, value)
        if (this.#skip(',')) {
          const key = this.#key()
          if (typeof key !== 'string') return key
          open.key = key
          return opened
        }
        if (!this.#skip('}')) return this.#unexpected()
        value = open.members
      }
      this.#open.pop()
    }
  }

  #key(): string | Failure {
    if (this.#peek() !== '"') return this.#unexpected()
    const key = this.#string()
    if (typeof key === 'string' && !this.#skip(':')) return this.#unexpected()
    return key
  }

  #scalar(next: string): SpecValue | Failure {
    if (next === '"') return this.#string()
    word.lastIndex = this.#at
    const lexeme = word.exec(this.#text)?.[0]
    if (lexeme === undefined) return this.#unexpected()
    this.#at += lexeme.length
    if (/^-?[0-9]+$/.test(lexeme)) return integerIn(lexeme) ?? tooLarge(lexeme)
    const value: null | boolean | number = JSON.parse(lexeme)
    if (typeof value !== 'number') return value
    return Number.isFinite(value) ? floatOf(value) : tooLarge(lexeme)
  }

  /** Scans each character once: a single regular expression would need a deep stack. */
  #string(): string | Failure {
    const start = this.#at
    let escapes = false
    for (;;) {
      const unit = this.#text.charCodeAt(++this.#at)
      if (unit === quote) break
      // Beyond the end the code is NaN, which compares false.
      if (!(unit >= firstPrintable)) return this.#unexpected()
      if (unit !== backslash) continue
      escaped.lastIndex = this.#at
      const found = escaped.exec(this.#text)?.[0]
      if (found === undefined) return this.#unexpected()
      this.#at += found.length - 1
      escapes = true
    }
    this.#at++
    if (!this.#meter.visitText(this.#at - start)) return ''
    return escapes
      ? JSON.parse(this.#text.slice(start, this.#at))
      : this.#text.slice(start + 1, this.#at - 1)
  }

  #peek(): string {
    space.lastIndex = this.#at
    this.#at += space.exec(this.#text)?.[0].length ?? 0
    return this.#text.charAt(this.#at)
  }

  #skip(character: string): boolean {
    if (this.#peek() !== character) return false
    this.#at++
    return true
  }

  #unexpected(): Failure {
    const place = this.#at >= this.#text.length ? 'its end' : `character ${this.#at + 1}`
    return schemaFailure(
      `spec_lang json_parse expects JSON; the text is malformed at ${place}`,
      'Make it JSON and nothing else, or assert on it as text.',
    )
  }
}

const opened = Symbol('opened')

function tooLarge(lexeme: string): Failure {
  const shown = lexeme.length > 40 ? `${lexeme.slice(0, 40)}…` : lexeme
  const limits = `Floats end at 1.8e308, integers at ${integerDigitsMax} digits.`
  return schemaFailure(`spec_lang json_parse cannot read ${shown}: the number is too large`, limits)
}
