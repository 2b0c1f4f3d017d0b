/**
 * Translates a pattern for each regex engine. Patterns mean the same in all of them: `.` matches
 * all but LF, `$` matches at the end or before a final LF,
 * `\Z` matches only at the end, `\d \w \s \b` follow Unicode, and a reference to a group that did
 * not match fails.
 */
import { classBody, notClass, PatternText } from './pattern-text.ts'
import type { SpecError } from './spec-error.ts'

interface Translation {
  /** For the linear-time engine; `undefined` if it lacks a feature. */
  readonly linear: string | undefined
  /** True if the linear translation is right for ASCII texts only: its `\b` knows ASCII letters. */
  readonly linearNeedsAscii: boolean
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
  /** Its number, or `undefined` if it does not capture. */
  readonly number?: number
  /** The current alternative ends in `$`; an earlier one does. */
  endsHere: boolean
  endedBefore: boolean
  /** Groups that have certainly matched here, and those that earlier alternatives share. */
  matched: ReadonlySet<number>
  shared?: ReadonlySet<number>
  /** What had matched when the group was opened. */
  readonly before: ReadonlySet<number>
  /** Its groups tell nothing about the text that follows. */
  readonly isNegated: boolean
}

const none: ReadonlySet<number> = new Set()

const openGroup = (before: ReadonlySet<number>, isNegated = false, number?: number): Group => ({
  ...(number !== undefined && { number }),
  endsHere: false,
  endedBefore: false,
  matched: before,
  before,
  isNegated,
})

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
  readonly #groups: Group[] = [openGroup(none)]
  #groupCount = 0
  readonly #groupNames = new Map<string, number>()
  /** What had matched before the last atom, which a quantifier may make optional. */
  #beforeAtom: ReadonlySet<number> = none
  #linear = ''
  #native = ''
  readonly #asks = new Set<PatternQuestion>()
  #isLinear = true
  #linearNeedsAscii = false
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
      linearNeedsAscii: this.#linearNeedsAscii,
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
    else if (escaped.kind === 'reference') this.#reference(escaped.group)
    else if (escaped.kind === 'property') this.#emit(escaped.text)
    else this.#emit(escaped.inverted ? notClass(escaped.set) : `[${classBody(escaped.set)}]`)
  }

  #anchor(letter: string): void {
    const asks = letter === 'A' ? 'start' : /[Zz]/.test(letter) ? 'end' : 'word'
    this.#asks.add(asks)
    if (asks === 'start') this.#emit('^', '\\A')
    else if (asks === 'end') this.#emit('$', '\\z')
    else {
      this.#linearNeedsAscii = true
      this.#emit(letter === 'b' ? wordBoundary : noWordBoundary, `\\${letter}`)
    }
  }

  /** JavaScript takes a group that did not match for empty text. At the end, only that matches. */
  #reference(group: string): void {
    this.#isLinear = false
    const number = this.#groupNames.get(group) ?? Number(group)
    const again = Number.isNaN(Number(group)) ? `\\k<${group}>` : `(?:\\${group})`
    const hasMatched = this.#here.matched.has(number)
    this.#emit(hasMatched ? again : `(?:${again}(?=[\\s\\S]*$(?!${again})))`)
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
    else if (reference !== undefined) this.#reference(reference)
    else this.#open()
  }

  #open(): void {
    const text = this.#text
    const around = looksAround.find(start => text.startsWith(start))
    const name = around === undefined ? text.take(namedGroup)?.[1] : undefined
    const scoped = text.take(scopedFlags)?.[1]
    let number: number | undefined
    if (around !== undefined) {
      this.#asks.add('around')
      this.#isLinear = false
      text.skip(around)
      this.#emit(around)
    } else if (name !== undefined) {
      number = ++this.#groupCount
      this.#groupNames.set(name, number)
      this.#emit(`(?<${name}>`, `(?P<${name}>`)
    } else if (scoped !== undefined) {
      this.#isNative = false
      this.#emit(`(?${scoped}:`)
    } else if (text.skip('(?:')) this.#emit('(?:')
    else if (text.startsWith('(?')) this.#error = `${text.shown()} is not supported here`
    else {
      text.skip('(')
      number = ++this.#groupCount
      this.#emit('(')
    }
    this.#groups.push(openGroup(this.#here.matched, around?.endsWith('!'), number))
    if (this.#groups.length > depthMax) this.#error = 'its groups are nested too deep'
  }

  #close(): void {
    if (this.#groups.length === 1) {
      this.#error = 'a ) closes nothing'
      return
    }
    const { endsHere, endedBefore, number, before, isNegated, ...closed } = this.#here
    this.#groups.pop()
    this.#emit(')')
    const inside = isNegated ? before : sharedBy(closed.shared, closed.matched)
    this.#beforeAtom = before
    this.#here.matched = number === undefined ? inside : new Set([...inside, number])
    this.#closedAtEnd = endsHere || endedBefore
    this.#here.endsHere ||= this.#closedAtEnd
  }

  #alternative(): void {
    const group = this.#here
    group.endedBefore ||= group.endsHere
    group.endsHere = false
    group.shared = sharedBy(group.shared, group.matched)
    group.matched = group.before
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
    const isOptional = counted ? Number(least) === 0 : found !== '+'
    if (isOptional) this.#here.matched = this.#beforeAtom
    this.#emit(`${counted ? `{${least || 0}${comma}${most}}` : found}${lazy}`)
    return true
  }

  /** Something follows, so an earlier `$` is not at the end. */
  #follow(): void {
    if (this.#here.endsHere) this.#isLinear = false
    this.#closedAtEnd = false
    this.#beforeAtom = this.#here.matched
  }

  get #here(): Group {
    return this.#groups.at(-1) as Group
  }

  #emit(native: string, linear = native): void {
    this.#native += native
    this.#linear += linear
  }
}

const sharedBy = (one: ReadonlySet<number> | undefined, other: ReadonlySet<number>) =>
  one === undefined ? other : new Set([...one].filter(number => other.has(number)))

/** JavaScript's `\b` knows ASCII letters only. */
const word = `[${classBody('w')}]`
const wordBoundary = `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`
const noWordBoundary = `(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))`
