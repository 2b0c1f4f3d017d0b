/** The record of a close in the row of an issue. */

import type { JsonObject } from '../json.ts'
import { CloseProof, unproven } from '../proof/close-proof.ts'
import type { Issue } from './issue.ts'
import { specsOf } from './issue-edit.ts'
import { type IssueRefusal, refuse } from './issue-refusal.ts'

/** The record, or why the proof does not close this issue. */
export function closeRecord(
  issue: Issue,
  done: CloseProof | undefined,
  undone?: IssueRefusal,
): JsonObject | IssueRefusal {
  const { id } = issue
  if (done === undefined || !CloseProof.isIssued(done) || done.issueId !== id) {
    return undone ?? unproven(id)
  }
  const { by, treeDigest, witnesses, reason, confirmedBy, commit, gitTree } = done
  if (by !== 'force' && !isSameSet(done.specs, specsOf(issue))) return specsChanged(id)
  return {
    by,
    ...(treeDigest !== undefined && { treeDigest }),
    ...(witnesses.length > 0 && { witnesses }),
    ...(reason !== undefined && { reason }),
    ...(confirmedBy && { actor: confirmedBy.actor, uid: confirmedBy.uid }),
    ...(commit !== undefined && { commit }),
    ...(gitTree !== undefined && { tree: gitTree }),
  }
}

const isSameSet = (a: readonly string[], b: readonly string[]) =>
  a.every(one => b.includes(one)) && b.every(one => a.includes(one))

/** The specs changed during verification, which may take hours. */
const specsChanged = (id: string) =>
  refuse(
    'close_proof_missing',
    `${id} names other specs by now than when it was verified, and they say when it is done`,
    `premath issue update ${id} --status closed --verify runs them first.`,
  )
