/** Parses escapes and character classes of several regex dialects. */

/** The meaning of an escape sequence. */
type Escaped =
  | { readonly kind: 'point'; readonly point: number }
  | { readonly kind: 'set'; readonly set: SetName; readonly inverted: boolean }
  | { readonly kind: 'property'; readonly text: string }
  | { readonly kind: 'anchor'; readonly letter: string }
  /** The number or the name of a group. */
  | { readonly kind: 'reference'; readonly group: string }

interface CharacterClass {
  readonly inverted: boolean
  /** Class content for each engine. */
  readonly native: string
  readonly linear: string
  /** Negated sets inside the class. */
  readonly inverses: readonly SetName[]
}

const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, a: 7, e: 27 }
const hexadecimal = /x([0-9a-fA-F]{2})|x\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})/y
const octal = /0[0-7]{0,2}|[0-3][0-7]{2}/y
const backReference = /([1-9][0-9]?)|k<([A-Za-z_]\w*)>/y
const property = /([pP])(?:\{(\^?)([A-Za-z_=]+)\}|([A-Z]))/y
const pointMax = 0x10ffff

export class PatternText {
  readonly #pattern: string
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#pattern.length
  }

  peek(): string {
    return this.#pattern.charAt(this.#at)
  }

  startsWith(text: string): boolean {
    return this.#pattern.startsWith(text, this.#at)
  }

  skip(text: string): boolean {
    const found = this.startsWith(text)
    if (found) this.#at += text.length
    return found
  }

  /** Consumes a match of a sticky expression, if there is one. */
  take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at
    const found = expression.exec(this.#pattern) ?? undefined
    this.#at += found?.[0].length ?? 0
    return found
  }

  point(): number {
    const point = this.#pattern.codePointAt(this.#at) ?? 0
    this.#at += point > 0xffff ? 2 : 1
    return point
  }

  /** A short excerpt for messages. */
  shown(): string {
    return this.#pattern.slice(this.#at, this.#at + 4)
  }

  /** Parses an escape, or returns an error message. */
  escape(where: 'outside' | 'in a class'): Escaped | string {
    if (this.isAtEnd) return 'it ends in a backslash'
    const outside = where === 'outside'
    const letter = this.peek()
    const number = this.take(octal)?.[0]
    if (number !== undefined) return { kind: 'point', point: Number.parseInt(number, 8) }
    const reference = outside ? this.take(backReference) : undefined
    const group = reference?.[1] ?? reference?.[2]
    if (group !== undefined) return { kind: 'reference', group }
    const digits = this.take(hexadecimal)?.slice(1).find(Boolean)
    if (digits !== undefined) {
      const point = Number.parseInt(digits, 16)
      return point <= pointMax
        ? { kind: 'point', point }
        : `\\${letter} is beyond the last Unicode character`
    }
    const named = this.take(property)
    if (named !== undefined) return propertyOf(named)
    if (/[dwsDWS]/.test(letter)) {
      this.#at++
      const set = letter.toLowerCase() as SetName
      return { kind: 'set', set, inverted: letter !== set }
    }
    if (outside && /[AZzbB]/.test(letter)) {
      this.#at++
      return { kind: 'anchor', letter }
    }
    return this.#escapedPoint(letter, outside)
  }

  #escapedPoint(letter: string, outside: boolean): Escaped | string {
    if (!outside && this.skip('b')) return { kind: 'point', point: 8 }
    const control = Object.hasOwn(controls, letter) ? controls[letter] : undefined
    if (control === undefined && /[A-Za-z0-9]/.test(letter)) return `\\${letter} is not supported`
    const point = this.point()
    return { kind: 'point', point: control ?? point }
  }

  /** Parses a class up to its closing bracket, or returns an error message. */
  characterClass(): CharacterClass | string {
    const inverted = this.skip('^')
    let native = ''
    let linear = ''
    const inverses: SetName[] = []
    for (let first = true; first || !this.skip(']'); first = false) {
      if (this.isAtEnd) return 'unclosed ['
      const member = this.#member()
      if (typeof member === 'string') return member
      if (member.kind === 'point') {
        const end = this.#rangeEnd()
        if (typeof end === 'string') return end
        if (end !== undefined && end < member.point) return 'a range in a class is out of order'
        native += shownPoint('u', member.point, end)
        linear += shownPoint('x', member.point, end)
      } else if (member.kind === 'set' && member.inverted && member.set !== 'd') {
        inverses.push(member.set)
      } else if (member.kind === 'set' || member.kind === 'property') {
        const text = memberText(member)
        native += text
        linear += text
      }
    }
    return { inverted, native, linear, inverses }
  }

  #member(): Escaped | string {
    return this.skip('\\') ? this.escape('in a class') : { kind: 'point', point: this.point() }
  }

  /** The end of a range, if there is one. */
  #rangeEnd(): number | undefined | string {
    const next = this.#pattern.charAt(this.#at + 1)
    if (this.peek() !== '-' || next === ']' || next === '') return undefined
    this.#at++
    const end = this.#member()
    if (typeof end === 'string') return end
    return end.kind === 'point' ? end.point : 'a range in a class must end in a character'
  }
}

function propertyOf([, letter, caret, name, short]: readonly (string | undefined)[]): Escaped {
  const inverted = (letter === 'P') !== (caret === '^')
  return { kind: 'property', text: `\\${inverted ? 'P' : 'p'}{${name ?? short}}` }
}

function memberText(member: Escaped & { kind: 'set' | 'property' }): string {
  if (member.kind === 'property') return member.text
  return member.inverted ? '\\P{Nd}' : classBody(member.set)
}

function shownPoint(letter: 'u' | 'x', point: number, end: number | undefined): string {
  const start = `\\${letter}{${point.toString(16)}}`
  return end === undefined ? start : `${start}-\\${letter}{${end.toString(16)}}`
}

/** The character sets of `\d`, `\w` and `\s`, the same in every engine. */
type SetName = 'd' | 'w' | 's'

const bodies: Record<SetName, string> = {
  d: '\\p{Nd}',
  w: '\\p{L}\\p{N}_',
  // Unicode white space and four control separators, which one engine omits.
  s: '\\t-\\r\\x1c-\\x20\\x85\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000',
}

/** The set as class content, between brackets. */
export const classBody = (name: SetName) => bodies[name]

export const notClass = (name: SetName) => `[^${bodies[name]}]`
