import { limitField, memoryFields } from '../../input/issue-fields.ts'
import { type Blocker, blockedIssues } from '../../kernel/issues/graph/blocked.ts'
import { openProject } from '../../project/open.ts'
import { countLine, limited, table } from '../../render/table.ts'
import { BlockedAnswer } from '../../wire/answers/issue-lists.ts'
import { operation } from '../operation.ts'
import { readIssueMemory } from '../read-issues.ts'

export const issueBlocked = operation({
  group: 'issue',
  summary: 'List blocked issues and their blockers.',
  description:
    'Lists issues that are not closed and depend on an issue that is not closed or is missing, and issues with status blocked.',
  effect: 'read',
  opId: 'op/mcp.issue_blocked',
  input: { ...limitField, ...memoryFields },
  output: BlockedAnswer,
  examples: { 'premath issue blocked': 'each blocked issue with its blockers' },

  async run({ limit, issues }, context) {
    const { issuesPath, memory, notices } = await readIssueMemory(await openProject(context), {
      issues,
    })
    const { shown, counts } = limited(blockedIssues(memory), limit)
    const items = shown.map(({ issue, manualBlocked, blockers }) => ({
      blockers,
      id: issue.id,
      manualBlocked,
      priority: issue.priority,
      status: issue.status,
      title: issue.title,
    }))
    return {
      output: { action: 'issue.blocked', ...counts, issuesPath, items },
      yes: true,
      ...notices,
      render: page =>
        table(
          ['id', 'pri', 'waits for', 'title'],
          items.map(({ id, priority, manualBlocked, blockers, title }) => [
            id,
            String(priority),
            [...(manualBlocked ? ['a hand'] : []), ...blockers.map(spoken)].join(', '),
            title,
          ]),
          page,
          ['pri', 'title'],
        ) + countLine(counts, 'blocked issue', page),
    }
  },
})

const spoken = ({ dependsOnId, blockerMissing }: Blocker) =>
  blockerMissing ? `${dependsOnId} (missing)` : dependsOnId
