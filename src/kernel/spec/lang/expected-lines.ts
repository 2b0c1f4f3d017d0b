/** A block of expected lines. Each is literal, or ends in a marker that says how it matches. */

type LineKind = 'literal' | 're' | 'glob' | 'any' | 'any*'

export interface TextLine {
  readonly text: string
  /** True for a last line without a line feed. */
  readonly isOpen: boolean
}

/** `text` is the literal text, or the pattern that the whole line must match. */
export interface ExpectedLine extends TextLine {
  readonly kind: LineKind
  /** As written, with its markers. */
  readonly written: string
}

const marked = /^(?:(.*) )?\((re|glob|any\*?)\)$/
const openEnd = / \(no-eol\)$/

/** A final line feed of the block has no meaning: `(no-eol)` marks a last line without one. */
export function expectedLines(block: string): readonly ExpectedLine[] {
  return linesOf(block).map(({ text: written }, at, all) => {
    const isOpen = at === all.length - 1 && openEnd.test(written)
    return { ...markedLine(isOpen ? written.replace(openEnd, '') : written), isOpen, written }
  })
}

export function linesOf(text: string): readonly TextLine[] {
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  const ended = lines.map(line => ({ text: line, isOpen: false }))
  return last === '' ? ended : [...ended, { text: last, isOpen: true }]
}

function markedLine(line: string): Pick<ExpectedLine, 'kind' | 'text'> {
  const [, text = '', kind] = marked.exec(line) ?? []
  if (kind === 're') return { kind, text: wholeLine(text) }
  if (kind === 'glob') return { kind, text: globPattern(text) }
  if (kind === 'any' || kind === 'any*') return { kind, text }
  return { kind: 'literal', text: line }
}

const leadingFlags = /^(?:\(\?[a-zA-Z]+\))*/

/** Flags must stay at the start of a pattern. */
function wholeLine(pattern: string): string {
  const flags = leadingFlags.exec(pattern)?.[0] ?? ''
  return `${flags}\\A(?:${pattern.slice(flags.length)})\\z`
}

/** `*` matches any characters and `?` one. A backslash makes the next character literal. */
function globPattern(glob: string): string {
  const parts = glob.match(/\\.|./gsu) ?? []
  const pattern = parts.map(part => {
    if (part === '*') return '.*'
    if (part === '?') return '.'
    return escaped(part.length > 1 && part.startsWith('\\') ? part.slice(1) : part)
  })
  return `\\A${pattern.join('')}\\z`
}

/** As a pattern that matches exactly this text. */
export const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** The text as a part of a line marked `(glob)`. */
export const escapedGlob = (text: string): string => text.replace(/[\\*?]/g, '\\$&')

/** How a block expects exactly this line. */
export function writtenLine({ text, isOpen }: TextLine): string {
  const isMarked = marked.test(text) || openEnd.test(text)
  return `${isMarked ? `${escaped(text)} (re)` : text}${isOpen ? ' (no-eol)' : ''}`
}

/** Returns true if a text matches the pattern of a marked line. `F` is the reason if that is unknown. */
export type PatternTest<F> = (text: string, pattern: string) => boolean | F

/** Whether a line fits an expected line that stands for one line. */
export function lineFits<F>(
  { text, isOpen }: TextLine,
  expected: ExpectedLine,
  test: PatternTest<F>,
): boolean | F {
  const { kind } = expected
  if (kind === 'any' || kind === 'any*') return isOpen || !expected.isOpen
  if (isOpen !== expected.isOpen) return false
  return kind === 'literal' ? text === expected.text : test(text, expected.text)
}

/**
 * Matches the lines in order. `(any*)` stands for as few lines as possible, also for none.
 * `goesOn` is called before each comparison and ends the match by returning false.
 */
export function matchLines<F extends object>(
  block: string,
  text: string,
  test: PatternTest<F>,
  goesOn: () => boolean = () => true,
): boolean | F {
  const expected = expectedLines(block)
  const actual = linesOf(text)
  if (expected.at(-1)?.isOpen && !actual.at(-1)?.isOpen) return false
  let [want, at] = [0, 0]
  /** The last `(any*)` so far, and the first line after those that it stands for. */
  let [star, resume] = [-1, 0]
  for (let line = actual[at]; line !== undefined; line = actual[at]) {
    if (!goesOn()) return false
    const one = expected[want]
    if (one?.kind === 'any*') {
      star = want++
      resume = at
      continue
    }
    const fits = one === undefined ? false : lineFits(line, one, test)
    if (typeof fits !== 'boolean') return fits
    if (fits) [want, at] = [want + 1, at + 1]
    else if (star < 0) return false
    else [want, at] = [star + 1, ++resume]
  }
  return expected.slice(want).every(({ kind }) => kind === 'any*')
}
