/**
 * Translates a pattern for each regex engine. Patterns mean the same in all of them: `.` matches
 * all but LF, `$` matches at the end or before a final LF,
 * `\Z` matches only at the end, `\d \w \s` follow Unicode, `\b` follows ASCII.
 */
import { classBody, notClass, PatternText } from './pattern-text.ts'
import type { SpecError } from './spec-error.ts'

interface Translation {
  /** For the linear-time engine; `undefined` if it lacks a feature. */
  readonly linear: string | undefined
  /** For JavaScript; `undefined` if it lacks a feature. */
  readonly native: { readonly source: string; readonly flags: string } | undefined
  /** Zero-width assertions in the pattern. */
  readonly asks: ReadonlySet<PatternQuestion>
}

/** Kinds of assertions: start, end, word boundary, lookaround. */
type PatternQuestion = 'start' | 'end' | 'word' | 'around'

/** Longer patterns are refused. */
const lengthMax = 20_000
/** Nesting limit for groups, because engines recurse. */
const depthMax = 200

export function translatePattern(pattern: string): Translation | SpecError {
  if (pattern.length > lengthMax) return invalidPattern(pattern, 'it is too long')
  return new Translator(pattern).translate()
}

export function invalidPattern(pattern: string, why: string): SpecError {
  const shown = pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern
  return { category: 'schema', message: `spec_lang regex ${JSON.stringify(shown)}: ${why}` }
}

/** An open group. The linear engine has no lookahead, so nothing may follow `$`. */
interface Group {
  /** The current alternative ends in `$`; an earlier one does. */
  endsHere: boolean
  endedBefore: boolean
}

const unsupported: readonly (readonly [string, string])[] = [
  ['(?>', 'atomic groups are not supported'],
  ['(?(', 'conditional groups are not supported'],
  ['(?|', 'branch resets are not supported'],
  ['(?R', 'recursion is not supported'],
  ['(?P>', 'recursion is not supported'],
]

