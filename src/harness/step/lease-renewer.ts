/** Renews a step's lease while its commands run, and reports when it is lost. */

import { Fault } from '../../fault.ts'
import type { IssueChanged } from '../../kernel/issues/issue-change.ts'
import { type IssueRefusal, isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { instantOf, seconds } from '../../kernel/timestamp.ts'
import type { Harness } from '../harness.ts'
import type { ClaimedWork } from './claim-work.ts'

/** The interval of checks whether a renewal is due. */
export const renewCheckMs = 2_000

type HeldIssue = Pick<ClaimedWork, 'issue' | 'leaseId' | 'fence'>

export class LeaseRenewer {
  readonly #harness: Harness
  readonly #work: HeldIssue
  readonly #ttlSeconds: number
  #renewed: bigint
  #renewedSteady: bigint
  #expiresAt: string
  #isHeld = true
  #hasWarned = false

  /** `since`: when the lease was last renewed. */
  constructor(
    harness: Harness,
    work: HeldIssue,
    ttlSeconds: number,
    since: bigint = harness.clock.now(),
  ) {
    this.#harness = harness
    this.#work = work
    this.#ttlSeconds = ttlSeconds
    this.#renewed = since
    this.#renewedSteady = harness.clock.steady()
    this.#expiresAt = work.issue.lease?.expires_at ?? ''
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  /**
   * Returns whether the lease is still held. Renews it when a third of its term has passed by either clock:
   * the system clock can be set, and the steady one stops while the machine sleeps.
   */
  async renewIfDue(): Promise<boolean> {
    const { clock } = this.#harness
    const now = clock.now()
    const third = seconds(this.#ttlSeconds) / 3n
    const isDue = now - this.#renewed >= third || clock.steady() - this.#renewedSteady >= third
    if (!this.#isHeld || !isDue) return this.#isHeld
    // After the warning, an expired lease counts as lost without another try.
    if (this.#hasWarned && this.#leftAt(now) <= 0n) this.#isHeld = false
    if (!this.#isHeld) return false
    const renewed = await this.#renew()
    if (renewed === 'busy') this.#warn(this.#harness.clock.now())
    else if (isRefusal(renewed)) this.#isHeld = false
    else this.#keep(renewed, now)
    return this.#isHeld
  }

  /** A lock held by another writer does not end a lease early. */
  async #renew(): Promise<IssueChanged | IssueRefusal | 'busy'> {
    const { store, workerId, authority } = this.#harness
    const { issue, leaseId, fence } = this.#work
    try {
      return await store.mutate(authority(), {
        action: 'issue.lease_renew',
        id: issue.id,
        proof: { assignee: workerId, leaseId, fence },
        term: { ttlSeconds: this.#ttlSeconds },
      })
    } catch (error) {
      if (error instanceof Fault && error.code === 'conflict') return 'busy'
      throw error
    }
  }

  #keep({ issue }: IssueChanged, now: bigint): void {
    this.#renewed = now
    this.#renewedSteady = this.#harness.clock.steady()
    this.#hasWarned = false
    this.#expiresAt = issue?.lease?.expires_at ?? this.#expiresAt
    const { id } = this.#work.issue
    this.#harness.emit({ event: 'lease.renewed', issueId: id, leaseExpiresAt: this.#expiresAt })
  }

  #leftAt(now: bigint): bigint {
    return (instantOf(this.#expiresAt) ?? now) - now
  }

  /**
   * Warns once per term when little time is left. An expired lease may belong to another worker.
   */
  #warn(now: bigint): void {
    const left = this.#leftAt(now)
    if (left <= 0n) this.#isHeld = false
    if (this.#hasWarned || left > seconds(this.#ttlSeconds) / 3n) return
    this.#hasWarned = true
    const { id } = this.#work.issue
    this.#harness.emit({ event: 'lease.ending', issueId: id, leaseExpiresAt: this.#expiresAt })
  }
}
