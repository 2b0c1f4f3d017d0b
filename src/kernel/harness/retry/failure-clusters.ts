/** Groups failed steps by class, with the affected issues and the newest step. */
import type { StepRow } from '../../../wire/harness/step-row.ts'
import type { FailureCluster } from '../../../wire/harness/trajectory-projection.ts'
import { byCodePoint } from '../../canonical.ts'
import { failureClassesIn } from '../step/step-row.ts'
import { finishedAtOf, type PlacedStep } from '../step/trajectory.ts'
import { isSuccess } from './failure-class.ts'

const issueIdsMax = 20

/** The failed steps of one class, in some part of the trajectory. */
export interface ClassFailures {
  readonly resultClass: string
  readonly count: number
  readonly issueIds: ReadonlySet<string>
  readonly newest: Newest
}

/** The line of a step. Of two that finished at the same time, the later line is newer. */
interface Newest {
  readonly finishedAt: bigint
  readonly line: number
}

interface Cluster extends ClassFailures {
  count: number
  readonly issueIds: Set<string>
  newest: Newest
}

export class FailureClusters {
  readonly #byClass = new Map<string, Cluster>()

  take({ row, line }: PlacedStep): void {
    if (isSuccess(row.resultClass)) return
    const issueIds = new Set(row.issueId === undefined ? [] : [row.issueId])
    const newest = { finishedAt: finishedAtOf(row), line }
    for (const resultClass of classesOf(row)) {
      this.merge({ resultClass, count: 1, issueIds, newest })
    }
  }

  /** Adds the failures of another part. The order of the parts does not matter. */
  merge({ resultClass, count, issueIds, newest }: ClassFailures): void {
    const known = this.#byClass.get(resultClass)
    if (!known) {
      this.#byClass.set(resultClass, { resultClass, count, issueIds: new Set(issueIds), newest })
      return
    }
    known.count += count
    for (const id of issueIds) known.issueIds.add(id)
    if (isNewer(newest, known.newest)) known.newest = newest
  }

  /** The most frequent first. */
  list(): readonly ClassFailures[] {
    return [...this.#byClass.values()].sort(
      (a, b) => b.count - a.count || byCodePoint(a.resultClass, b.resultClass),
    )
  }
}

function isNewer(a: Newest, b: Newest): boolean {
  return a.finishedAt === b.finishedAt ? a.line > b.line : a.finishedAt > b.finishedAt
}

/** The classes of a rejected turn are more precise than the result class of the step. */
function classesOf(row: StepRow): ReadonlySet<string> {
  const classes = [...(row.turn?.failureClasses ?? []), ...failureClassesIn(row)]
  return new Set(classes.length > 0 ? classes : [row.resultClass])
}

/** The failures of a class as an answer. `newest` is the row of the newest step. */
export function clusterOf(
  { resultClass, count, issueIds }: ClassFailures,
  newest: StepRow,
): FailureCluster {
  return {
    resultClass,
    count,
    issueCount: issueIds.size,
    issueIds: firstOf(issueIds),
    lastAt: newest.finishedAt,
    lastStepId: newest.stepId,
  }
}

/** The first ids in order. A class may have a million issues, so it does not sort them all. */
function firstOf(ids: Iterable<string>): readonly string[] {
  const first: string[] = []
  for (const id of ids) {
    const last = first[issueIdsMax - 1]
    if (last !== undefined && byCodePoint(id, last) > 0) continue
    first.push(id)
    first.sort(byCodePoint)
    first.length = Math.min(first.length, issueIdsMax)
  }
  return first
}
