/**
 * Reads the text of a program. Nesting is bounded here, so that the compiler, which follows it, can
 * be recursive.
 */
import { quoted } from '../json.ts'
import { readNumber } from './numbers.ts'
import { ErrorAt } from './program-error.ts'
import { Failure, Hash, listOf, nil, Pair, Sym, type Value, Vector } from './value.ts'

/** Lists within lists. */
const nestingMax = 400
/** Characters of one program. */
export const programCharsMax = 1_000_000

export interface Source {
  readonly forms: readonly Value[]
  /** Where pairs and symbols stand, as offsets into the text. */
  readonly places: ReadonlyMap<Value, number>
}

/** A datum that is not complete yet. */
interface Open {
  readonly kind: 'list' | 'vector' | 'hash' | 'prefix' | 'comment'
  readonly at: number
  readonly close: string
  /** The name in front, such as `quote`. */
  readonly prefix?: string
  readonly items: Value[]
  /** After the dot of `(a . b)`. */
  tail?: Value | undefined
  hasDot?: boolean
}

const prefixes: Readonly<Record<string, string>> = {
  "'": 'quote',
  '`': 'quasiquote',
  ',': 'unquote',
  ',@': 'unquote-splicing',
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '"': '"',
  '\\': '\\',
}

const constants: Readonly<Record<string, Value>> = {
  '#t': true,
  '#true': true,
  '#f': false,
  '#false': false,
  '#null': null,
}

const blank = /\s+|;[^\n]*/y
const word = /[^\s()[\]"';`,]+/y
const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']' }

export function read(text: string): Source | ErrorAt {
  if (text.length > programCharsMax) {
    return new ErrorAt(0, `the program is longer than ${programCharsMax} characters`, 'Split it.')
  }
  if (!text.isWellFormed()) {
    return new ErrorAt(0, 'the program has half of a surrogate pair', 'Save it as UTF-8.')
  }
  return new Reader(text).program()
}

class Reader {
  readonly #text: string
  readonly #open: Open[] = []
  readonly #forms: Value[] = []
  readonly #places = new Map<Value, number>()
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  program(): Source | ErrorAt {
    for (;;) {
      const skipped = this.#skip()
      if (skipped !== undefined) return skipped
      if (this.#at >= this.#text.length) break
      const error = this.#next()
      if (error !== undefined) return error
      if (this.#open.length > nestingMax) {
        const hint = 'Define parts of it by name.'
        return this.#error(`lists are nested more than ${nestingMax} deep`, hint)
      }
    }
    const open = this.#open.at(-1)
    if (open === undefined) return { forms: this.#forms, places: this.#places }
    const wanted = open.close === '' ? 'a value' : open.close
    const what = `the program ends before ${wanted}`
    return new ErrorAt(open.at, what, 'Complete the form that begins here.', true)
  }

  /** Skips blanks and comments. */
  #skip(): ErrorAt | undefined {
    for (;;) {
      blank.lastIndex = this.#at
      const found = blank.exec(this.#text)
      if (found !== null) this.#at += found[0].length
      else if (!this.#text.startsWith('#|', this.#at)) return undefined
      else if (!this.#skipBlock()) {
        const what = 'a comment #| is never closed'
        return new ErrorAt(this.#at, what, 'Close it with |#.', true)
      }
    }
  }

  #skipBlock(): boolean {
    let depth = 1
    let at = this.#at + 2
    while (depth > 0) {
      const close = this.#text.indexOf('|#', at)
      if (close === -1) return false
      const open = this.#text.indexOf('#|', at)
      const isOpening = open !== -1 && open < close
      depth += isOpening ? 1 : -1
      at = (isOpening ? open : close) + 2
    }
    this.#at = at
    return true
  }

  #next(): ErrorAt | undefined {
    const at = this.#at
    const next = this.#text[at] as string
    const close = closers[next]
    if (close !== undefined) return this.#begin({ kind: 'list', at, close, items: [] }, 1)
    if (next === ')' || next === ']') return this.#end(next)
    if (next === '"') return this.#string()
    const mark = this.#text.startsWith(',@', at) ? ',@' : next
    const prefix = prefixes[mark]
    if (prefix !== undefined) {
      return this.#begin({ kind: 'prefix', at, close: '', prefix, items: [] }, mark.length)
    }
    if (next === '#') {
      for (const [start, kind] of hashStarts) {
        if (!this.#text.startsWith(start, at)) continue
        const closing = kind === 'comment' ? '' : ')'
        return this.#begin({ kind, at, close: closing, items: [] }, start.length)
      }
    }
    return this.#atom()
  }

  #begin(open: Open, length: number): undefined {
    this.#open.push(open)
    this.#at += length
  }

  #end(close: string): ErrorAt | undefined {
    const open = this.#open.at(-1)
    if (open === undefined) {
      return this.#error(`${close} closes nothing`, 'Remove it, or open the form.')
    }
    if (open.close !== close) {
      const wanted = open.close === '' ? 'a value' : open.close
      return this.#error(`${close} stands where ${wanted} should`, 'Balance the parentheses.')
    }
    if (open.hasDot && open.tail === undefined) {
      return this.#error('no value follows the dot', 'Write (a . b).')
    }
    this.#at++
    this.#open.pop()
    const { items, kind, at, tail = nil } = open
    if (kind === 'vector') return this.#add(new Vector(items))
    if (kind === 'hash') return this.#hash(items, at)
    const list = listOf(items, tail)
    this.#places.set(list, at)
    return this.#add(list)
  }

  #hash(items: readonly Value[], at: number): ErrorAt | undefined {
    const entries = new Map<string, Value>()
    for (const item of items) {
      const key = item instanceof Pair ? item.car : undefined
      if (!(item instanceof Pair) || typeof key !== 'string') {
        const hint = 'Write #hash(("key" . value)), or call (hash "key" value).'
        return new ErrorAt(at, 'a hash map needs pairs of a string and a value', hint)
      }
      entries.set(key, item.cdr)
    }
    return this.#add(new Hash(entries))
  }

