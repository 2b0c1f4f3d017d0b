/** Why an assertion does not hold, in words that say what was there. */
import { areEqual } from '../lang/equality.ts'
import { unlimitedMeter } from '../lang/meter.ts'
import { printText } from '../lang/print-value.ts'
import type { SpecError } from '../lang/spec-error.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import type { AssertGroup, AssertLeaf } from './assert-tree.ts'
import type { AssertFailure } from './run-assert.ts'
import { differenceAt, likelyPlace, shortened, shortenedAround, writingOf } from './shortened.ts'

const head = (caseId: string, { path, target, op }: Pick<AssertLeaf, 'path' | 'target' | 'op'>) =>
  `[case_id=${caseId} assert_path=${path} target=${target} op=${op}]`

export function leafFailure(caseId: string, leaf: AssertLeaf, subject: SpecValue): AssertFailure {
  const { path, target, op, at } = leaf
  const which = at > 0 ? ` (number ${at + 1})` : ''
  const lines = [
    `${head(caseId, leaf)} ${op} assertion failed${which}`,
    ...comparison(leaf, subject),
  ]
  const place = `${path}.${op}[${at}]`
  return {
    category: 'assertion',
    message: lines.join('\n'),
    assertPath: path,
    path: place,
    target,
    op,
  }
}

/** What went wrong while it was decided keeps its category. */
export function leafError(caseId: string, leaf: AssertLeaf, error: SpecError): AssertFailure {
  const { path, target, op, at } = leaf
  const place = error.path ?? `${path}.${op}[${at}]`
  const message = `${head(caseId, leaf)} ${error.message}`
  const { category, hint } = error
  const told = { category, message, ...(hint !== undefined && { hint }) }
  return { ...told, assertPath: path, path: place, target, op }
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

/** What was asked for and what was there, the text shortened around where they differ. */
function comparison({ op, source }: AssertLeaf, subject: SpecValue): readonly string[] {
  const wanted = wantedBy(op, source)
  const there = textOf(subject)
  if (wanted === undefined) {
    return [
      `  asked: ${shortened(textOf(source), writingOf(source))}`,
      `  there: ${shortened(there, writingOf(subject))}`,
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
    `  there: ${shortenedAround(there, at, writingOf(subject))}`,
    ...(differsInKind(wanted, subject) ? [kindsDiffer] : []),
  ]
}

/** Easily overlooked: what does not hold, but would for `eq`. */
const differsInKind = ({ words, value }: Wanted, subject: SpecValue) =>
  words === 'to equal' && areEqual(value, subject, unlimitedMeter())

const kindsDiffer = '  only the kinds of numbers differ: 1.0 is no integer; eq compares by value'

interface Wanted {
  readonly words: string
  readonly value: SpecValue
  readonly text: string
  /** Whether it is held against the text from the start. */
  readonly isWhole: boolean
}

/** In words, for the forms that people write most. */
const relations: Readonly<Record<string, string>> = {
  contain: 'to contain',
  contains: 'to contain',
  starts_with: 'to begin with',
  ends_with: 'to end with',
  regex: 'to match',
  regex_match: 'to match',
  matches: 'to match',
  eq: 'to equal',
  equals: 'to equal',
  json_type: 'to be of the type',
}

const namespaces = /^std\.(?:string|logic|type)\./

const wholeRelations: readonly string[] = ['to equal', 'to begin with']

/** Where the subject is compared with something that is written there. */
function wantedBy(op: string, source: SpecValue): Wanted | undefined {
  const [name, other] = op === 'evaluate' ? comparedIn(source) : [op, source]
  const words = Object.hasOwn(relations, name) ? relations[name] : undefined
  if (words === undefined || other === undefined) return undefined
  return { words, value: other, text: textOf(other), isWhole: wholeRelations.includes(words) }
}

/** The operator, and the literal beside the subject. */
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

/** A text as it is, anything else as JSON, however deep it is nested. */
function textOf(value: SpecValue): string {
  const text = printText(value, unlimitedMeter())
  return typeof text === 'string' ? text : ''
}
