/** `std.string`: text, counted in code points. Other values are converted to JSON text. */
import { builtin, type Namespace, type Run } from '../builtin.ts'
import { expectedLines, matchLines } from '../expected-lines.ts'
import type { Item } from '../item.ts'
import { joinTexts, printText } from '../print-value.ts'
import { Failure, schemaFailure } from '../spec-error.ts'
import { countPoints, firstPoints, lastPoints, trimSpace, wordsOf } from '../text.ts'

/** A case mapping turns one character into at most this many. */
const caseGrowthMax = 3

/** True if the pattern matches. An error of the regex engine fails the expression. */
export function matches(text: string, pattern: string, run: Run): boolean | Failure {
  if (!run.meter.spend(1 + text.length / 64 + pattern.length / 8)) return false
  if (!run.meter.isInTime()) return false
  const found = run.regex.test(pattern, text, run.meter)
  return typeof found === 'boolean' ? found : new Failure(found.category, found.message, found.hint)
}

/** An invalid pattern is an error, whether or not a line is compared with it. */
function fitsBlock(text: string, block: string, run: Run): boolean | Failure {
  if (!run.meter.visitText(text.length + block.length)) return false
  for (const { kind, text: pattern } of expectedLines(block)) {
    const found = kind === 're' || kind === 'glob' ? matches('', pattern, run) : true
    if (found instanceof Failure) return found
  }
  const test = (line: string, pattern: string) => matches(line, pattern, run)
  // After an `(any*)` lines are compared several times, so each comparison is paid for.
  return matchLines(block, text, test, () => run.meter.visitItems(1))
}

export function isWithin(text: string, part: string, run: Run): boolean {
  return run.meter.visitText(text.length) && new TextSearch(text, part).from(0) >= 0
}

/** The texts between the occurrences of a part. */
function partsBetween(text: string, part: string, run: Run): string[] {
  const parts: string[] = []
  if (!run.meter.visitText(text.length)) return parts
  const places = new TextSearch(text, part).all(() => run.meter.hasTime())
  if (!run.meter.allotItems(places.length + 1)) return parts
  let end = 0
  for (const at of places) {
    if (!run.meter.hasTime()) break
    parts.push(text.slice(end, at))
    end = at + part.length
  }
  parts.push(text.slice(end))
  return parts
}

/** Inserts a text between all code points and at both ends. */
function interleaved(text: string, between: string, run: Run): string {
  const count = countPoints(text) + 1
  if (!run.meter.allotText(text.length + count * between.length)) return ''
  if (!run.meter.allotItems(count)) return ''
  return text === '' ? between : `${between}${joinTexts(text, between, run.meter)}${between}`
}

function filling(name: string, text: string, width: number, fill: string, run: Run) {
  if (fill === '') return schemaFailure(`spec_lang ${name} expects non-empty pad string`)
  const missing = Math.max(0, width - countPoints(text))
  if (!run.meter.allotText(text.length + missing * 2 + fill.length)) return ''
  return fill.repeat(Math.ceil(missing / countPoints(fill)))
}

