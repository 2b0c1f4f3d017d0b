/** The facts of issue memory that do not depend on the time, so that they can be cached. */
import type { Coherence, HarnessView } from '../../wire/observation/surface.ts'
import { graphIntegrity } from '../issues/graph/dependency-cycle.ts'
import type { GraphScope } from '../issues/graph/issue-graph.ts'
import type { Issue } from '../issues/issue.ts'
import { issueCounts } from '../issues/issue-counts.ts'
import type { IssueMemory } from '../issues/issue-memory.ts'
import { closeOf } from '../issues/issue-metadata.ts'
import { isActive, isUnclaimed } from '../issues/issue-status.ts'
import { isForced, isImported, isUnrecorded } from '../proof/close-kind.ts'

export interface IssueFacts {
  readonly counts: HarnessView['issues']
  readonly partition: Coherence['issuePartition']
  readonly integrity: Coherence['dependencyIntegrity']
  /** Issues that are held, in progress or blocked: the time matters to these alone. */
  readonly attendedIds: readonly string[]
  readonly closes: Omit<HarnessView['proofs'], 'folderCount'>
}

export function issueFacts(memory: IssueMemory): IssueFacts {
  const issues = memory.all()
  const closed = issues.filter(({ status }) => status === 'closed')
  return {
    counts: issueCounts(memory),
    partition: partitionOf(issues, memory),
    integrity: { active: integrityOf(memory, 'active'), full: integrityOf(memory, 'full') },
    attendedIds: issues.filter(isAttended).map(({ id }) => id),
    closes: {
      provenCount: closed.filter(issue => closeOf(issue) !== undefined && !isForced(issue)).length,
      forcedCount: closed.filter(isForced).length,
      importedCount: closed.filter(isImported).length,
      unrecordedCount: closed.filter(isUnrecorded).length,
    },
  }
}

const isAttended = ({ status, lease }: Issue) =>
  status !== 'closed' && (lease !== undefined || status === 'in_progress' || status === 'blocked')

/**
 * Every open issue is ready or waits for another one, and never both. One that is landing is left
 * out: its commit is about to close it.
 */
function partitionOf(issues: readonly Issue[], memory: IssueMemory): Coherence['issuePartition'] {
  const open = issues.filter(isUnclaimed)
  const idsOf = (found: readonly Issue[]) => found.map(({ id }) => id)
  const readyIssueIds = idsOf(open.filter(issue => memory.isReady(issue)))
  const blockedIssueIds = idsOf(open.filter(issue => memory.isBlocked(issue)))
  const [ready, blocked] = [new Set(readyIssueIds), new Set(blockedIssueIds)]
  const overlapIssueIds = readyIssueIds.filter(id => blocked.has(id))
  const gap = idsOf(open).filter(id => !ready.has(id) && !blocked.has(id))
  return {
    blockedCount: blockedIssueIds.length,
    blockedIssueIds,
    isCoherent: overlapIssueIds.length === 0 && gap.length === 0,
    openIssueCount: open.length,
    openPartitionGapIssueIds: gap,
    overlapIssueIds,
    readyCount: readyIssueIds.length,
    readyIssueIds,
  }
}

function integrityOf(
  memory: IssueMemory,
  graphScope: GraphScope,
): Coherence['dependencyIntegrity']['full'] {
  const issueCount =
    graphScope === 'full' ? memory.size : memory.all().filter(issue => isActive(issue)).length
  return { graphScope, issueCount, ...graphIntegrity(memory, graphScope) }
}
