import type { Issue } from '../kernel/work/issue.ts'
import type { IssueMemory } from '../kernel/work/issue-memory.ts'
import { byRank } from '../kernel/work/issue-order.ts'
import { leaseStateAt } from '../kernel/work/lease-state.ts'
import { holderOf } from './issue-answer.ts'
import { askIssues } from './issue-door.ts'
import { limitField, memoryFields } from './issue-fields.ts'
import { countLine, limited, table } from './issue-table.ts'
import { operation } from './operation.ts'

export const issueReady = operation({
  group: 'issue',
  summary: 'List what can be worked on now.',
  description:
    'Open issues that wait for nothing, by priority and then by id as people count. Work in progress whose lease ran out is listed too, with reclaim: true and who held it: premath issue claim-next offers it again.',
  effect: 'read',
  input: { ...limitField, ...memoryFields },
  examples: [
    { command: 'premath issue ready', shows: 'what to do, first things first' },
    { command: 'premath issue ready --limit 1 --json', shows: 'the one to do next' },
  ],

  async run({ limit, issues }, context) {
    const { issuesPath, memory, now, talk } = await askIssues(context, { issues })
    const { shown, counts } = limited(offered(memory, now), limit)
    const items = shown.map(issue => itemOf(issue, now))
    return {
      output: { action: 'issue.ready', ...counts, issuesPath, items },
      yes: true,
      ...talk,
      render: page =>
        table(
          ['id', 'pri', 'status', 'title'],
          items.map(({ id, priority, status, title, previousHolder }) => [
            id,
            String(priority),
            previousHolder ? `left by ${previousHolder.owner}` : status,
            title,
          ]),
          page,
        ) + countLine(counts, 'ready issue', page),
    }
  },
})

function offered(memory: IssueMemory, now: bigint): readonly Issue[] {
  const left = memory.reclaimable(now)
  return left.length === 0 ? memory.ready() : [...memory.ready(), ...left].sort(byRank)
}

function itemOf({ id, priority, status, title, lease }: Issue, now: bigint) {
  const item = { id, priority, status, title }
  if (!lease || leaseStateAt(lease, now) !== 'stale') return { ...item, previousHolder: undefined }
  return { ...item, previousHolder: holderOf(lease), reclaim: true }
}