export const string = {
  contains: builtin(
    ['text', 'text'],
    '(text, part) True if the text contains the part.',
    isWithin,
    {
      subjectFirst: true,
    },
  ),
  starts_with: builtin(
    ['text', 'text'],
    '(text, part) True if the text starts with the part.',
    (text, part, run) => run.meter.visitText(part.length) && text.startsWith(part),
    { subjectFirst: true },
  ),
  ends_with: builtin(
    ['text', 'text'],
    '(text, part) True if the text ends with the part.',
    (text, part, run) => run.meter.visitText(part.length) && text.endsWith(part),
    { subjectFirst: true },
  ),
  regex_match: builtin(
    ['text', 'text'],
    '(text, pattern) True if the pattern matches anywhere in the text.',
    matches,
  ),
  matches: builtin(['text', 'text'], 'The same as `regex_match`.', matches),
  matches_all: builtin(
    ['text', 'list'],
    '(text, patterns) True if every pattern matches anywhere in the text.',
    (text, patterns, run) => {
      for (const item of patterns) {
        const pattern = printText(item, run.meter)
        const found = pattern instanceof Failure ? pattern : matches(text, pattern, run)
        if (found !== true) return found
      }
      return true
    },
  ),
  matches_lines: builtin(
    ['text', 'text'],
    '(text, block) True if each line of the text matches the line of the block: a literal line, or one marked `(re)`, `(glob)`, `(any)`, `(any*)` or `(no-eol)`.',
    fitsBlock,
  ),
  trim: builtin(['text'], 'The text without white space at both ends.', (text, run) =>
    run.meter.visitText(text.length) ? trimSpace(text) : '',
  ),
  lower: builtin(['text'], 'The text in lower case.', (text, run) =>
    run.meter.allotText(text.length * caseGrowthMax) ? text.toLowerCase() : '',
  ),
  upper: builtin(['text'], 'The text in upper case.', (text, run) =>
    run.meter.allotText(text.length * caseGrowthMax) ? text.toUpperCase() : '',
  ),
  split: builtin(
    ['text', 'any'],
    '(text, separator) The parts between separators; the words if the separator is omitted or null.',
    (text, given, run) => {
      if (given === null) return words(text, run)
      const separator = printText(given, run.meter)
      if (separator instanceof Failure) return separator
      if (separator === '') return schemaFailure('spec_lang split expects non-empty separator')
      return partsBetween(text, separator, run)
    },
    { lastOptional: true },
  ),
  join: builtin(
    ['list', 'text'],
    '(list, separator) The items joined to one text.',
    (list, separator, run) => {
      if (!run.meter.allotItems(list.length)) return null
      const texts: string[] = []
      for (const item of list) {
        const text = printText(item, run.meter)
        if (text instanceof Failure) return text
        if (!run.meter.allotText(text.length + separator.length)) return null
        texts.push(text)
      }
      return joinTexts(texts, separator, run.meter)
    },
  ),
  replace: builtin(
    ['text', 'text', 'text'],
    '(text, old, new) The text with every occurrence of old replaced by new.',
    (text, old, replacement, run) => {
      if (old === '') return interleaved(text, replacement, run)
      const parts = partsBetween(text, old, run)
      const length = text.length + parts.length * replacement.length
      return run.meter.allotText(length) ? joinTexts(parts, replacement, run.meter) : ''
    },
  ),
  pad_left: builtin(
    ['text', 'integer', 'text'],
    '(text, width, fill) The text padded or cut at its start to this width.',
    (text, given, fill, run) => {
      const width = Number(given)
      const added = filling('pad_left', text, width, fill, run)
      if (added instanceof Failure) return added
      const missing = Math.max(0, width - countPoints(text))
      return lastPoints(lastPoints(added, missing) + text, width)
    },
  ),
  pad_right: builtin(
    ['text', 'integer', 'text'],
    '(text, width, fill) The text padded or cut at its end to this width.',
    (text, given, fill, run) => {
      const width = Number(given)
      const added = filling('pad_right', text, width, fill, run)
      return added instanceof Failure ? added : firstPoints(text + added, width)
    },
  ),
} satisfies Namespace

function words(text: string, run: Run): Item {
  // A word takes at least one character and one space.
  const most = Math.ceil(text.length / 2)
  if (!run.meter.visitText(text.length) || !run.meter.allotItems(most)) return null
  return wordsOf(text, () => run.meter.hasTime())
}

/** The built-in search is used up to this many comparisons. */
const productMax = 100_000_000

/**
 * Finds a part in a text. In the worst case the built-in search takes time proportional to the
 * product of both lengths, which is minutes for long texts. Those use a linear search instead.
 */
export class TextSearch {
  readonly #text: string
  readonly #part: string
  /** For each prefix of the part, the length of its longest border. */
  readonly #overlaps: Int32Array | undefined

  constructor(text: string, part: string) {
    this.#text = text
    this.#part = part
    const heavy = part.length <= text.length && part.length * text.length > productMax
    this.#overlaps = heavy ? overlapsOf(part) : undefined
  }

  /** The next index of the part at or after `start`; -1 if there is none. */
  from(start: number): number {
    const overlaps = this.#overlaps
    if (overlaps === undefined) return this.#text.indexOf(this.#part, start)
    let matched = 0
    for (let at = start; at < this.#text.length; at++) {
      matched = extended(this.#part, overlaps, matched, this.#text.charCodeAt(at))
      if (matched === this.#part.length) return at - matched + 1
    }
    return -1
  }

  /** All indices of the part without overlaps, while `goesOn` returns true. */
  all(goesOn: () => boolean): number[] {
    const places: number[] = []
    let at = this.from(0)
    while (at >= 0 && goesOn()) {
      places.push(at)
      at = this.from(at + this.#part.length)
    }
    return places
  }
}

function overlapsOf(part: string): Int32Array {
  const overlaps = new Int32Array(part.length)
  for (let at = 1; at < part.length; at++) {
    overlaps[at] = extended(part, overlaps, overlaps[at - 1] as number, part.charCodeAt(at))
  }
  return overlaps
}

/** The length of the matched prefix after one more character. */
function extended(part: string, overlaps: Int32Array, before: number, unit: number): number {
  let matched = before
  while (matched > 0 && part.charCodeAt(matched) !== unit) {
    matched = overlaps[matched - 1] as number
  }
  return part.charCodeAt(matched) === unit ? matched + 1 : 0
}
