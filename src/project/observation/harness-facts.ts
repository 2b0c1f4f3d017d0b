/** Collects what the files of the harness say, for the observation surface. */
import { landingGit } from '../../harness/landing/landing-git.ts'
import { checkLedger } from '../../kernel/harness/ledger-check.ts'
import { decideKpi, kpiDefaults, ratiosOf, roundedToSix } from '../../kernel/harness/run/kpi.ts'
import { expansionOf } from '../../kernel/harness/run/kpi-remediation.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import {
  recentFailuresFrom,
  recentStepOf,
  recentStepsMax,
  type TrajectoryFacts,
} from '../../kernel/observation/trajectory-facts.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import { unlessFault } from '../../store/cache-file.ts'
import type { TrajectoryLog } from '../../store/trajectory/trajectory-log.ts'
import type { HarnessView } from '../../wire/observation/surface.ts'
import { openLedger, openSession, worktreeDocuments } from '../harness-files.ts'
import { measureKpi } from '../loop/kpi-expansion.ts'
import { landingPlaceOf, unlandedIfAny } from '../loop/landing-status.ts'
import type { Project } from '../open.ts'

export async function trajectoryFacts(log: TrajectoryLog): Promise<TrajectoryFacts> {
  const { rows, totalCount, failedCount, retryNeededCount, bad } = await log.query({
    mode: 'latest',
    limit: recentStepsMax,
  })
  const measure = await measureKpi(log, kpiDefaults.windowHours)
  const { window } = measure.tally
  const { clusters = [] } = await log.query({
    mode: 'failed',
    limit: 0,
    since: recentFailuresFrom(window.end),
    clusters: true,
  })
  const counts = measure.tally.counts()
  const ratios = ratiosOf(counts, kpiDefaults.windowHours)
  return {
    counts: { totalCount, failedCount, retryNeededCount, badLineCount: bad.count },
    recent: rows.map(recentStepOf),
    clusters,
    workerIds: counts.workerIds,
    kpi: {
      ...decideKpi(counts, ratios, kpiDefaults),
      kpi: roundedToSix(ratios.kpi),
      throughputPerWorkerPerDay: roundedToSix(ratios.throughputPerWorkerPerDay),
      gatePassRate: roundedToSix(ratios.gatePassRate),
      windowHours: kpiDefaults.windowHours,
      windowEnd: timestampOf(window.end),
      windowRows: counts.windowRows,
      expansionPaused: expansionOf(measure.sinceRemediation, kpiDefaults).paused,
    },
  }
}

/** The session of the project, and those of the workers in their worktrees. */
export async function sessionsOf(project: Project): Promise<HarnessView['sessions']> {
  const worktrees = project.at('.premath/worktrees')
  const disk = await project.disk()
  const found = (await disk.entry(worktrees)) ? await project.files.list(worktrees) : []
  const paths = found
    .filter(({ isFolder }) => isFolder)
    .map(({ name }) => worktreeDocuments(`${worktrees}/${name}`).session)
  const sessions: HarnessView['sessions'][number][] = []
  for (const given of [undefined, ...paths]) {
    const { path, cell } = await openSession(project, given)
    if ((await disk.stamp(cell.path)) === undefined) continue
    const session = await unlessFault(() => cell.read())
    sessions.push({
      path: path.startsWith(`${project.root}/`) ? path.slice(project.root.length + 1) : path,
      state: session?.state ?? 'unreadable',
      sessionId: session?.sessionId ?? null,
      issueId: session?.issueId ?? null,
      updatedAt: session?.updatedAt ?? null,
      summary: session?.summary ?? null,
      nextStep: session?.nextStep ?? null,
    })
  }
  return sessions
}

export async function featuresOf(project: Project): Promise<HarnessView['features']> {
  const { cell } = await openLedger(project, undefined)
  const ledger = await unlessFault(() => cell.read())
  if (!ledger) return null
  const { result, nextFeatureId, summary } = checkLedger(ledger, false)
  if (result === 'rejected') return null
  const { featureCount, completedCount } = summary
  return { featureCount, completedCount, nextFeatureId }
}

/** The branches of the repository, as a key; `undefined` where work cannot land. */
export async function branchesKey(project: Project): Promise<string | undefined> {
  if (!(await project.isInRepository())) return undefined
  const place = await landingPlaceOf(project)
  const { config } = await project.config()
  const format = '--format=%(HEAD)%(refname) %(objectname)'
  const refs = await landingGit(place, place.top, ['for-each-ref', format, 'refs/heads/'])
  return `${config.onto ?? ''}\n${refs}`
}

export async function landingQueue(
  memory: IssueMemory,
  project: Project,
): Promise<HarnessView['landingQueue']> {
  const unlanded = await unlandedIfAny(memory, project)
  // The surface says how the last attempt failed in its own place.
  return unlanded?.map(({ isProtected: _, ...work }) => work) ?? null
}