  #atom(): ErrorAt | undefined {
    const at = this.#at
    word.lastIndex = at
    const text = word.exec(this.#text)?.[0] ?? ''
    const open = this.#open.at(-1)
    if (text === '.' && open?.kind === 'list' && open.items.length > 0 && !open.hasDot) {
      open.hasDot = true
      this.#at++
      return undefined
    }
    if (text === '' || text === '.') {
      return this.#error('a dot stands alone', 'Write (a . b) with spaces around it.')
    }
    this.#at += text.length
    const constant = Object.hasOwn(constants, text) ? constants[text] : undefined
    if (constant !== undefined) return this.#add(constant)
    if (text.startsWith('#')) {
      const hint = 'Known are #t, #f, #null, #( ), #hash( ), #; and #| |#.'
      return new ErrorAt(at, `unknown syntax ${quoted(text)}`, hint)
    }
    const number = readNumber(text)
    if (number instanceof Failure) {
      return new ErrorAt(at, `${quoted(text)}: ${number.message}`, number.hint ?? '')
    }
    if (number !== undefined) return this.#add(number)
    const symbol = new Sym(text)
    this.#places.set(symbol, at)
    return this.#add(symbol)
  }

  #string(): ErrorAt | undefined {
    const start = this.#at
    let text = ''
    let at = start + 1
    for (;;) {
      const next = this.#text[at]
      if (next === undefined) {
        return new ErrorAt(start, 'a string is never closed', 'Close it with a quote.', true)
      }
      if (next === '"') break
      if (next !== '\\') {
        const end = this.#text.slice(at).search(/["\\]/)
        const piece = end === -1 ? this.#text.slice(at) : this.#text.slice(at, at + end)
        text += piece
        at += piece.length
        continue
      }
      const escaped = readEscape(this.#text, at)
      if (escaped === undefined) {
        const hint = 'Known escapes: \\n \\t \\r \\" \\\\ and \\x41; for a code point.'
        return new ErrorAt(at, 'an unknown escape in a string', hint)
      }
      text += escaped.text
      at += escaped.length
    }
    this.#at = at + 1
    return this.#add(text)
  }

  /** Adds a datum to the form around it. It may complete prefixes, which are data in turn. */
  #add(datum: Value): ErrorAt | undefined {
    let value = datum
    for (;;) {
      const open = this.#open.at(-1)
      if (open === undefined) {
        this.#forms.push(value)
        return undefined
      }
      if (open.kind === 'comment') {
        this.#open.pop()
        return undefined
      }
      if (open.kind !== 'prefix') {
        if (open.hasDot && open.tail !== undefined) {
          return this.#error('more than one value follows the dot', 'Write (a . b).')
        }
        if (open.hasDot) open.tail = value
        else open.items.push(value)
        return undefined
      }
      this.#open.pop()
      const name = new Sym(open.prefix ?? '')
      value = listOf([name, value])
      this.#places.set(name, open.at)
      this.#places.set(value, open.at)
    }
  }

  #error(message: string, hint: string): ErrorAt {
    return new ErrorAt(this.#at, message, hint)
  }
}

const hashStarts: readonly (readonly [string, Open['kind']])[] = [
  ['#(', 'vector'],
  ['#hash(', 'hash'],
  ['#;', 'comment'],
]

/** `\n`, or `\x1F600;` for a code point. */
function readEscape(text: string, at: number): { text: string; length: number } | undefined {
  const known = escapes[text[at + 1] ?? '']
  if (known !== undefined) return { text: known, length: 2 }
  const [all = '', hex = ''] = /^\\x([0-9a-fA-F]{1,6});/.exec(text.slice(at, at + 10)) ?? []
  const point = all === '' ? -1 : Number.parseInt(hex, 16)
  const isCharacter = point >= 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff)
  return isCharacter ? { text: String.fromCodePoint(point), length: all.length } : undefined
}
