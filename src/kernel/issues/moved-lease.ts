/** A merge can give a leased issue another id. Its worker then still asks with the old one. */
import { isJsonObject } from '../json.ts'
import type { Issue } from './issue.ts'
import type { IssueMemory } from './issue-memory.ts'
import { mergedFromKey } from './issue-metadata.ts'
import { type IssueRefusal, refuse } from './issue-refusal.ts'
import type { RefusalClass } from './refusal-classes.ts'

/** The lease on the old id is gone, over or of somebody else. */
const lostClasses: ReadonlySet<RefusalClass> = new Set([
  'lease_fence_stale',
  'lease_id_mismatch',
  'lease_issue_closed',
  'lease_missing',
  'lease_owner_mismatch',
  'lease_stale',
])

/** Names the issue that holds the given lease now, where a lease on the old id is refused. */
export function movedLeaseRefusal(
  { failureClass }: IssueRefusal,
  memory: IssueMemory,
  { id, leaseId }: { readonly id: string; readonly leaseId: string | undefined },
): IssueRefusal | undefined {
  const given = leaseId?.trim()
  if (!given || !lostClasses.has(failureClass)) return undefined
  // Somebody may give one name to several leases, so only an issue that had this id counts.
  const moved = memory
    .leased()
    .find(one => one.id !== id && one.lease?.lease_id === given && hadId(one, id))
  if (!moved || memory.leaseOf(id)?.lease_id === given) return undefined
  return refuse(
    failureClass,
    `the lease ${given} is of ${moved.id} now: a merge gave that issue another id, and ${id} is another issue`,
    `Repeat the command with ${moved.id} in place of ${id}. premath issue show ${moved.id} shows the issue with its lease and fence.`,
  )
}

const hadId = ({ metadata }: Issue, id: string): boolean =>
  isJsonObject(metadata) && metadata[mergedFromKey] === id
