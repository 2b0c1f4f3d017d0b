/** A block of expected lines. Each is literal, or ends in a marker that says how it matches. */

type LineKind = 'literal' | 're' | 'glob' | 'any' | 'any*'

export interface ExpectedLine {
  /** As written, with its marker. */
  readonly written: string
  readonly kind: LineKind
  /** The literal text, or the pattern that the whole line must match. */
  readonly text: string
}

interface TextLines<T> {
  readonly lines: readonly T[]
  /** True if the last line has no line feed. */
  readonly isOpen: boolean
}

const marked = /^(?:(.*) )?\((re|glob|any\*?)\)$/
const openEnd = / ?\(no-eol\)$/

/** A final line feed of the block has no meaning: `(no-eol)` marks a last line without one. */
export function expectedLines(block: string): TextLines<ExpectedLine> {
  const { lines } = linesOf(block)
  const last = lines.at(-1) ?? ''
  const isOpen = openEnd.test(last)
  const written = isOpen ? [...lines.slice(0, -1), last.replace(openEnd, '')] : lines
  return { lines: written.map((line, at) => expectedLine(line, lines[at] ?? line)), isOpen }
}

export function linesOf(text: string): TextLines<string> {
  if (text === '') return { lines: [], isOpen: false }
  const isOpen = !text.endsWith('\n')
  return { lines: (isOpen ? text : text.slice(0, -1)).split('\n'), isOpen }
}

function expectedLine(line: string, written: string): ExpectedLine {
  const [, text = '', kind] = marked.exec(line) ?? []
  if (kind === 're') return { written, kind, text: wholeLine(text) }
  if (kind === 'glob') return { written, kind, text: globPattern(text) }
  if (kind === 'any' || kind === 'any*') return { written, kind, text }
  return { written, kind: 'literal', text: line }
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

export const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Whether a line fits an expected line that stands for exactly one. */
export type LineTest<F> = (line: string, expected: ExpectedLine) => boolean | F

/** Matches the lines in order. `(any*)` stands for as few lines as possible, also for none. */
export function matchLines<F extends object>(
  block: string,
  text: string,
  test: LineTest<F>,
): boolean | F {
  const expected = expectedLines(block)
  const actual = linesOf(text)
  const endsFree = !expected.isOpen && expected.lines.at(-1)?.kind.startsWith('any') === true
  if (!endsFree && actual.lines.length > 0 && expected.isOpen !== actual.isOpen) return false
  let [want, at] = [0, 0]
  /** The last `(any*)` so far, and the first line after those that it stands for. */
  let [star, resume] = [-1, 0]
  while (at < actual.lines.length) {
    const one = expected.lines[want]
    if (one?.kind === 'any*') {
      star = want++
      resume = at
      continue
    }
    const fits = one === undefined ? false : test(actual.lines[at] ?? '', one)
    if (typeof fits !== 'boolean') return fits
    if (fits) [want, at] = [want + 1, at + 1]
    else if (star < 0) return false
    else [want, at] = [star + 1, ++resume]
  }
  return expected.lines.slice(want).every(({ kind }) => kind === 'any*')
}
