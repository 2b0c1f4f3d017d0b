/** Renews a step's lease while its commands run, and says when it is lost. */

import { isRefusal } from '../kernel/work/issue-refusal.ts'
import { seconds } from '../kernel/work/timestamp.ts'
import type { ClaimedWork } from './claim-work.ts'
import type { Harness } from './harness.ts'

/** How often it is looked whether a renewal is due. */
export const pulseMs = 2_000

export class LeaseKeeper {
  readonly #harness: Harness
  readonly #work: ClaimedWork
  readonly #ttlSeconds: number
  #renewed: bigint
  #isHeld = true

  constructor(harness: Harness, work: ClaimedWork, ttlSeconds: number) {
    this.#harness = harness
    this.#work = work
    this.#ttlSeconds = ttlSeconds
    this.#renewed = harness.clock.now()
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  /** Whether the lease is still ours. Renews it when a third of its term has passed. */
  async pulse(): Promise<boolean> {
    const now = this.#harness.clock.now()
    const isDue = now - this.#renewed >= seconds(this.#ttlSeconds) / 3n
    if (!this.#isHeld || !isDue) return this.#isHeld
    const { store, workerId, authority } = this.#harness
    const { issue, leaseId, fence } = this.#work
    const renewed = await store.mutate(authority(), {
      action: 'issue.lease_renew',
      id: issue.id,
      proof: { assignee: workerId, leaseId, fence },
      term: { ttlSeconds: this.#ttlSeconds },
    })
    this.#isHeld = !isRefusal(renewed)
    this.#renewed = now
    return this.#isHeld
  }
}
