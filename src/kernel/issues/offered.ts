/** Claimable issues: ready ones without a holder, and expired claims. */
import type { Lease } from '../../wire/issue/issue.ts'
import type { Issue } from './issue.ts'
import type { IssueMemory } from './issue-memory.ts'
import { byRank } from './issue-order.ts'
import { leaseStateAt } from './lease-state.ts'
import type { Offer } from './ready-list.ts'

export interface Offered extends Offer {
  readonly status: string
  /** The expired lease. */
  readonly left: Lease | undefined
}

/** Best first, computed one by one, because there may be many. */
export function* offered(memory: IssueMemory, now: bigint): Iterable<Offered> {
  const left = memory.reclaimable(now)
  let next = 0
  for (const offer of memory.ready()) {
    for (let row = left[next]; row && byRank(row, offer) < 0; row = left[++next]) {
      yield offeredAs(row, row.status, row.lease)
    }
    const lease = memory.leaseOf(offer.id)
    if (leaseStateAt(lease, now) !== 'active') yield offeredAs(offer, 'open', lease)
  }
  for (const row of left.slice(next)) yield offeredAs(row, row.status, row.lease)
}

/** The count, without iterating. */
export function offeredCount(memory: IssueMemory, now: bigint): number {
  const isHeld = (issue: Issue) =>
    leaseStateAt(issue.lease, now) === 'active' && memory.isReady(issue)
  const held = memory.leased().filter(isHeld).length
  return memory.readyCount - held + memory.reclaimable(now).length
}

function offeredAs(
  { id, priority, title, assignee }: Offer,
  status: string,
  left: Lease | undefined,
): Offered {
  return { id, priority, title, assignee, status, left }
}
