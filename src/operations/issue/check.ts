import type { Page } from '../../answer.ts'
import { checkFields } from '../../input/issue-fields.ts'
import { checkIssues } from '../../kernel/issues/issue-check.ts'
import { openProject } from '../../project/open.ts'
import { checkPage } from '../../render/issues/issue-check-page.ts'
import { askIssues } from '../issue-door.ts'
import { operation } from '../operation.ts'

export const issueCheck = operation({
  group: 'issue',
  summary: 'Check that issues say what is wanted and how it is verified.',
  description:
    'An issue that is open or in progress must say when it counts as done: a line that begins with Acceptance:, a heading of that name, the acceptance field, or specs. And it must name a command that verifies it, in its description, notes or acceptance, or specs. A title that begins with [EPIC] belongs to an epic. Active issues must not depend on each other in a circle. Long notes and edges to issues that do not exist are warnings. Exits 1 when there is an error.',
  effect: 'read',
  input: checkFields,
  examples: [
    { command: 'premath issue check', shows: 'what is missing, and where' },
    {
      command: 'premath issue check --note-warn-threshold 500 --json',
      shows: 'the report, for a program',
    },
  ],

  async run({ noteWarnThreshold, ...rest }, context) {
    const { memory, issuesPath, talk } = await askIssues(await openProject(context), rest)
    const report = checkIssues(memory, noteWarnThreshold)
    return {
      output: { action: 'issue.check', issuesPath, ...report },
      yes: report.result === 'accepted',
      ...talk,
      render: (page: Page) => `${checkPage(report, page).join('\n')}\n`,
    }
  },
})
