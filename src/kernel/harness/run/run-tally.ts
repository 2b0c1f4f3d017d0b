/** What a run has come to so far, and which issues it does not take again. */
import { isGateClass } from '../retry/gate-class.ts'
import { leaseLostClass, stoppedClass } from '../step/step-decision.ts'
import type { FailedIssue } from './run-event.ts'

/** What one piece of work came to, its last try counting. */
export interface EndedWork extends FailedIssue {
  readonly workerId: string
  /** The issue that was added about its failure. */
  readonly added?: string
}

export type WorkVerdict = 'closed' | 'refused' | 'failed' | 'lost' | 'stopped'

export function verdictOf({ resultClass, failureClasses }: EndedWork): WorkVerdict {
  if (resultClass === 'completed') return 'closed'
  // Somebody else has it: what this worker found is not what it comes to.
  if (failureClasses.some(isTaken)) return 'lost'
  if (failureClasses.some(isGateClass)) return 'refused'
  if (failureClasses.includes(stoppedClass)) return 'stopped'
  // Given away by the work itself: what failed besides is what it comes to.
  return failureClasses.every(name => name === goneClass) ? 'lost' : 'failed'
}

const goneClass = 'lease_missing'

const isTaken = (name: string) =>
  name === leaseLostClass || (name.startsWith('lease_') && name !== goneClass)

/** Lost more often in one run, an issue is not worth another try. */
const lossesMax = 2

export class RunTally {
  readonly closed: string[] = []
  readonly #failed = new Map<string, FailedIssue>()
  readonly #refused = new Map<string, FailedIssue>()
  readonly #lost = new Map<string, FailedIssue>()
  readonly #losses = new Map<string, number>()
  /**
   * What failed here fails again: another run may try, this one takes what is left. Nor does it take
   * what was added about a failure: that would fail alike and add another, without end. A set, so
   * that it can be asked for while work is claimed.
   */
  readonly setAside = new Set<string>()
  interrupted = 0

  take(ended: EndedWork): WorkVerdict {
    const verdict = verdictOf(ended)
    const { workerId: _worker, added, ...failed } = ended
    const { issueId } = ended
    if (added !== undefined) this.setAside.add(added)
    if (verdict === 'closed') this.close(issueId)
    if (verdict === 'failed') this.#failed.set(issueId, failed)
    if (verdict === 'refused') this.#refused.set(issueId, failed)
    if (verdict === 'lost') this.#lose(failed)
    if (verdict === 'failed' || verdict === 'refused') this.setAside.add(issueId)
    if (verdict === 'stopped') this.interrupted++
    return verdict
  }

  /** It may be free again: whoever took it can lose it too. */
  #lose(failed: FailedIssue): void {
    const { issueId } = failed
    this.#lost.set(issueId, failed)
    const losses = (this.#losses.get(issueId) ?? 0) + 1
    this.#losses.set(issueId, losses)
    if (losses >= lossesMax) this.setAside.add(issueId)
  }

  /** Whoever closed it, and however late it was told. */
  close(issueId: string): void {
    if (!this.closed.includes(issueId)) this.closed.push(issueId)
    for (const others of [this.#failed, this.#refused, this.#lost]) others.delete(issueId)
  }

  get failed(): readonly FailedIssue[] {
    return [...this.#failed.values()]
  }

  /** Work of ours on issues that others had before it was done. */
  get lost(): readonly FailedIssue[] {
    return [...this.#lost.values()]
  }

  get refused(): readonly FailedIssue[] {
    return [...this.#refused.values()]
  }
}

/** How often in a row the tries of one worker failed alike. */
export class FailureStreak {
  #class = ''
  #length = 0

  /** The class, when this try makes it three. */
  take(failureClasses: readonly string[]): string | undefined {
    const [first = ''] = failureClasses
    this.#length = first !== '' && first === this.#class ? this.#length + 1 : 1
    this.#class = first
    return first !== '' && this.#length === streakMax ? first : undefined
  }
}

export const streakMax = 3
