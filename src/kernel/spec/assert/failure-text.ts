/** Describes why an assertion fails, with the actual value. */
import type { Secrets } from '../../text/secrets.ts'
import type { Evaluation } from '../lang/evaluate.ts'
import { hiddenIn } from '../lang/hidden-value.ts'
import { printExpression } from '../lang/print-value.ts'
import type { SpecError } from '../lang/spec-error.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import type { AssertGroup, AssertLeaf } from './assert-tree.ts'
import { type Comparison, comparison, type Relation } from './comparison.ts'
import { linesComparison } from './lines-comparison.ts'
import { isSubject, type Operand, operandsOf, partValue } from './operands.ts'
import type { AssertFailure } from './run-assert.ts'
import { shortened, textOf, writingOf, writtenValue } from './written-value.ts'

const head = (caseId: string, { path, target, op }: Pick<AssertLeaf, 'path' | 'target' | 'op'>) =>
  `[case_id=${caseId} assert_path=${path} target=${target} op=${op}]`

export function leafFailure(
  caseId: string,
  leaf: AssertLeaf,
  evaluation: Evaluation,
  secrets: Secrets,
): AssertFailure {
  const { path, place, target, op, at } = leaf
  const which = at > 0 ? ` (number ${at + 1})` : ''
  const { lines, diff, operands } = explained(leaf, evaluation, secrets)
  const headline = `${head(caseId, leaf)} ${op} assertion failed${which}`
  return {
    category: 'assertion',
    message: [headline, ...lines.map(line => `  ${line}`)].join('\n'),
    ...(diff && { diff }),
    ...(operands && { operands }),
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

/** Words for the most common operators. */
const relations: Readonly<Record<string, Relation>> = {
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

const relationNamed = (name: string): Relation | undefined => {
  const short = name.replace(namespaces, '')
  return Object.hasOwn(relations, short) ? relations[short] : undefined
}

interface Explained extends Comparison {
  readonly operands?: readonly Operand[]
}

/** The expected and the actual value, or the values of the operands. */
function explained(leaf: AssertLeaf, evaluation: Evaluation, secrets: Secrets): Explained {
  const { op, scope } = leaf
  const hidden = (value: SpecValue) => hiddenIn(value, secrets)
  const [source, subject] = [hidden(leaf.source), hidden(evaluation.subject)]
  const relation = relationNamed(op)
  if (relation !== undefined) return comparison(relation, source, subject)
  if (op === 'lines') return linesComparison(textOf(source), textOf(subject), evaluation)
  if (op !== 'evaluate') {
    const expected = `expected: ${op} ${printExpression(source)}`
    return { lines: [expected, ...writtenValue('actual', subject)] }
  }
  const compared = comparedIn(leaf.source)
  const computed = compared && partValue(compared.actual, scope, evaluation)
  if (compared === undefined || computed === undefined) {
    const operands = operandsOf(leaf.source, scope, evaluation, secrets)
    const lines = [
      `expected: ${shortened(printExpression(source), asItIs)}`,
      ...operands.map(({ expression, value }) => `  ${shortened(expression, asItIs)} is ${value}`),
      ...writtenValue('actual', subject),
    ]
    return { lines, ...(operands.length > 0 && { operands }) }
  }
  const [expected, actual] = [hidden(compared.expected), hidden(computed)]
  if (isSubject(compared.actual)) return comparison(compared.relation, expected, actual)
  const expression = printExpression(hidden(compared.actual))
  const what = shortened(expression, asItIs)
  const { lines, diff } = comparison(compared.relation, expected, actual, what)
  const value = shortened(textOf(actual), writingOf(actual))
  return {
    lines: [...lines, ...writtenValue('subject', subject)],
    ...(diff && { diff }),
    operands: [{ expression, value }],
  }
}

const asItIs = (text: string) => text

interface Compared {
  readonly relation: Relation
  readonly expected: SpecValue
  /** The expression that is compared with the expected literal. */
  readonly actual: SpecValue
}

const subjectForm: SpecValue = new Map([['var', 'subject']])

/** A relation between an expression and a literal. */
function comparedIn(source: SpecValue): Compared | undefined {
  const [entry] = isMapping(source) ? source : []
  if (entry === undefined || !isList(entry[1])) return undefined
  const [name, [first, second, ...more]] = entry
  const relation = relationNamed(name)
  if (relation === undefined || first === undefined || more.length > 0) return undefined
  if (second === undefined) return comparedWith(relation, subjectForm, first)
  return (
    comparedWith(relation, first, second) ??
    // Only an equation means the same the other way round.
    (relation === 'to equal' ? comparedWith(relation, second, first) : undefined)
  )
}

function comparedWith(
  relation: Relation,
  actual: SpecValue,
  form: SpecValue,
): Compared | undefined {
  const expected = literalOf(form)
  return expected === undefined ? undefined : { relation, expected, actual }
}

function literalOf(form: SpecValue): SpecValue | undefined {
  if (isMapping(form)) return form.size === 1 ? form.get('lit') : undefined
  return isList(form) ? undefined : form
}
