/** Reports patterns that no engine accepts, as errors. */
import type { AssertLeaf } from '../assert/assert-tree.ts'
import { expressionFor, isSugarProblem } from '../assert/sugar.ts'
import { operatorNamed } from '../lang/scope.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { type Foresight, withoutSubject } from './constant-fold.ts'
import { unforeseen } from './foreseen.ts'
import { type LintedCase, placeOf, type Warning } from './linted-case.ts'

/** A case with `expect` may be meant to fail. */
export function invalidPatterns({
  raw,
  leaves,
  scope,
  evaluation,
}: LintedCase): readonly Warning[] {
  if (raw.value.has('expect')) return []
  const sight = { subject: unforeseen, scope, evaluation }
  return leaves.flatMap(leaf => inLeaf(leaf, sight))
}

function inLeaf(leaf: AssertLeaf, sight: Foresight): readonly Warning[] {
  const expression = expressionFor(leaf.op, leaf.source, leaf.subject)
  if (isSugarProblem(expression)) return []
  const place = placeOf(leaf)
  // The expression of a shorthand has no place in the source.
  const isWritten = leaf.op === 'evaluate'
  return invalidIn(expression, place, sight).map(one => (isWritten ? one : { ...one, path: place }))
}

function invalidIn(form: SpecValue, path: string, sight: Foresight): readonly Warning[] {
  if (isList(form)) return form.flatMap((one, at) => invalidIn(one, `${path}[${at}]`, sight))
  if (!isMapping(form)) return []
  return [...form].flatMap(([name, operand]) => {
    if (name === 'lit' || name === 'var') return []
    const at = `${path}.${name}`
    return [...ownPatterns(name, operand, at, sight), ...invalidIn(operand, at, sight)]
  })
}

const matching: readonly string[] = [
  'std.string.regex_match',
  'std.string.matches',
  'std.string.matches_all',
]

/** The constant patterns of matching builtins. */
function ownPatterns(
  name: string,
  operand: SpecValue,
  path: string,
  sight: Foresight,
): readonly Warning[] {
  const pattern = isList(operand) ? operand[1] : undefined
  if (pattern === undefined || !matching.includes(operatorNamed(name, sight.scope)?.name ?? '')) {
    return []
  }
  const known = withoutSubject(pattern, sight)?.value
  const patterns = isList(known) ? known : [known]
  return patterns.flatMap(one => invalid(one, `${path}[1]`, sight))
}

function invalid(
  pattern: SpecValue | undefined,
  path: string,
  { evaluation: { regex, budget } }: Foresight,
): readonly Warning[] {
  if (typeof pattern !== 'string') return []
  const answer = regex.test(pattern, '', budget.timeoutMs || Infinity)
  if (typeof answer === 'boolean' || answer.category !== 'schema') return []
  return [
    {
      path,
      code: 'lint.pattern',
      message: answer.message,
      hint: 'Put a \\ before a sign that is meant as itself. Possessive signs, atomic and conditional groups are not there.',
    },
  ]
}
