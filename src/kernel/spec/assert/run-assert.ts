/** Decides assertions over subjects. Every verdict comes from the evaluator. */
import { Secrets } from '../../text/secrets.ts'
import type { Budget } from '../lang/budget.ts'
import type { Offered } from '../lang/builtin.ts'
import { evaluate, isSpecError } from '../lang/evaluate.ts'
import { isTruthy } from '../lang/item.ts'
import type { StartTimer } from '../lang/meter.ts'
import type { Regex } from '../lang/regex.ts'
import type { SpecError } from '../lang/spec-error.ts'
import type { AssertGroup, AssertLeaf, AssertNode } from './assert-tree.ts'
import { groupFailure, leafError, leafFailure } from './failure-text.ts'
import type { Operand } from './operands.ts'
import type { Subject } from './subject.ts'
import type { CommandOutput } from './written-value.ts'

export interface AssertSetting {
  readonly caseId: string
  /** Called once for each evaluated predicate. */
  subjectOf(target: string): Subject
  readonly offered?: Offered | undefined
  /** Hidden in messages. */
  readonly secrets?: Secrets | undefined
  readonly budget: Budget
  readonly startTimer: StartTimer
  readonly regex: Regex
  /** Called after each evaluated predicate. */
  readonly onDecided?:
    | ((leaf: AssertLeaf, subject: Subject, failure: AssertFailure | undefined) => void)
    | undefined
}

/** Why a case fails: an assertion that does not hold, or one that could not be evaluated. */
export interface AssertFailure extends SpecError {
  readonly assertPath: string
  readonly target?: string
  readonly op?: string
  /** The lines of a diff in the message. */
  readonly diff?: readonly string[]
  /** The operands of a failed expression with their values. */
  readonly operands?: readonly Operand[]
  /** The end of the output of the command that failed. */
  readonly output?: CommandOutput
}

interface AssertOutcome {
  readonly failure: AssertFailure | undefined
  /** The number of predicates that were evaluated. */
  readonly evaluated: number
}

export function runAssert(root: AssertGroup, setting: AssertSetting): AssertOutcome {
  const run = new AssertRun(setting)
  const failure = run.node(root)
  return { failure, evaluated: run.evaluated }
}

/** How many branches are listed when none of them holds. */
const branchesShown = 5

class AssertRun {
  readonly #setting: AssertSetting
  evaluated = 0

  constructor(setting: AssertSetting) {
    this.#setting = setting
  }

  node(node: AssertNode): AssertFailure | undefined {
    if (node.kind === 'leaf') return this.#leaf(node)
    if (node.kind === 'must') return this.#must(node)
    return node.kind === 'can' ? this.#can(node) : this.#cannot(node)
  }

  #must({ children }: AssertGroup): AssertFailure | undefined {
    for (const child of children) {
      const failure = this.node(child)
      if (failure) return failure
    }
    return undefined
  }

  /**
   * Another branch can make up for one that does not hold, but not for one that could not be
   * evaluated.
   */
  #can(group: AssertGroup): AssertFailure | undefined {
    const failures: AssertFailure[] = []
    for (const child of group.children) {
      const failure = this.node(child)
      if (!failure) return undefined
      if (failure.category !== 'assertion') return failure
      failures.push(failure)
    }
    const shown = failures.slice(0, branchesShown).map(({ message }) => message)
    return groupFailure(this.#setting.caseId, group, 'no branch holds', shown)
  }

  #cannot(group: AssertGroup): AssertFailure | undefined {
    const held: string[] = []
    for (const child of group.children) {
      const failure = this.node(child)
      if (failure && failure.category !== 'assertion') return failure
      if (!failure) held.push(child.path)
    }
    if (held.length === 0) return undefined
    const words = `expected no branch to hold, got ${held.length} of ${group.children.length}`
    return groupFailure(this.#setting.caseId, group, words, held)
  }

  #leaf(leaf: AssertLeaf): AssertFailure | undefined {
    this.evaluated++
    const found = this.#setting.subjectOf(leaf.subject)
    const failure = this.#decide(leaf, found)
    this.#setting.onDecided?.(leaf, found, failure)
    return failure
  }

  #decide(leaf: AssertLeaf, found: Subject): AssertFailure | undefined {
    const { caseId, budget, startTimer, regex, offered, secrets = new Secrets() } = this.#setting
    if ('category' in found) return leafError(caseId, leaf, found)
    const evaluation = { subject: found.value, offered, budget, startTimer, regex }
    const outcome = evaluate(leaf.predicate, evaluation)
    if (isSpecError(outcome)) return leafError(caseId, leaf, outcome)
    return isTruthy(outcome.value) ? undefined : leafFailure(caseId, leaf, evaluation, secrets)
  }
}
