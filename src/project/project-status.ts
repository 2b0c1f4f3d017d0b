/** Collects the state of a project for a person who comes back to it. */
import {
  type AttentionItem,
  needsAttention,
  type Working,
  workingOn,
} from '../kernel/harness/project-status.ts'
import { parkedClass } from '../kernel/harness/step/step-decision.ts'
import { activeIntegrity } from '../kernel/issues/graph/dependency-cycle.ts'
import { type IssueCounts, issueCounts } from '../kernel/issues/issue-counts.ts'
import type { IssueMemory } from '../kernel/issues/issue-memory.ts'
import type { Feedback } from '../wire/harness/feedback.ts'
import { queuedCloses } from './closes/queued-closes.ts'
import { lackingOn } from './doctor/landed.ts'
import { lastFailureOf } from './issues/last-failure.ts'
import { landingTargetOf, type Unlanded, unlandedWork } from './loop/landing-status.ts'
import { lastAttention } from './loop/last-attention.ts'
import type { Project } from './open.ts'

export interface ProjectStatus {
  readonly working: readonly Working[]
  /** `null` where work cannot land: without git, or before the first commit. */
  readonly landing: readonly Unlanded[] | null
  readonly attention: readonly AttentionItem[]
  readonly counts: IssueCounts
}

export async function projectStatus(
  memory: IssueMemory,
  now: bigint,
  project: Project,
): Promise<ProjectStatus> {
  const failures = new Map<string, Feedback>()
  for (const issue of memory.all()) {
    if (issue.status !== 'blocked') continue
    const failure = await lastFailureOf(issue, project)
    if (failure) failures.set(issue.id, failure)
  }
  const rows = await lastAttention(project)
  const counts = issueCounts(memory)
  const target = await landingTargetOf(project)
  const unlanded = target && (await unlandedWork(memory, target.ref, project))
  const work = target ? await lackingOn(target.branch, memory, project) : []
  const { waiting, failed } = await queuedCloses(memory, project)
  return {
    working: workingOn(memory, now),
    landing:
      unlanded?.filter(work => waits(work, failures.get(work.issueId))).concat(waiting) ?? null,
    attention: needsAttention({
      memory,
      now,
      failures,
      closes: failed,
      lack: { branch: target?.branch ?? '', work },
      rows,
      readyCount: counts.ready,
      cyclePath: activeIntegrity(memory).cyclePath,
    }),
    counts,
  }
}

/** What somebody holds is listed as work, and what failed needs attention before it can land. */
const waits = ({ state }: Unlanded, failure: Feedback | undefined) =>
  state !== 'working' && (failure === undefined || failure.failureClasses.includes(parkedClass))
