/** Builds the observation surface of a project for one moment. Nothing here decides about work. */
import {
  type KnownFailure,
  needsAttention,
  workingOn,
} from '../../kernel/harness/project-status.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { latestRows } from '../../kernel/observation/ci-rows.ts'
import { coherenceOf } from '../../kernel/observation/coherence.ts'
import { harnessView } from '../../kernel/observation/harness-view.ts'
import { withStanding } from '../../kernel/observation/instruction-standing.ts'
import { issueFacts } from '../../kernel/observation/issue-facts.ts'
import { surfaceOf } from '../../kernel/observation/surface.ts'
import { witnessFolder } from '../../kernel/proof/witness.ts'
import type { ObservationSurface } from '../../wire/observation/surface.ts'
import { lastFailureOf } from '../issues/last-failure.ts'
import { lastAttention } from '../loop/last-attention.ts'
import type { Project } from '../open.ts'
import { type OpenIssues, openIssues } from '../open-issues.ts'
import { openTrajectory } from '../open-trajectory.ts'
import { insideProject, resolvePath } from '../paths.ts'
import { type CachedParts, fileKey } from './cached-parts.ts'
import {
  branchesKey,
  featuresOf,
  landingQueue,
  sessionsOf,
  trajectoryFacts,
} from './harness-facts.ts'
import { latestDocuments, specRuns, witnessRows } from './seen-documents.ts'

export interface ObservationInput {
  readonly issues: string | undefined
  readonly ciwitnessDir: string | undefined
  /** The time for which leases and reports are evaluated. */
  readonly at: bigint
}

export async function buildObservation(
  here: Project,
  input: ObservationInput,
  parts: CachedParts,
): Promise<ObservationSurface> {
  const { at } = input
  const open = await openIssues(here, input, 'ask')
  const { project } = open
  const disk = await project.disk()
  const place = { folder: await witnessFolderOf(input, project), project }
  const latest = latestRows(await latestDocuments(place))
  const { memory, key } = await memoryOf(open)
  const issues = await parts.of('issues', key, async () => issueFacts(memory))
  const attended = issues.attendedIds.flatMap(id => memory.get(id) ?? [])
  const seen = { all: () => attended, get: (id: string) => memory.get(id) }
  const { log } = await openTrajectory(project, undefined)
  const steps = await fileKey(log.path, disk)
  const trajectory = await parts.of('trajectory', steps, () => trajectoryFacts(log))
  const failures = await parts.of('failures', `${key} ${steps}`, async () => {
    const blocked = attended.filter(({ status }) => status === 'blocked')
    const found: Record<string, KnownFailure> = {}
    for (const issue of blocked) {
      const failure = await lastFailureOf(issue, project)
      if (failure)
        found[issue.id] = { failureClasses: failure.failureClasses, summary: failure.summary }
    }
    return found
  })
  const branches = await branchesKey(project)
  const queue =
    branches === undefined
      ? null
      : await parts.of('landing', `${key} ${branches}`, () => landingQueue(memory, project))
  const instructions = withStanding(
    await witnessRows(place, parts),
    id => memory.get(id)?.status === 'closed',
  )
  const coherence = coherenceOf({ latest, instructions, issues, attended, at })
  const harness = harnessView({
    issues,
    working: workingOn(seen, at),
    attention: needsAttention({
      memory: seen,
      now: at,
      failures: new Map(Object.entries(failures)),
      rows: await lastAttention(project),
      readyCount: issues.counts.ready,
      cyclePath: issues.integrity.active.cyclePath,
    }),
    sessions: await sessionsOf(project),
    landingQueue: queue,
    trajectory,
    instructions,
    specRuns: await specRuns(place, parts),
    proofFolderCount: (await disk.names((await open.proofs()).folder)).length,
    features: await featuresOf(project),
  })
  return surfaceOf({ at, latest, instructions, coherence, harness })
}

async function witnessFolderOf(
  { ciwitnessDir }: ObservationInput,
  { root, cwd, at, disk }: Project,
): Promise<string> {
  const path = ciwitnessDir ? resolvePath(cwd(), ciwitnessDir) : at(witnessFolder)
  return await insideProject(path, { root, disk: await disk(), flag: '--ciwitness-dir' })
}

/** A project without issues can be observed too. */
async function memoryOf({ store, project }: OpenIssues) {
  if (!(await store.exists())) return { memory: new IssueMemory(), key: 'none' }
  // The key first: a row that is added meanwhile makes it old, and the next build reads again.
  const key = await store.logRef(project.sha256)
  return { memory: await store.read(), key }
}
