/** The facts of the trajectory for the surface. They do not depend on the time of the question. */
import type { StepRow } from '../../wire/harness/step-row.ts'
import type { FailureCluster } from '../../wire/harness/trajectory-projection.ts'
import type { HarnessView, RecentStep } from '../../wire/observation/surface.ts'
import { byCodePoint } from '../canonical.ts'
import { refusalClasses } from '../issues/refusal-classes.ts'
import { seconds } from '../timestamp.ts'
import { rules } from '../turn/rules/index.ts'

export interface TrajectoryFacts {
  readonly counts: Omit<HarnessView['trajectory'], 'recent'>
  readonly recent: readonly RecentStep[]
  readonly clusters: readonly FailureCluster[]
  readonly kpi: HarnessView['kpi']
  readonly workerIds: readonly string[]
}

/** How many steps the surface lists. */
export const recentStepsMax = 20

/** How many classes of failures the surface lists. */
export const clustersMax = 20

/** Failures before that are history. The time counts back from the newest step. */
export const recentFailuresFrom = (newest: bigint) => newest - seconds(7 * 24 * 3600)

export const recentStepOf = (row: StepRow): RecentStep => ({
  stepId: row.stepId,
  issueId: row.issueId ?? null,
  workerId: row.workerId ?? null,
  action: row.action,
  resultClass: row.resultClass,
  finishedAt: row.finishedAt,
})

const isRefusal = (name: string) =>
  Object.hasOwn(refusalClasses, name) || Object.hasOwn(rules, name)

interface Rejected {
  readonly failureClasses: readonly string[]
  readonly runFinishedAt?: string | undefined
}

/** The most frequent first. */
export function refusalsIn(
  clusters: readonly FailureCluster[],
  rejected: readonly Rejected[],
): HarnessView['refusals'] {
  const found = new Map<string, { count: number; lastAt: string | null }>()
  for (const { resultClass, count, lastAt } of clusters) {
    if (isRefusal(resultClass)) found.set(resultClass, { count, lastAt })
  }
  for (const { failureClasses, runFinishedAt = null } of rejected) {
    for (const name of failureClasses) {
      const known = found.get(name)
      found.set(name, {
        count: (known?.count ?? 0) + 1,
        lastAt:
          [known?.lastAt ?? null, runFinishedAt]
            .filter(at => at !== null)
            .sort()
            .at(-1) ?? null,
      })
    }
  }
  return [...found]
    .map(([failureClass, { count, lastAt }]) => ({ failureClass, count, lastAt }))
    .sort((a, b) => b.count - a.count || byCodePoint(a.failureClass, b.failureClass))
}
