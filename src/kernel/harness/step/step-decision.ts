/** Decides the result of an attempt from its work, its verification and its turns. */

import type { RetryDecision } from '../../../wire/harness/retry-decision.ts'
import type { StepChange } from '../../../wire/harness/step-journal.ts'
import { byCodePoint } from '../../canonical.ts'

interface StepFacts {
  /** Empty if the work passed. */
  readonly workClasses: readonly string[]
  /** Empty if it passed, `undefined` if it did not run. */
  readonly verifyClasses: readonly string[] | undefined
  /** Classes of the step's own turn and of the turns that the work left. */
  readonly turnClasses: readonly string[]
  readonly turnsLeft: number
  readonly requireAgentEvidence: boolean
  /** Why a relocation does not count. */
  readonly relocationClasses: readonly string[]
  /** True if a stop signal came before the work ended. */
  readonly stopped: boolean
  /** True if the lease was lost before the work ended. */
  readonly leaseLost: boolean
  /** True if the worktree was removed. A failure then says nothing about the issue. */
  readonly worktreeGone: boolean
}

/** The policy requires evidence and the work left none. */
const evidenceMissing = 'mutation.use_evidence_missing'
/** Found when the lease was to be renewed. */
export const leaseLostClass = 'lease_lost'
export const stoppedClass = 'interrupted_by_signal'
export const worktreeGoneClass = 'worktree_gone'
/** The work is verified, and its issue closes when the target has it. */
export const reviewClass = 'in_review'
/** The command for a branch for review failed. */
export const landCommandClass = 'land_command_failed'
/** The commit of verified work cannot land until a person acts. */
export const parkedClass = 'landing_parked'
/** The work conflicts with what landed before it. */
export const conflictClass = 'landing_conflict'
/** The work changed files that judge it. */
export const protectedClass = 'protected_path_changed'
/** Found by a recovery: the worker ended before the step had a result. */
export const interruptedClass = 'interrupted'

/**
 * Returns every reason against closing the issue. Classes of the gate come first, because they
 * decide.
 */
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

/** Puts `tool.join_incomplete` last, because the other classes are more precise. */
function byPoint(a: string, b: string): number {
  const isVague = (name: string) => Number(name === 'tool.join_incomplete')
  return isVague(a) - isVague(b) || byCodePoint(a, b)
}

/** An undefined decision means that nothing failed. Work on a branch for review stays open. */
export function changeOf(
  decision: RetryDecision | undefined,
  { gateSaidNo, isForReview }: { readonly gateSaidNo: boolean; readonly isForReview: boolean },
): StepChange {
  if (!decision) return isForReview ? 'review' : 'close'
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

export function resultClassOf(decision: RetryDecision | undefined, isForReview: boolean): string {
  if (!decision) return isForReview ? reviewClass : 'completed'
  const { retry, matchedFailureClass } = decision
  return retry ? `retry_needed_${matchedFailureClass}` : matchedFailureClass
}