const looksAround = ['(?=', '(?!', '(?<=', '(?<!']
const leadingFlags = /\(\?([a-zA-Z]+)\)/y
const scopedFlags = /\(\?(-?i):/y
const namedGroup = /\(\?P?<([A-Za-z_]\w*)>/y
const namedReference = /\(\?P=([A-Za-z_]\w*)\)/y
const comment = /\(\?#[^)]*\)/y
const quantifier = /[*+?]|\{(\d*)(,?)(\d*)\}/y

class Translator {
  readonly #text: PatternText
  readonly #pattern: string
  readonly #groups: Group[] = [{ endsHere: false, endedBefore: false }]
  #linear = ''
  #native = ''
  readonly #asks = new Set<PatternQuestion>()
  #isLinear = true
  #isNative = true
  #ignoreCase = false
  #multiline = false
  #dotAll = false
  /** The last atom was a group that ends in `$`. */
  #closedAtEnd = false
  #error: string | undefined

  constructor(pattern: string) {
    this.#pattern = pattern
    this.#text = new PatternText(pattern)
  }

  translate(): Translation | SpecError {
    this.#flags()
    while (!this.#text.isAtEnd && this.#error === undefined) this.#next()
    if (this.#error === undefined && this.#groups.length > 1) this.#error = 'unclosed ('
    if (this.#error !== undefined) return invalidPattern(this.#pattern, this.#error)
    if (!this.#isLinear && !this.#isNative) {
      return invalidPattern(this.#pattern, 'no engine supports this combination of features')
    }
    const flags = this.#ignoreCase ? 'iv' : 'v'
    const prefix = this.#ignoreCase ? '(?i)' : ''
    return {
      linear: this.#isLinear ? prefix + this.#linear : undefined,
      native: this.#isNative ? { source: this.#native, flags } : undefined,
      asks: this.#asks,
    }
  }

  #flags(): void {
    const found = this.#text.take(leadingFlags)?.[1] ?? ''
    this.#ignoreCase = found.includes('i')
    this.#multiline = found.includes('m')
    this.#dotAll = found.includes('s')
    const unknown = /[^imsu]/.exec(found)?.[0]
    if (unknown !== undefined) this.#error = `the flag ${unknown} is not supported`
  }

  #next(): void {
    const text = this.#text
    if (text.skip('|')) this.#alternative()
    else if (text.skip(')')) this.#close()
    else if (text.peek() === '(') this.#group()
    else if (this.#quantified()) return
    else if (text.skip('$')) this.#end()
    else this.#atom()
  }

  #atom(): void {
    this.#follow()
    const text = this.#text
    if (text.skip('^')) {
      this.#asks.add('start')
      if (this.#multiline) this.#emit('(?<![^\\n])', '(?m:^)')
      else this.#emit('^', '\\A')
    } else if (text.skip('.')) {
      this.#emit(this.#dotAll ? '[\\s\\S]' : '[^\\n]', this.#dotAll ? '(?s:.)' : '[^\\n]')
    } else if (text.skip('[')) this.#class()
    else if (text.skip('\\')) this.#escape()
    else this.#literal(text.point())
  }

  #literal(point: number): void {
    const plain = /[\p{L}\p{N}]/u.test(String.fromCodePoint(point))
    if (plain) this.#emit(String.fromCodePoint(point))
    else this.#emit(`\\u{${point.toString(16)}}`, `\\x{${point.toString(16)}}`)
  }

  /** `$`: the linear engine consumes a final LF instead of looking ahead. */
  #end(): void {
    this.#follow()
    this.#asks.add('end')
    if (this.#multiline) {
      this.#emit('(?![^\\n])', '(?m:$)')
      return
    }
    this.#emit('(?=\\n?$)', '(?:\\n?\\z)')
    this.#here.endsHere = true
  }

  #escape(): void {
    const text = this.#text
    const escaped = text.escape('outside')
    if (typeof escaped === 'string') this.#error = escaped
    else if (escaped.kind === 'point') this.#literal(escaped.point)
    else if (escaped.kind === 'anchor') this.#anchor(escaped.letter)
    else if (escaped.kind === 'reference') {
      this.#isLinear = false
      this.#emit(escaped.text)
    } else if (escaped.kind === 'property') this.#emit(escaped.text)
    else this.#emit(escaped.inverted ? notClass(escaped.set) : `[${classBody(escaped.set)}]`)
  }

  #anchor(letter: string): void {
    const asks = letter === 'A' ? 'start' : /[Zz]/.test(letter) ? 'end' : 'word'
    this.#asks.add(asks)
    if (asks === 'start') this.#emit('^', '\\A')
    else if (asks === 'end') this.#emit('$', '\\z')
    else this.#emit(`\\${letter}`)
  }

  #class(): void {
    const read = this.#text.characterClass()
    if (typeof read === 'string') {
      this.#error = read
      return
    }
    const { inverted, native, linear, inverses } = read
    const start = inverted ? '[^' : '['
    const nested = inverses.map(notClass)
    if (inverses.length === 0) this.#emit(`${start}${native}]`, `${start}${linear}]`)
    else {
      // The linear engine has no nested classes.
      if (inverted) this.#isLinear = false
      const beside = linear === '' ? nested : [`[${linear}]`, ...nested]
      this.#emit(`${start}${native}${nested.join('')}]`, `(?:${beside.join('|')})`)
    }
  }

  #group(): void {
    const text = this.#text
    if (text.take(comment)) return
    this.#follow()
    const refused = unsupported.find(([start]) => text.startsWith(start))
    const reference = text.take(namedReference)?.[1]
    if (refused !== undefined) this.#error = refused[1]
    else if (reference !== undefined) {
      this.#isLinear = false
      this.#emit(`\\k<${reference}>`)
    } else this.#open()
  }

  #open(): void {
    const text = this.#text
    const around = looksAround.find(start => text.startsWith(start))
    const name = around === undefined ? text.take(namedGroup)?.[1] : undefined
    const scoped = text.take(scopedFlags)?.[1]
    if (around !== undefined) {
      this.#asks.add('around')
      this.#isLinear = false
      text.skip(around)
      this.#emit(around)
    } else if (name !== undefined) this.#emit(`(?<${name}>`, `(?P<${name}>`)
    else if (scoped !== undefined) {
      this.#isNative = false
      this.#emit(`(?${scoped}:`)
    } else if (text.skip('(?:')) this.#emit('(?:')
    else if (text.startsWith('(?')) this.#error = `${text.shown()} is not supported here`
    else {
      text.skip('(')
      this.#emit('(')
    }
    this.#groups.push({ endsHere: false, endedBefore: false })
    if (this.#groups.length > depthMax) this.#error = 'its groups are nested too deep'
  }

  #close(): void {
    if (this.#groups.length === 1) {
      this.#error = 'a ) closes nothing'
      return
    }
    const { endsHere, endedBefore } = this.#here
    this.#groups.pop()
    this.#emit(')')
    this.#closedAtEnd = endsHere || endedBefore
    this.#here.endsHere ||= this.#closedAtEnd
  }

  #alternative(): void {
    const group = this.#here
    group.endedBefore ||= group.endsHere
    group.endsHere = false
    this.#closedAtEnd = false
    this.#emit('|')
  }

  /** Parses a quantifier, if there is one. Any other brace is a literal. */
  #quantified(): boolean {
    const [found, least, comma, most] = this.#text.take(quantifier) ?? []
    if (found === undefined) return false
    if (found === '{}') {
      this.#follow()
      for (const point of [0x7b, 0x7d]) this.#literal(point)
      return true
    }
    if (this.#closedAtEnd) this.#isLinear = false
    const lazy = this.#text.skip('?') ? '?' : ''
    if (this.#text.peek() === '+') this.#error = 'possessive quantifiers are not supported'
    const counted = found.startsWith('{')
    this.#emit(`${counted ? `{${least || 0}${comma}${most}}` : found}${lazy}`)
    return true
  }

  /** Something follows, so an earlier `$` is not at the end. */
  #follow(): void {
    if (this.#here.endsHere) this.#isLinear = false
    this.#closedAtEnd = false
  }

  get #here(): Group {
    return this.#groups.at(-1) as Group
  }

  #emit(native: string, linear = native): void {
    this.#native += native
    this.#linear += linear
  }
}
