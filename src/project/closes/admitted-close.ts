/** Asks the door whether the holder of an issue may close it, before anything is verified. */
import { openBlockersOf } from '../../kernel/issues/graph/blocked.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { type IssueRefusal, isRefusal, issueNotFound } from '../../kernel/issues/issue-refusal.ts'
import { checkLeased, type LeaseProof } from '../../kernel/issues/lease.ts'
import { type Asking, authorityOf } from '../authority/authority.ts'
import type { OpenIssues } from '../open-issues.ts'
import { waiting } from '../proofs/issue-closing.ts'

/** The issue under the lease of the caller, or why the close would be refused. Nothing is used up. */
export async function admittedClose(
  id: string,
  proof: LeaseProof,
  asking: Asking,
  { store, project }: OpenIssues,
): Promise<Issue | IssueRefusal> {
  const memory = await store.read()
  const issue = memory.get(id)
  if (!issue) return issueNotFound(id, memory)
  const blockers = openBlockersOf(memory, issue)
  if (blockers.length > 0) return waiting(issue, blockers)
  const fields = { status: 'closed' }
  const change = { action: 'issue.update', id, fields, proof, asks: true } as const
  const asked = await store.mutate(await authorityOf(project, asking), change)
  if (isRefusal(asked)) return asked
  return checkLeased(issue, project.clock.now()) ?? issue
}
