import { limitField, memoryFields } from '../../input/issue-fields.ts'
import { type Offered, offered, offeredCount } from '../../kernel/issues/offered.ts'
import { openProject } from '../../project/open.ts'
import { holderOf } from '../../render/issues/issue-answer.ts'
import { type Counts, countLine, table } from '../../render/table.ts'
import { askIssues } from '../issue-door.ts'
import { operation } from '../operation.ts'

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
    const { issuesPath, memory, now, talk } = await askIssues(await openProject(context), {
      issues,
    })
    const items = firstOf(offered(memory, now), limit).map(itemOf)
    const total = limit === undefined ? {} : { total: offeredCount(memory, now) }
    const counts: Counts = { count: items.length, ...total }
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
          ['pri', 'status'],
        ) + countLine(counts, 'ready issue', page),
    }
  },
})

/** No more are read than are shown. */
function firstOf<T>(found: Iterable<T>, limit = Number.POSITIVE_INFINITY): T[] {
  const first: T[] = []
  if (limit < 1) return first
  for (const item of found) {
    first.push(item)
    if (first.length >= limit) break
  }
  return first
}

/** Members in the order they are printed in, which spares fifty thousand items the sorting. */
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
