/** Warns about assertions that always hold or never hold. */

import { shellWord } from '../../text/shell-word.ts'
import type { AssertLeaf, AssertNode } from '../assert/assert-tree.ts'
import { isReported } from '../assert/health.ts'
import { expressionFor, isSugarProblem } from '../assert/sugar.ts'
import type { Compiled } from '../lang/compile.ts'
import { evaluate, isSpecError } from '../lang/evaluate.ts'
import { expectedLines } from '../lang/expected-lines.ts'
import { Float } from '../lang/float.ts'
import { isTruthy } from '../lang/item.ts'
import { Meter } from '../lang/meter.ts'
import { operatorNamed, type Scope } from '../lang/scope.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { type FoldInput, fold, foldWithoutSubject, readsSubject } from './constant-fold.ts'
import { type LintedCase, placeOf, type Warning } from './linted-case.ts'
import { type StaticValue, staticSubject, unknownValue } from './static-value.ts'

export const constantAssertions = (linted: LintedCase): readonly Warning[] =>
  nodeWarnings(linted.root, 'must', linted)

/** The effect of a leaf on the case; `inner` if it depends on siblings. */
type Role = 'must' | 'can' | 'cannot' | 'inner'

function nodeWarnings(node: AssertNode, role: Role, linted: LintedCase): readonly Warning[] {
  if (node.kind === 'leaf') return leafWarnings(node, role, linted)
  const inside = role === 'must' ? node.kind : 'inner'
  return node.children.flatMap(child => nodeWarnings(child, inside, linted))
}

function leafWarnings(leaf: AssertLeaf, role: Role, linted: LintedCase): readonly Warning[] {
  const { op, source, predicate, target } = leaf
  if (predicate.doubts.length > 0 || isReported(op, source)) return []
  const truth = certainTruth(leaf, linted)
  // A `cannot` that may end in an error can still fail.
  if (truth === undefined || (role === 'cannot' && truth === 'false or an error')) return []
  const holds = truth === 'true'
  if (isMeant(linted, holds === (role === 'cannot'))) return []
  const isConstant = op === 'evaluate' && !readsSubject(predicate.code)
  const what = isConstant
    ? `does not use ${target}, so it ${holds ? 'always' : 'never'} holds`
    : `holds for ${holds ? 'every' : 'no'} ${target}`
  const code = isConstant ? 'lint.constant' : holds ? 'lint.always_true' : 'lint.always_false'
  const hint = isConstant ? 'Use {var: subject} in it.' : hintFor(leaf, holds, linted)
  return [
    { path: placeOf(leaf), code, message: `${what}${outcomes[role][holds ? 'yes' : 'no']}`, hint },
  ]
}

/** A case with `expect` may be meant to fail. */
const isMeant = ({ raw }: LintedCase, endsIt: boolean) => endsIt && raw.value.has('expect')

function hintFor({ source }: AssertLeaf, holds: boolean, { raw, scope }: LintedCase): string {
  if (holds) {
    return 'Replace it with an assertion that can fail, such as a text it must contain, or remove it.'
  }
  const float = strictFloat(source, scope)
  return float === undefined
    ? `Compare it with a possible value. To see the values: premath spec explain ${shellWord(raw.id)}.`
    : `${float} is not an integer: write ${float.value}, or use eq, which compares by value.`
}

/** A literal that differs from an integer only by its fraction. */
function strictFloat(source: SpecValue, scope: Scope): Float | undefined {
  const [[name, operand] = ['', null]] = isMapping(source) ? source : []
  if (!isList(operand) || operatorNamed(name, scope)?.name !== 'std.logic.equals') return undefined
  return operand.filter(one => one instanceof Float).find(({ value }) => value >= 0)
}

const outcomes: Readonly<Record<Role, { readonly yes: string; readonly no: string }>> = {
  must: { yes: ': it cannot fail', no: ': the case cannot pass' },
  can: {
    yes: ': the other branches have no effect',
    no: ': only the other branches have an effect',
  },
  cannot: { yes: ', but must not: the case cannot pass', no: ': it cannot fail' },
  inner: { yes: '', no: '' },
}

