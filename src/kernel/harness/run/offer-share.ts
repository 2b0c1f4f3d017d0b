/** Computes which of several workers can claim an issue, without claiming any. */
import type { IssueMemory } from '../../issues/issue-memory.ts'
import { isLanding } from '../../issues/landing/landing-state.ts'
import { type Offered, offered } from '../../issues/offered.ts'
import { allHeldBy } from '../next-target.ts'

/** Each offered issue counts for one worker. Offers are read only as far as needed. */
export class OfferShare {
  readonly #memory: IssueMemory
  readonly #now: bigint
  readonly #setAside: ReadonlySet<string>
  readonly #offers: Iterator<Offered>
  /** Workers that have an assigned issue and were not asked about yet. */
  readonly #named: string[] = []

  constructor(memory: IssueMemory, now: bigint, setAside: ReadonlySet<string>) {
    this.#memory = memory
    this.#now = now
    this.#setAside = setAside
    this.#offers = offered(memory, now)[Symbol.iterator]()
  }

  /** True if the worker holds an issue or an offered issue is left for it. */
  takeFor(workerId: string): boolean {
    const held = allHeldBy(this.#memory, workerId, this.#now)
    if (held.some(issue => !this.#setAside.has(issue.id) && !isLanding(issue))) return true
    const named = this.#named.indexOf(workerId)
    if (named >= 0) {
      this.#named.splice(named, 1)
      return true
    }
    return this.#nextFor(workerId)
  }

  #nextFor(workerId: string): boolean {
    for (let next = this.#offers.next(); !next.done; next = this.#offers.next()) {
      const { id, assignee, left } = next.value
      if (this.#setAside.has(id)) continue
      if (assignee === '' || assignee === workerId || left) return true
      this.#named.push(assignee)
    }
    return false
  }
}
