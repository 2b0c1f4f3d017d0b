import { idField, memoryFields } from '../../input/issue-fields.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { issueNotFound } from '../../kernel/issues/issue-refusal.ts'
import { closesFolder } from '../../kernel/landing/closes-folder.ts'
import { lastFailureOf } from '../../project/issues/last-failure.ts'
import { openProject } from '../../project/open.ts'
import { rejected } from '../../render/issues/issue-answer.ts'
import { issuePage, shownIssue } from '../../render/issues/issue-page.ts'
import { ShowAnswer } from '../../wire/answers/issue-show.ts'
import { operation } from '../operation.ts'
import { readIssueMemory } from '../read-issues.ts'

export const issueShow = operation({
  group: 'issue',
  summary: 'Show an issue with its lease and dependencies.',
  description:
    'Shows its texts and comments, its lease with state and fence, its blockers and its dependents, and the commit that lands or has landed. If its holder asked for its close with issue_close, it shows how far that is: queued, verifying, closed, in_review, or failed with classes and remedy. If its last attempt failed, it also shows the failure classes, the failed command and the last lines of its output. With --json, issue.comments is absent if there are none, issue.molType is mol_type of the row, which premath keeps and does not use, and issue.others has the members of the row that premath does not know. Exits 1 if there is no such issue.',
  effect: 'read',
  opId: 'op/issue.show',
  input: { ...idField, ...memoryFields },
  output: ShowAnswer,
  examples: { 'premath issue show bd-1': 'the issue, its lease and its edges' },

  async run({ id, issues }, context) {
    const here = await openProject(context)
    const read = await readIssueMemory(here, { issues })
    const { project, issuesPath, memory, now, notices } = read
    const action = 'issue.show'
    const found = memory.get(id)
    if (!found) return rejected(action, issuesPath, issueNotFound(id, memory))
    const failed = await lastFailureOf(found, project)
    const close = await queuedClose(found, read)
    const shown = shownIssue(found, memory, { now, failed, close })
    return {
      output: { action, issuesPath, ...shown },
      yes: true,
      ...notices,
      render: page => issuePage(shown, page),
    }
  },
})

/** The code of the queue is loaded for projects that have one. */
async function queuedClose(
  issue: Issue,
  { project, location }: Awaited<ReturnType<typeof readIssueMemory>>,
) {
  if ((await project.files.kindOf(project.at(closesFolder))) !== 'folder') return undefined
  const { shownProgress } = await import('../../project/closes/close-queue.ts')
  return await shownProgress(issue, location, project)
}