/** For predicates that never read the subject. */
function evaluatedNow(
  predicate: Compiled,
  evaluation: LintedCase['evaluation'],
): Pick<StaticValue, 'truth' | 'mayFail'> {
  const outcome = evaluate(predicate, { ...evaluation, subject: null })
  if (!isSpecError(outcome)) return { truth: isTruthy(outcome.value), mayFail: false }
  // A budget may suffice on another machine.
  return { truth: outcome.category === 'schema' ? false : undefined, mayFail: true }
}

/** Larger expressions are generated, and analysing each part is expensive. */
const nodesMax = 1000

/** Ignores budgets: size is a separate concern. */
function certainTruth(
  { op, source, subject, predicate }: AssertLeaf,
  { scope, evaluation }: Pick<LintedCase, 'scope' | 'evaluation'>,
): 'true' | 'false' | 'false or an error' | undefined {
  const expression = expressionFor(op, source, subject)
  if (isSugarProblem(expression) || predicate.nodes > nodesMax) return undefined
  const seen = staticSubject(subject)
  const sight = { subject: seen, scope, evaluation }
  const { truth, mayFail } = readsSubject(predicate.code)
    ? fold(expression, sight)
    : evaluatedNow(predicate, evaluation)
  const isSafe = !mayFail && !seen.mayFail
  if (truth === false) return isSafe ? 'false' : 'false or an error'
  return truth && isSafe ? 'true' : undefined
}

/** A case with `expect` may be meant to fail. */
export function invalidPatterns({
  raw,
  leaves,
  scope,
  evaluation,
}: LintedCase): readonly Warning[] {
  if (raw.value.has('expect')) return []
  const sight = { subject: unknownValue, scope, evaluation }
  return leaves.flatMap(leaf => inLeaf(leaf, sight))
}

function inLeaf(leaf: AssertLeaf, sight: FoldInput): readonly Warning[] {
  const expression = expressionFor(leaf.op, leaf.source, leaf.subject)
  if (isSugarProblem(expression)) return []
  const place = placeOf(leaf)
  // The expression of a shorthand has no place in the source.
  const isWritten = leaf.op === 'evaluate'
  return invalidIn(expression, place, sight).map(one => (isWritten ? one : { ...one, path: place }))
}

function invalidIn(form: SpecValue, path: string, sight: FoldInput): readonly Warning[] {
  if (isList(form)) return form.flatMap((one, at) => invalidIn(one, `${path}[${at}]`, sight))
  if (!isMapping(form)) return []
  return [...form].flatMap(([name, operand]) => {
    if (name === 'lit' || name === 'var') return []
    const at = `${path}.${name}`
    return [...ownPatterns(name, operand, at, sight), ...invalidIn(operand, at, sight)]
  })
}

const linesOperator = 'std.string.matches_lines'

const matching: readonly string[] = [
  'std.string.regex_match',
  'std.string.matches',
  'std.string.matches_all',
  linesOperator,
]

/** The marked lines of a block. */
const patternsOf = (block: SpecValue | undefined): readonly string[] =>
  expectedLines(typeof block === 'string' ? block : '')
    .filter(({ kind }) => kind === 're' || kind === 'glob')
    .map(({ text }) => text)

/** The constant patterns of matching builtins. */
function ownPatterns(
  name: string,
  operand: SpecValue,
  path: string,
  sight: FoldInput,
): readonly Warning[] {
  const pattern = isList(operand) ? operand[1] : undefined
  const operator = operatorNamed(name, sight.scope)?.name ?? ''
  if (pattern === undefined || !matching.includes(operator)) return []
  const known = foldWithoutSubject(pattern, sight)?.value
  const patterns = operator === linesOperator ? patternsOf(known) : isList(known) ? known : [known]
  return patterns.flatMap(one => invalid(one, `${path}[1]`, sight))
}

function invalid(
  pattern: SpecValue | undefined,
  path: string,
  { evaluation: { regex, budget, startTimer } }: FoldInput,
): readonly Warning[] {
  if (typeof pattern !== 'string') return []
  const answer = regex.test(pattern, '', new Meter(budget, startTimer))
  if (typeof answer === 'boolean' || answer.category !== 'schema') return []
  return [
    {
      path,
      code: 'lint.pattern',
      message: answer.message,
      hint: 'Escape literal special characters with \\. Possessive quantifiers, atomic and conditional groups are not supported.',
    },
  ]
}
