/** Finds assertions that contradict each other, cover everything together, or repeat. */
import type { AssertGroup, AssertLeaf, AssertNode } from '../assert/assert-tree.ts'
import { expressionFor, isSugarProblem } from '../assert/sugar.ts'
import { printExpression } from '../lang/print-value.ts'
import type { Scope } from '../lang/scope.ts'
import type { SpecValue } from '../lang/value.ts'
import { negatedForm } from './constant-fold.ts'
import { type LintedCase, placeOf, type Warning } from './linted-case.ts'
import { staticSubject } from './static-value.ts'

export function opposingAssertions({ raw, root, scope }: LintedCase): readonly Warning[] {
  const facts = demandedIn(root, true, scope)
  // A case with `expect` may be meant to fail.
  const opposed = raw.value.has('expect') ? [] : contradictions(facts)
  return [...opposed, ...repetitions(facts), ...coveringGroups(root, scope)]
}

/** A decisive predicate and whether it must hold. */
interface Fact {
  readonly leaf: AssertLeaf
  readonly says: string
  readonly holds: boolean
  /** Its group: duplicates within a group are reported elsewhere. */
  readonly group: string
}

/** Everything that must hold for the node to pass, or to fail. */
function demandedIn(node: AssertNode, holds: boolean, scope: Scope, group = ''): readonly Fact[] {
  if (node.kind === 'leaf') return factOf(node, holds, group, scope)
  const { kind, children, path } = node
  const isAlone = children.length === 1
  // All children hold in a `must` and none in a `cannot`; in other groups the choice is open.
  const isCertain = isAlone || (kind !== 'can' && holds) || (kind === 'can' && !holds)
  if (!isCertain) return []
  const inside = kind === 'cannot' ? !holds : holds
  return children.flatMap(child => demandedIn(child, inside, scope, `${path}.${kind}`))
}

function factOf(leaf: AssertLeaf, holds: boolean, group: string, scope: Scope): readonly Fact[] {
  const expression = expressionFor(leaf.op, leaf.source, leaf.subject)
  if (isSugarProblem(expression) || leaf.predicate.doubts.length > 0) return []
  const { positive, isNegated } = withoutNots(expression, scope)
  const says = `${leaf.subject} ${printExpression(positive)}`
  return [{ leaf, says, holds: holds !== isNegated, group }]
}

function withoutNots(expression: SpecValue, scope: Scope) {
  let positive = expression
  let isNegated = false
  for (
    let inner = negatedForm(positive, scope);
    inner !== undefined;
    inner = negatedForm(positive, scope)
  ) {
    positive = inner
    isNegated = !isNegated
  }
  return { positive, isNegated }
}

function contradictions(facts: readonly Fact[]): readonly Warning[] {
  return facts.flatMap((fact, at) => {
    const other = facts.slice(0, at).find(one => areOpposed(one, fact))
    if (other === undefined) return []
    return [
      {
        path: placeOf(fact.leaf),
        code: 'lint.contradiction',
        message: `contradicts ${placeOf(other.leaf)}: the case cannot pass`,
        hint: 'Remove one of the two, or put both into a can group.',
      },
    ]
  })
}

const areOpposed = (one: Fact, other: Fact): boolean =>
  one.holds !== other.holds &&
  (one.says === other.says || (one.holds ? isPartOf(other, one) : isPartOf(one, other)))

/** A text that contains the whole contains the part. */
const isPartOf = ({ leaf: part }: Fact, { leaf: whole }: Fact): boolean =>
  part.subject === whole.subject &&
  part.op === 'contain' &&
  whole.op === 'contain' &&
  typeof part.source === 'string' &&
  typeof whole.source === 'string' &&
  whole.source.includes(part.source)

function repetitions(facts: readonly Fact[]): readonly Warning[] {
  return facts.flatMap((fact, at) => {
    const other = facts.slice(0, at).find(one => one.says === fact.says && one.holds === fact.holds)
    if (other === undefined || other.group === fact.group) return []
    return [
      {
        path: placeOf(fact.leaf),
        code: 'lint.repeated',
        message: `repeats ${placeOf(other.leaf)}`,
        hint: 'Remove one of the two, or correct it.',
      },
    ]
  })
}

/** A `can` of a predicate and its negation always holds, unless the subject is missing. */
function coveringGroups(node: AssertNode, scope: Scope): readonly Warning[] {
  if (node.kind === 'leaf') return []
  const inside = node.children.flatMap(child => coveringGroups(child, scope))
  return node.kind === 'can' ? [...covering(node, scope), ...inside] : inside
}

function covering(group: AssertGroup, scope: Scope): readonly Warning[] {
  const facts = group.children.flatMap(child =>
    isSingle(child) ? demandedIn(child, true, scope) : [],
  )
  const opposed = facts.find((fact, at) =>
    facts.slice(0, at).some(one => one.says === fact.says && one.holds !== fact.holds),
  )
  if (opposed === undefined || !isSafe(opposed)) return []
  return [
    {
      path: `${group.path}.can`,
      atKey: true,
      code: 'lint.covers_all',
      message: 'one branch always holds, because two branches are opposites',
      hint: 'Remove one of the two branches.',
    },
  ]
}

/** One predicate in any number of nested groups. */
const isSingle = (node: AssertNode): boolean =>
  node.kind === 'leaf' || (node.children.length === 1 && node.children.every(isSingle))

/** It searches an existing subject and cannot end in an error. */
const isSafe = ({ leaf: { op, subject } }: Fact) =>
  (op === 'contain' || op === 'exists') && !staticSubject(subject).mayFail
