/** Removes redundant edges, each as an ordinary change of issue memory. */

import {
  compactnessFindings,
  keepsOrder,
  withoutBlocks,
  workOrder,
} from '../../kernel/issues/graph/graph-compactness.ts'
import { type IssueRefusal, isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { type Asking, authorityOf } from '../authority/authority.ts'
import { proofOf } from '../authority/lease-proof.ts'
import type { Project } from '../open.ts'
import type { OpenIssues } from '../open-issues.ts'

interface Edge {
  readonly issueId: string
  readonly dependsOnId: string
}

export interface Compaction {
  readonly removedCount: number
  readonly removedEdges: readonly Edge[]
  /** Edges whose removal was refused, and why. */
  readonly keptEdges: readonly (Edge & IssueRefusal)[]
  /** True if the same issues are ready and blocked as before. */
  readonly orderKept: boolean
}

export async function removeRedundantEdges(
  { store, project }: OpenIssues,
  asking: Asking,
  here: Project,
): Promise<Compaction | IssueRefusal> {
  const authority = await authorityOf(project, asking)
  const memory = await store.read()
  const before = workOrder(memory)
  const findings = compactnessFindings(memory)
  if (!keepsOrder(before, workOrder(withoutBlocks(memory, findings)))) {
    throw new Error('compaction would change the order of the work')
  }
  const removedEdges: Edge[] = []
  const keptEdges: (Edge & IssueRefusal)[] = []
  for (const { issueId, dependsOnId } of findings) {
    const outcome = await store.mutate(authority, {
      action: 'dep.remove',
      // Another process may have changed memory, so the store decides once more.
      edge: { issueId, dependsOnId, type: 'blocks', onlyIfRedundant: true },
      proof: await proofOf(issueId, { leaseId: undefined, fence: undefined }, here),
    })
    if (!isRefusal(outcome)) removedEdges.push({ issueId, dependsOnId })
    // An authority that is refused for one edge is refused for all.
    else if (outcome.failureClass === 'mutation_not_granted') return outcome
    else keptEdges.push({ issueId, dependsOnId, ...outcome })
  }
  const orderKept = keepsOrder(before, workOrder(await store.read()))
  return { removedCount: removedEdges.length, removedEdges, keptEdges, orderKept }
}
