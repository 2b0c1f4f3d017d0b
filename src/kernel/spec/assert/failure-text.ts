/** Why an assertion does not hold, in words that say what was there. */
import type { SpecError } from '../lang/spec-error.ts'
import { isList, isMapping, type SpecValue, toJson } from '../lang/value.ts'
import type { AssertGroup, AssertLeaf } from './assert-tree.ts'
import type { AssertFailure } from './run-assert.ts'
import { shortened, shortenedAround } from './shortened.ts'

const head = (caseId: string, { path, target, op }: Pick<AssertLeaf, 'path' | 'target' | 'op'>) =>
  `[case_id=${caseId} assert_path=${path} target=${target} op=${op}]`

export function leafFailure(caseId: string, leaf: AssertLeaf, subject: SpecValue): AssertFailure {
  const { path, target, op, at } = leaf
  const which = at > 0 ? ` (number ${at + 1})` : ''
  const lines = [
    `${head(caseId, leaf)} ${op} assertion failed${which}`,
    ...comparison(leaf, subject),
  ]
  return { category: 'assertion', message: lines.join('\n'), assertPath: path, path, target, op }
}

/** What went wrong while it was decided keeps its category. */
export function leafError(caseId: string, leaf: AssertLeaf, error: SpecError): AssertFailure {
  const { path, target, op } = leaf
  const place = error.path ?? path
  const message = `${head(caseId, leaf)} ${error.message}`
  return { category: error.category, message, assertPath: path, path: place, target, op }
}

export function groupFailure(
  caseId: string,
  { kind, path }: AssertGroup,
  words: string,
  details: readonly string[],
): AssertFailure {
  const lines = details.map(detail => `  ${detail.replaceAll('\n', '\n  ')}`)
  const message = [`[case_id=${caseId} assert_path=${path}.${kind}] ${words}`, ...lines].join('\n')
  return { category: 'assertion', message, assertPath: path, path }
}

/** What was asked for and what was there, the text shortened around where they differ. */
function comparison({ op, source }: AssertLeaf, subject: SpecValue): readonly string[] {
  const wanted = wantedBy(op, source)
  const there = shown(subject)
  if (wanted === undefined)
    return [`  asked: ${shortened(printed(source))}`, `  there: ${shortened(there)}`]
  return [
    `  expected: ${wanted.words} ${shortened(wanted.text)}`,
    `  there: ${shortenedAround(there, wanted.text)}`,
  ]
}

interface Wanted {
  readonly words: string
  readonly text: string
}

/** In words, for the forms that people write most. */
const relations: Readonly<Record<string, string>> = {
  contain: 'to contain',
  contains: 'to contain',
  'std.string.contains': 'to contain',
  starts_with: 'to begin with',
  'std.string.starts_with': 'to begin with',
  ends_with: 'to end with',
  'std.string.ends_with': 'to end with',
  regex: 'to match',
  regex_match: 'to match',
  'std.string.regex_match': 'to match',
  matches: 'to match',
  'std.string.matches': 'to match',
  eq: 'to equal',
  'std.logic.eq': 'to equal',
  equals: 'to equal',
  'std.logic.equals': 'to equal',
  json_type: 'to be of the type',
  'std.type.json_type': 'to be of the type',
}

/** Where the subject is compared with something that is written there. */
function wantedBy(op: string, source: SpecValue): Wanted | undefined {
  if (op !== 'evaluate') {
    const words = relations[op]
    return words === undefined ? undefined : { words, text: textOf(source) }
  }
  const [name, args] = isMapping(source) ? ([...source][0] ?? []) : []
  const words = name === undefined ? undefined : relations[name]
  if (words === undefined || !isList(args)) return undefined
  const [first, second] = args
  const other =
    args.length === 1 ? first : isSubject(first) ? second : isSubject(second) ? first : undefined
  const literal = literalOf(other)
  return literal === undefined ? undefined : { words, text: textOf(literal) }
}

function isSubject(form: SpecValue | undefined): boolean {
  if (!isMapping(form)) return false
  return form.get('var') === 'subject' || form.has('subject') || form.has('std.core.subject')
}

function literalOf(form: SpecValue | undefined): SpecValue | undefined {
  if (isMapping(form)) return form.size === 1 ? form.get('lit') : undefined
  return isList(form) ? undefined : form
}

const textOf = (value: SpecValue) => (typeof value === 'string' ? value : printed(value))

/** A text as it is, anything else as JSON. */
const shown = (value: SpecValue) => textOf(value)

const printed = (value: SpecValue) => JSON.stringify(toJson(value)) ?? 'null'
