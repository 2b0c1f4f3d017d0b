/** Groups failed steps by class, with the affected issues and the newest step. */
import type { StepRow } from '../../../wire/harness/step-row.ts'
import type { FailureCluster } from '../../../wire/harness/trajectory-projection.ts'
import { byCodePoint } from '../../canonical.ts'
import { failureClassesIn } from '../step/step-row.ts'
import { finishedAtOf } from '../step/trajectory.ts'
import { isSuccess } from './failure-class.ts'

const issueIdsMax = 20

interface Cluster {
  count: number
  readonly issueIds: Set<string>
  newest: StepRow
  newestAt: bigint
}

export class FailureClusters {
  readonly #byClass = new Map<string, Cluster>()

  take(row: StepRow): void {
    if (isSuccess(row.resultClass)) return
    for (const name of classesOf(row)) this.#add(name, row)
  }

  /** Most frequent first. */
  list(): readonly FailureCluster[] {
    return [...this.#byClass]
      .map(([resultClass, cluster]) => described(resultClass, cluster))
      .sort((a, b) => b.count - a.count || byCodePoint(a.resultClass, b.resultClass))
  }

  #add(name: string, row: StepRow): void {
    const at = finishedAtOf(row)
    const known = this.#byClass.get(name)
    const cluster = known ?? { count: 0, issueIds: new Set(), newest: row, newestAt: at }
    if (!known) this.#byClass.set(name, cluster)
    cluster.count++
    if (row.issueId !== undefined) cluster.issueIds.add(row.issueId)
    // Rows arrive in file order, so for equal times the later row is newer.
    if (at >= cluster.newestAt) Object.assign(cluster, { newest: row, newestAt: at })
  }
}

/** The classes of a rejected turn are more precise than the result class of the step. */
function classesOf(row: StepRow): ReadonlySet<string> {
  const classes = [...(row.turn?.failureClasses ?? []), ...failureClassesIn(row)]
  return new Set(classes.length > 0 ? classes : [row.resultClass])
}

function described(resultClass: string, { count, issueIds, newest }: Cluster): FailureCluster {
  return {
    resultClass,
    count,
    issueCount: issueIds.size,
    issueIds: [...issueIds].sort(byCodePoint).slice(0, issueIdsMax),
    lastAt: newest.finishedAt,
    lastStepId: newest.stepId,
  }
}
