import { limitField, memoryFields } from '../../input/issue-fields.ts'
import { firstOf } from '../../kernel/issues/issue-order.ts'
import { type Offered, offered, offeredCount } from '../../kernel/issues/offered.ts'
import { openProject } from '../../project/open.ts'
import { holderOf } from '../../render/issues/issue-answer.ts'
import { type Counts, countLine, table } from '../../render/table.ts'
import { ReadyAnswer } from '../../wire/answers/issue-lists.ts'
import { operation } from '../operation.ts'
import { readIssueMemory } from '../read-issues.ts'

export const issueReady = operation({
  group: 'issue',
  summary: 'List ready issues.',
  description:
    'Lists open issues without open dependencies, by priority and then by id in natural order. Issues in progress with an expired lease are listed too, with reclaim: true and the last holder: premath issue claim-next offers them again.',
  effect: 'read',
  opId: 'op/mcp.issue_ready',
  input: { ...limitField, ...memoryFields },
  output: ReadyAnswer,
  examples: {
    'premath issue ready': 'the ready issues, most urgent first',
    'premath issue ready --limit 1 --json': 'the next issue to do',
  },

  async run({ limit, issues }, context) {
    const { issuesPath, memory, now, notices } = await readIssueMemory(await openProject(context), {
      issues,
    })
    const items = firstOf(offered(memory, now), limit).map(itemOf)
    const total = limit === undefined ? {} : { total: offeredCount(memory, now) }
    const counts: Counts = { count: items.length, ...total }
    return {
      output: { action: 'issue.ready', ...counts, issuesPath, items },
      yes: true,
      ...notices,
      render: page =>
        table(
          ['id', 'pri', 'status', 'title'],
          items.map(({ id, priority, status, title, previousHolder }) => [
            id,
            String(priority),
            previousHolder ? `expired claim of ${previousHolder.owner}` : status,
            title,
          ]),
          page,
          ['pri', 'status'],
        ) + countLine(counts, 'ready issue', page),
    }
  },
})

/** Members in print order, which avoids sorting fifty thousand items. */
function itemOf({ id, priority, status, title, left }: Offered) {
  return {
    id,
    previousHolder: left && holderOf(left),
    priority,
    reclaim: left ? true : undefined,
    status,
    title,
  }
}
