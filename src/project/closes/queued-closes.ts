/** The queue of closes for people: what waits, and what failed. */
import { fenceOf } from '../../kernel/issues/issue.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { isPending } from '../../kernel/landing/close-request.ts'
import { closesFolder } from '../../kernel/landing/closes-folder.ts'
import type { CloseRequest } from '../../wire/landing/close-request.ts'
import type { Unlanded } from '../loop/landing-status.ts'
import type { Project } from '../open.ts'

export interface QueuedCloses {
  /** Closes that nobody has worked off, as work that is not on the target yet. */
  readonly waiting: readonly Unlanded[]
  /** Closes that failed, and whose holder has not asked again. */
  readonly failed: readonly CloseRequest[]
}

/** The code of the queue is loaded for projects that have one. */
export async function queuedCloses(memory: IssueMemory, project: Project): Promise<QueuedCloses> {
  if ((await project.files.kindOf(project.at(closesFolder))) !== 'folder') {
    return { waiting: [], failed: [] }
  }
  const { CloseQueue } = await import('./close-queue.ts')
  const requests = await new CloseQueue(await project.disk(), project).all()
  const waiting: Unlanded[] = []
  const failed: CloseRequest[] = []
  for (const request of requests) {
    const issue = memory.get(request.issueId)
    if (!issue || issue.status === 'closed' || fenceOf(issue) !== request.fence) continue
    const { id: issueId, title, status } = issue
    const { commit = null, state } = request
    if (state === 'failed') failed.push(request)
    if (!isPending(request)) continue
    const work = { issueId, title, status, branch: '', commit, commits: 1, isProtected: false }
    waiting.push({ ...work, state: 'queued' })
  }
  return { waiting, failed }
}
