/** The part of the surface about sessions, workers, leases, landing and steps. */
import type { HarnessView, InstructionRow } from '../../wire/observation/surface.ts'
import { byCodePoint } from '../canonical.ts'
import type { AttentionItem, Working } from '../harness/project-status.ts'
import { counted } from '../text/counted.ts'
import { shellWord } from '../text/shell-word.ts'
import type { IssueFacts } from './issue-facts.ts'
import { clustersMax, refusalsIn, type TrajectoryFacts } from './trajectory-facts.ts'

export interface HarnessFacts {
  readonly issues: IssueFacts
  readonly working: readonly Working[]
  /** Items about issues, then those about the last run. */
  readonly attention: readonly AttentionItem[]
  readonly sessions: HarnessView['sessions']
  readonly landingQueue: HarnessView['landingQueue']
  readonly trajectory: TrajectoryFacts
  readonly instructions: readonly InstructionRow[]
  readonly specRuns: HarnessView['specRuns']
  readonly proofFolderCount: number
  readonly features: HarnessView['features']
}

export function harnessView(facts: HarnessFacts): HarnessView {
  const { issues, working, sessions, landingQueue, trajectory, specRuns, features } = facts
  const rejected = facts.instructions.filter(
    ({ standing, verdictClass }) => standing === 'current' && verdictClass === 'rejected',
  )
  return {
    attention: [...facts.attention, ...ownAttention(facts)],
    issues: issues.counts,
    sessions,
    workers: workersOf(working, trajectory),
    leases: working.map(leaseOf),
    landingQueue,
    trajectory: { ...trajectory.counts, recent: trajectory.recent },
    clusters: trajectory.clusters.slice(0, clustersMax),
    kpi: trajectory.kpi,
    refusals: refusalsIn(trajectory.clusters, rejected),
    specRuns,
    proofs: { folderCount: facts.proofFolderCount, ...issues.closes },
    features,
  }
}

const leaseOf = (work: Working): HarnessView['leases'][number] => ({
  issueId: work.issueId,
  title: work.title,
  workerId: work.workerId,
  since: work.since,
  expiresAt: work.leaseExpiresAt,
  state: work.leaseExpiresAt === null ? 'none' : work.isExpired ? 'stale' : 'active',
})

/** Everybody who holds an issue or was active in the window of the KPI, by name. */
function workersOf(
  working: readonly Working[],
  { workerIds, recent }: TrajectoryFacts,
): HarnessView['workers'] {
  const names = new Set([...working.map(({ workerId }) => workerId), ...workerIds])
  names.delete('')
  return [...names].sort(byCodePoint).map(workerId => {
    const own = working.filter(work => work.workerId === workerId)
    const leased = own.filter(work => work.leaseExpiresAt !== null)
    return {
      workerId,
      issueIds: own.map(({ issueId }) => issueId),
      activeLeaseCount: leased.filter(work => !work.isExpired).length,
      staleLeaseCount: leased.filter(work => work.isExpired).length,
      lastStepAt: recent.find(step => step.workerId === workerId)?.finishedAt ?? null,
    }
  })
}

/** States of the harness that neither an issue nor a run reports. */
function ownAttention({ trajectory, sessions }: HarnessFacts): HarnessView['attention'] {
  const { badLineCount } = trajectory.counts
  const unreadable = sessions.filter(({ state }) => state === 'unreadable')
  return [
    // After a remediation only later steps count, so the item ends with it.
    ...(trajectory.kpi.state === 'rollback' && trajectory.kpi.expansionPaused
      ? [item('kpi_rollback', `the KPI is ${trajectory.kpi.kpi}: ${trajectory.kpi.reason}`, seeKpi)]
      : []),
    ...(badLineCount > 0
      ? [
          item(
            'trajectory_damaged',
            `the trajectory has ${counted(badLineCount, 'bad line')}`,
            seeLines,
          ),
        ]
      : []),
    ...unreadable.map(({ path }) =>
      item('session_unreadable', `the session ${path} cannot be read`, seeSession(path)),
    ),
  ]
}

const item = (about: string, message: string, next: string) => ({
  about,
  issueId: null,
  title: null,
  message,
  next,
  failureClasses: [],
  at: null,
})

const seeKpi =
  'See what failed: premath harness-kpi. Then premath harness-kpi remediate --reason <text>.'
const seeLines = 'List them: premath harness-trajectory query.'
const seeSession = (path: string) =>
  `See why: premath harness-session read --path ${shellWord(path)}.`
