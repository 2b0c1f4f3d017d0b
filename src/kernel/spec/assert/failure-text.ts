/** Describes why an assertion fails, with the actual value. */
import { areEqual } from '../lang/equality.ts'
import { unlimitedMeter } from '../lang/meter.ts'
import { printText } from '../lang/print-value.ts'
import type { SpecError } from '../lang/spec-error.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import type { AssertGroup, AssertLeaf } from './assert-tree.ts'
import type { AssertFailure } from './run-assert.ts'

const head = (caseId: string, { path, target, op }: Pick<AssertLeaf, 'path' | 'target' | 'op'>) =>
  `[case_id=${caseId} assert_path=${path} target=${target} op=${op}]`

export function leafFailure(caseId: string, leaf: AssertLeaf, subject: SpecValue): AssertFailure {
  const { path, place, target, op, at } = leaf
  const which = at > 0 ? ` (number ${at + 1})` : ''
  const lines = [
    `${head(caseId, leaf)} ${op} assertion failed${which}`,
    ...comparison(leaf, subject),
  ]
  return {
    category: 'assertion',
    message: lines.join('\n'),
    assertPath: path,
    path: place,
    target,
    op,
  }
}

/** An error during evaluation keeps its category. */
export function leafError(caseId: string, leaf: AssertLeaf, error: SpecError): AssertFailure {
  const { path, target, op } = leaf
  const place = error.path ?? leaf.place
  const message = `${head(caseId, leaf)} ${error.message}`
  const { category, hint } = error
  const base = { category, message, ...(hint !== undefined && { hint }) }
  return { ...base, assertPath: path, path: place, target, op }
}

export function groupFailure(
  caseId: string,
  { kind, path }: AssertGroup,
  words: string,
  details: readonly string[],
): AssertFailure {
  const lines = details.map(detail => `  ${detail.replaceAll('\n', '\n  ')}`)
  const message = [`[case_id=${caseId} assert_path=${path}.${kind}] ${words}`, ...lines].join('\n')
  return { category: 'assertion', message, assertPath: path, path: `${path}.${kind}` }
}

/** The expected and the actual value, shortened around the first difference. */
function comparison({ op, source }: AssertLeaf, subject: SpecValue): readonly string[] {
  const wanted = wantedBy(op, source)
  const there = textOf(subject)
  if (wanted === undefined) {
    return [
      `  expected: ${shortened(textOf(source), writingOf(source))}`,
      `  actual: ${shortened(there, writingOf(subject))}`,
    ]
  }
  const at = wanted.isWhole ? differenceAt(there, wanted.text) : likelyPlace(there, wanted.text)
  const expected = shortenedAround(
    wanted.text,
    wanted.isWhole ? at : undefined,
    writingOf(wanted.value),
  )
  return [
    `  expected: ${wanted.words} ${expected}`,
    `  actual: ${shortenedAround(there, at, writingOf(subject))}`,
    ...(differsInKind(wanted, subject) ? [kindsDiffer] : []),
  ]
}

/** An easy mistake: the comparison fails, but `eq` would hold. */
const differsInKind = ({ words, value }: Wanted, subject: SpecValue) =>
  words === 'to equal' && areEqual(value, subject, unlimitedMeter())

const kindsDiffer = '  only the number types differ: 1.0 is not an integer; eq compares by value'

interface Wanted {
  readonly words: string
  readonly value: SpecValue
  readonly text: string
  /** True if the comparison starts at the beginning of the text. */
  readonly isWhole: boolean
}

/** Words for the most common operators. */
const relations: Readonly<Record<string, string>> = {
  contain: 'to contain',
  contains: 'to contain',
  starts_with: 'to start with',
  ends_with: 'to end with',
  regex: 'to match',
  regex_match: 'to match',
  matches: 'to match',
  equal: 'to equal',
  eq: 'to equal',
  equals: 'to equal',
  json_type: 'to be of the type',
}

const namespaces = /^std\.(?:string|logic|type)\./

const wholeRelations: readonly string[] = ['to equal', 'to start with']

/** The literal that the subject is compared with. */
function wantedBy(op: string, source: SpecValue): Wanted | undefined {
  const [name, other] = op === 'evaluate' ? comparedIn(source) : [op, source]
  const words = Object.hasOwn(relations, name) ? relations[name] : undefined
  if (words === undefined || other === undefined) return undefined
  return { words, value: other, text: textOf(other), isWhole: wholeRelations.includes(words) }
}

/** The operator and the literal next to the subject. */
function comparedIn(source: SpecValue): readonly [string, SpecValue | undefined] {
  const [entry] = isMapping(source) ? source : []
  if (entry === undefined || !isList(entry[1])) return ['', undefined]
  const [name, [first, second, ...more]] = entry
  const isAlone = second === undefined
  const other = isAlone || isSubject(second) ? first : isSubject(first) ? second : undefined
  return [name.replace(namespaces, ''), more.length > 0 ? undefined : literalOf(other)]
}

export function isSubject(form: SpecValue | undefined): boolean {
  if (!isMapping(form)) return false
  return form.get('var') === 'subject' || form.has('subject') || form.has('std.core.subject')
}

function literalOf(form: SpecValue | undefined): SpecValue | undefined {
  if (isMapping(form)) return form.size === 1 ? form.get('lit') : undefined
  return isList(form) ? undefined : form
}

/** Text as it is, any other value as JSON of any depth. */
function textOf(value: SpecValue): string {
  const text = printText(value, unlimitedMeter())
  return typeof text === 'string' ? text : ''
}

const charsMax = 400
const aroundChars = 120

/** Keeps the start and the end. Texts are quoted; JSON is already on one line. */
export function shortened(
  text: string,
  written: (part: string) => string = quoted,
  most = charsMax,
): string {
  if (text.length <= most) return written(text)
  const half = most >> 1
  const cut = text.length - 2 * half
  return `${written(text.slice(0, half))} … ${cut} characters … ${written(text.slice(-half))}`
}

const quoted = (text: string) => JSON.stringify(text)
const asItIs = (text: string) => text

/** Texts in quotes, other values as JSON: 3 is not "3". */
export const writingOf = (value: SpecValue) => (typeof value === 'string' ? quoted : asItIs)

/** The text around an offset, and how much is left out. */
function shortenedAround(
  text: string,
  at: number | undefined,
  written: (part: string) => string = quoted,
): string {
  if (text.length <= charsMax || at === undefined) return shortened(text, written)
  const start = Math.max(0, Math.min(at - aroundChars, text.length - charsMax))
  const end = Math.min(text.length, start + charsMax)
  const before = start > 0 ? `… ${start} characters … ` : ''
  const after = end < text.length ? ` … ${text.length - end} characters …` : ''
  return `${before}${written(text.slice(start, end))}${after}`
}

/** The offset of the first difference. */
function differenceAt(text: string, wanted: string): number {
  const shared = Math.min(text.length, wanted.length)
  for (let at = 0; at < shared; at++) {
    if (text.charCodeAt(at) !== wanted.charCodeAt(at)) return at
  }
  return shared
}

/** The offset of the longest prefix of the expected text, within a search limit. */
function likelyPlace(text: string, wanted: string): number | undefined {
  for (let length = Math.min(wanted.length, 64); length >= 4; length >>= 1) {
    const at = text.indexOf(wanted.slice(0, length))
    if (at >= 0) return at
  }
  return undefined
}
