/** The last failed attempt on an issue, for people who ask about the issue. */
import { readFeedback } from '../../harness/step/read-failure.ts'
import { lastFailure } from '../../kernel/harness/feedback.ts'
import { triedMax } from '../../kernel/harness/handoff-packet.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import type { Feedback } from '../../wire/harness/feedback.ts'
import type { Project } from '../open.ts'
import { openTrajectory } from '../open-trajectory.ts'

/** Returns `undefined` for a closed issue, and if the last attempt did not fail. */
export async function lastFailureOf(
  { id, status }: Issue,
  project: Project,
): Promise<Feedback | undefined> {
  if (status === 'closed') return undefined
  const { log } = await openTrajectory(project, undefined)
  const row = lastFailure(await log.lastOf(id, triedMax))
  if (!row) return undefined
  const { root, sha256 } = project
  return await readFeedback({ root, sha256, disk: await project.disk() }, row)
}
