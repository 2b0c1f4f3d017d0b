/** Who of several workers finds something to do, without handing anything out. */
import type { IssueMemory } from '../../issues/issue-memory.ts'
import { type Offered, offered } from '../../issues/offered.ts'
import { allHeldBy } from '../next-target.ts'

/** Each offer counts for one worker. Read no further than needed. */
export class OfferShare {
  readonly #memory: IssueMemory
  readonly #now: bigint
  readonly #setAside: ReadonlySet<string>
  readonly #offers: Iterator<Offered>
  /** Work that somebody is named for who has not asked yet. */
  readonly #named: string[] = []

  constructor(memory: IssueMemory, now: bigint, setAside: ReadonlySet<string>) {
    this.#memory = memory
    this.#now = now
    this.#setAside = setAside
    this.#offers = offered(memory, now)[Symbol.iterator]()
  }

  /** Whether there is something for this worker: what it holds, or an offer of its own. */
  takeFor(workerId: string): boolean {
    const held = allHeldBy(this.#memory, workerId, this.#now)
    if (held.some(({ id }) => !this.#setAside.has(id))) return true
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
