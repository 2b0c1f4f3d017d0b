import type { Page } from '../../answer.ts'
import { checkFields } from '../../input/issue-check-fields.ts'
import { checkIssues } from '../../kernel/issues/issue-check.ts'
import { openProject } from '../../project/open.ts'
import { checkPage } from '../../render/issues/issue-check-page.ts'
import { CheckAnswer } from '../../wire/answers/issue-check.ts'
import { operation } from '../operation.ts'
import { readIssueMemory } from '../read-issues.ts'

export const issueCheck = operation({
  group: 'issue',
  summary: 'Check that issues state their goal and how to verify it.',
  description:
    'An open or in-progress issue must state when it is done: a line that starts with Acceptance:, a heading of that name, the acceptance field, or specs. It must also name a command that verifies it, in its description, notes or acceptance, or have specs. A title that starts with [EPIC] requires the type epic. Active issues must not form a dependency cycle. Long notes and edges to missing issues are warnings. Exits 1 if there is an error.',
  effect: 'read',
  opId: 'op/mcp.issue_check',
  input: checkFields,
  output: CheckAnswer,
  examples: {
    'premath issue check': 'missing information, by issue',
    'premath issue check --note-warn-threshold 500 --json': 'the report as JSON',
  },

  async run({ noteWarnThreshold, ...rest }, context) {
    const { memory, issuesPath, notices } = await readIssueMemory(await openProject(context), rest)
    const report = checkIssues(memory, noteWarnThreshold)
    return {
      output: { action: 'issue.check', issuesPath, ...report },
      yes: report.result === 'accepted',
      ...notices,
      render: (page: Page) => `${checkPage(report, page).join('\n')}\n`,
    }
  },
})
