/** The results of a run so far, and the issues that it skips. */

import type { FailedIssue, StopClass } from '../../../wire/run/run-event.ts'
import { isEnvironmentFailure, isUnrunnable } from '../retry/failure-class.ts'
import { isGateClass } from '../retry/gate-class.ts'
import { leaseLostClass, parkedClass, reviewClass, stoppedClass } from '../step/step-decision.ts'
import type { StepEventOf } from './run-event.ts'

/** The result of one claim. Its last attempt counts. */
export interface EndedWork extends FailedIssue {
  readonly workerId: string
  /** The issue that the escalation added. */
  readonly added?: string
}

export type WorkVerdict =
  | 'closed'
  | 'reviewed'
  | 'refused'
  | 'failed'
  | 'parked'
  | 'lost'
  | 'stopped'
  | 'postponed'

export function verdictOf({ resultClass, failureClasses }: EndedWork): WorkVerdict {
  if (resultClass === 'completed') return 'closed'
  if (resultClass === reviewClass) return 'reviewed'
  // Another worker holds the issue, so the result of this one does not count.
  if (failureClasses.some(isTaken)) return 'lost'
  if (failureClasses.some(isGateClass)) return 'refused'
  if (failureClasses.includes(stoppedClass)) return 'stopped'
  // The policy allows a retry, which follows when the run continues.
  if (failureClasses.includes(postponed)) return 'postponed'
  if (failureClasses.includes(parkedClass)) return 'parked'
  // The work command released its lease itself, so the other failures count.
  return failureClasses.every(name => name === goneClass) ? 'lost' : 'failed'
}

const goneClass = 'lease_missing'

/** Somebody else took the issue, closed it, removed it or made it wait for another. */
const takenClasses: readonly string[] = [
  leaseLostClass,
  'issue_blocked',
  'issue_closed',
  'issue_missing',
] satisfies readonly StopClass[]
const postponed: StopClass = 'run_paused'

const isTaken = (name: string) =>
  takenClasses.includes(name) || (name.startsWith('lease_') && name !== goneClass)

/** An issue that is lost this often is skipped for the rest of the run. */
const lossesMax = 2

export class RunTally {
  readonly closed: string[] = []
  readonly inReview: string[] = []
  readonly #failed = new Map<string, FailedIssue>()
  readonly #parked = new Map<string, FailedIssue>()
  readonly #refused = new Map<string, FailedIssue>()
  readonly #lost = new Map<string, FailedIssue>()
  readonly #losses = new Map<string, number>()
  /**
   * Issues that this run skips. A failed issue would fail again, and an issue added by an
   * escalation would fail alike and add another. The same set is read while claims are made.
   */
  readonly setAside = new Set<string>()
  /** Those among them that wait for work which the target lacks. */
  readonly #keptBack = new Set<string>()
  interrupted = 0

  take(ended: EndedWork): WorkVerdict {
    const verdict = verdictOf(ended)
    const { workerId: _worker, added, ...failed } = ended
    const { issueId } = ended
    if (added !== undefined) this.setAside.add(added)
    if (verdict === 'closed') this.close(issueId)
    if (verdict === 'reviewed') this.inReview.push(issueId)
    if (verdict === 'failed') this.#failed.set(issueId, failed)
    if (verdict === 'parked') this.#parked.set(issueId, failed)
    if (verdict === 'refused') this.#refused.set(issueId, failed)
    if (verdict === 'lost') this.#lose(failed)
    if (['failed', 'parked', 'refused'].includes(verdict)) this.setAside.add(issueId)
    if (verdict === 'stopped') this.interrupted++
    return verdict
  }

  /** Skips these issues until a later call no longer names them. */
  keepBack(ids: ReadonlySet<string>): void {
    for (const id of this.#keptBack) {
      if (ids.has(id)) continue
      this.#keptBack.delete(id)
      this.setAside.delete(id)
    }
    for (const id of ids) {
      if (this.setAside.has(id)) continue
      this.#keptBack.add(id)
      this.setAside.add(id)
    }
  }

  /** The issue may become free again, so it is not skipped at once. */
  #lose(failed: FailedIssue): void {
    const { issueId } = failed
    this.#lost.set(issueId, failed)
    const losses = (this.#losses.get(issueId) ?? 0) + 1
    this.#losses.set(issueId, losses)
    if (losses >= lossesMax) this.setAside.add(issueId)
  }

  /** Counts a closed issue once, also if it failed earlier in the run. */
  close(issueId: string): void {
    if (!this.closed.includes(issueId)) this.closed.push(issueId)
    for (const others of [this.#failed, this.#parked, this.#refused, this.#lost]) {
      others.delete(issueId)
    }
  }

  get failed(): readonly FailedIssue[] {
    return [...this.#failed.values()]
  }

  /** Verified work whose landing waits for a person. */
  get parked(): readonly FailedIssue[] {
    return [...this.#parked.values()]
  }

  /** Attempts whose issue another worker took before they ended. */
  get lost(): readonly FailedIssue[] {
    return [...this.#lost.values()]
  }

  get refused(): readonly FailedIssue[] {
    return [...this.#refused.values()]
  }
}

/** Counts consecutive attempts with the same failure class. */
export class FailureStreak {
  #class = ''
  #length = 0

  /** Returns the class when its count reaches the limit. */
  take(failureClasses: readonly string[]): string | undefined {
    const [first = ''] = failureClasses
    this.#length = first !== '' && first === this.#class ? this.#length + 1 : 1
    this.#class = first
    return first !== '' && this.#length === streakMax ? first : undefined
  }
}

export const streakMax = 3

/** An environment failure that a shell does not confirm must repeat before it ends the run. */
const environmentStreakMax = 2

/** Watches the attempts of all workers for an environment in which no issue can be worked on. */
export class EnvironmentWatch {
  #streak = 0

  /** Returns true if the run must end. */
  take({
    failureClasses,
    exitCode,
  }: Pick<StepEventOf<'attempt.ended'>, 'failureClasses' | 'exitCode'>): boolean {
    this.#streak = isEnvironmentFailure(failureClasses) ? this.#streak + 1 : 0
    if (this.#streak === 0) return false
    return isUnrunnable(exitCode) || this.#streak >= environmentStreakMax
  }
}
