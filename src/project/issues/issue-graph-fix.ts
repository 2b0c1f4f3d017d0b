/** Removes the edges that say nothing new, through the same door as every other change. */

import {
  compactnessFindings,
  keepsOrder,
  withoutBlocks,
  workOrder,
} from '../../kernel/issues/graph/graph-compactness.ts'
import { type IssueRefusal, isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { proofOf } from '../authority/lease-proof.ts'
import type { OperationContext } from '../context.ts'
import type { OpenIssues } from '../open-issues.ts'

interface Edge {
  readonly issueId: string
  readonly dependsOnId: string
}

export interface Compaction {
  readonly removedCount: number
  readonly removedEdges: readonly Edge[]
  /** Edges that issue memory would not let go, and why. */
  readonly keptEdges: readonly (Edge & IssueRefusal)[]
  /** The same work was ready and blocked before and after. */
  readonly orderKept: boolean
}

export async function removeRedundantEdges(
  { store, authority }: OpenIssues,
  reason: string | undefined,
  context: OperationContext,
): Promise<Compaction | IssueRefusal> {
  const memory = await store.read()
  const before = workOrder(memory)
  const findings = compactnessFindings(memory)
  if (!keepsOrder(before, workOrder(withoutBlocks(memory, findings)))) {
    throw new Error('compaction would change the order of the work')
  }
  const removedEdges: Edge[] = []
  const keptEdges: (Edge & IssueRefusal)[] = []
  for (const { issueId, dependsOnId } of findings) {
    const outcome = await store.mutate(await authority(reason), {
      action: 'dep.remove',
      // Others change memory while we are at it, so the door decides once more.
      edge: { issueId, dependsOnId, type: 'blocks', onlyIfRedundant: true },
      proof: await proofOf(issueId, { leaseId: undefined, fence: undefined }, context),
    })
    if (!isRefusal(outcome)) removedEdges.push({ issueId, dependsOnId })
    // Who may not change one edge may not change any.
    else if (outcome.failureClass === 'mutation_not_granted') return outcome
    else keptEdges.push({ issueId, dependsOnId, ...outcome })
  }
  const orderKept = keepsOrder(before, workOrder(await store.read()))
  return { removedCount: removedEdges.length, removedEdges, keptEdges, orderKept }
}
