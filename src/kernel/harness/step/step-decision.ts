/** What a step comes to, from how its work ended, what verification said and what its turns show. */
import { byCodePoint } from '../../canonical.ts'
import type { RetryDecision } from '../retry/retry-decision.ts'
import type { StepChange } from './step-journal.ts'

export interface StepFacts {
  /** Classes by which the work failed; none where it passed. */
  readonly workClasses: readonly string[]
  /** None where it passed; `undefined` where it did not run. */
  readonly verifyClasses: readonly string[] | undefined
  /** Of the step's own turn and of every turn the work left. */
  readonly turnClasses: readonly string[]
  readonly turnsLeft: number
  readonly requireAgentEvidence: boolean
  /** Of work that is to go on somewhere else: why it does not count. */
  readonly relocationClasses: readonly string[]
  /** Somebody asked us to stop before the work had ended. */
  readonly stopped: boolean
  /** The lease was somebody else's before the work had ended. */
  readonly leaseLost: boolean
  /** What failed did so where nothing is any more, and says nothing about the issue. */
  readonly worktreeGone: boolean
}

/** Asked for by policy, and nothing was left in the evidence file. */
export const evidenceMissing = 'mutation.use_evidence_missing'
/** Found out when it was to be renewed. */
export const leaseLostClass = 'lease_lost'
export const stoppedClass = 'interrupted_by_signal'
export const worktreeGoneClass = 'worktree_gone'

/** Every reason not to call the step done. A gate's come first: they decide. */
export function failureClassesOf(facts: StepFacts): readonly string[] {
  const gate = [
    ...facts.turnClasses,
    ...facts.relocationClasses,
    ...(facts.requireAgentEvidence && facts.turnsLeft === 0 ? [evidenceMissing] : []),
  ]
  if (facts.leaseLost) return [...new Set([...gate.sort(byPoint), leaseLostClass])]
  return [...new Set([...gate.sort(byPoint), ...ownClassesOf(facts)])]
}

function ownClassesOf({ stopped, worktreeGone, ...facts }: StepFacts): readonly string[] {
  if (stopped) return [stoppedClass]
  const failed = [...facts.workClasses, ...(facts.verifyClasses ?? [])]
  return failed.length > 0 && worktreeGone ? [worktreeGoneClass] : failed
}

/** That a turn is open is said best by what it lacks. */
function byPoint(a: string, b: string): number {
  const isVague = (name: string) => Number(name === 'tool.join_incomplete')
  return isVague(a) - isVague(b) || byCodePoint(a, b)
}

/** `undefined` decision: nothing failed. */
export function changeOf(decision: RetryDecision | undefined, gateSaidNo: boolean): StepChange {
  if (!decision) return 'close'
  if (gateSaidNo || decision.retry) return 'keep'
  switch (decision.escalationAction) {
    case 'mark_blocked':
      return 'block'
    case 'issue_discover':
      return 'discover'
    case 'stop':
      return 'release'
  }
}

export function resultClassOf(decision: RetryDecision | undefined): string {
  if (!decision) return 'completed'
  const { retry, matchedFailureClass } = decision
  return retry ? `retry_needed_${matchedFailureClass}` : matchedFailureClass
}
