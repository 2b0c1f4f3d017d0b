import { idField, memoryFields } from '../../input/issue-fields.ts'
import { issueNotFound } from '../../kernel/issues/issue-refusal.ts'
import { openProject } from '../../project/open.ts'
import { rejected } from '../../render/issues/issue-answer.ts'
import { issuePage, shownIssue } from '../../render/issues/issue-page.ts'
import { operation } from '../operation.ts'
import { readIssueMemory } from '../read-issues.ts'

export const issueShow = operation({
  group: 'issue',
  summary: 'Show an issue with its lease and dependencies.',
  description:
    'Shows its texts, its lease with state and fence, its blockers and its dependents, and the commit that lands or has landed. With --json, issue.molType is mol_type of the row, which premath keeps and does not use, and issue.others has the members of the row that premath does not know. Exits 1 if there is no such issue.',
  effect: 'read',
  input: { ...idField, ...memoryFields },
  examples: { 'premath issue show bd-1': 'the issue, its lease and its edges' },

  async run({ id, issues }, context) {
    const { issuesPath, memory, now, notices } = await readIssueMemory(await openProject(context), {
      issues,
    })
    const action = 'issue.show'
    const found = memory.get(id)
    if (!found) return rejected(action, issuesPath, issueNotFound(id))
    const shown = shownIssue(found, memory, now)
    return {
      output: { action, issuesPath, ...shown },
      yes: true,
      ...notices,
      render: page => issuePage(shown, page),
    }
  },
})
