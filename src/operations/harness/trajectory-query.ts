import type { Page } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { choiceField, flagField, textField } from '../../field.ts'
import { documentOf } from '../../kernel/artifact/print.ts'
import {
  modeWord,
  projectionKind,
  type StepCounts,
  type StepFilter,
  sinceOf,
  trajectoryModes,
} from '../../kernel/harness/step/trajectory.ts'
import { trim } from '../../kernel/text/clean.ts'
import { visible } from '../../kernel/text/visible.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import { openProject } from '../../project/open.ts'
import {
  messageOf,
  openTrajectory,
  reported,
  trajectoryField,
} from '../../project/open-trajectory.ts'
import { hung, wrapBroken } from '../../render/columns.ts'
import { table } from '../../render/table.ts'
import { titledPage } from '../../render/titled-page.ts'
import { StepRow } from '../../wire/harness/step-row.ts'
import {
  type FailureCluster,
  TrajectoryProjection,
} from '../../wire/harness/trajectory-projection.ts'
import { operation } from '../operation.ts'

const limitDefault = 20

export const harnessTrajectoryQuery = operation({
  group: 'harness',
  summary: 'List steps, newest first.',
  description:
    'Shows the latest steps, the failed ones, or those that need a retry, with total counts. Steps that finished at the same time are sorted by id. An invalid line is reported with its number and skipped, and the exit code is 1. An incomplete last line is only noted.',
  effect: 'read',
  opId: 'op/harness.trajectory_query',
  input: {
    mode: choiceField(trajectoryModes, 'Which steps to list.', { default: 'latest' }),
    limit: { type: 'count', describe: 'The maximum number of results.', default: limitDefault },
    issue: textField('id', 'Only steps on this issue.', { names: 'issue' }),
    since: textField(
      'time',
      'Only steps that finished since then: an RFC 3339 time, or an age such as 30m, 24h or 7d.',
    ),
    cluster: flagField('Group failed steps by class, most frequent first.'),
    ...trajectoryField,
  },
  output: TrajectoryProjection,
  examples: {
    'premath harness-trajectory query': 'list the last twenty steps',
    'premath harness-trajectory query --cluster --since 24h':
      'show the most frequent failures of the last day',
    'premath harness-trajectory query --mode failed --issue bd-1 --limit 1 --json':
      'show the last failure of an issue',
  },

  async run({ mode, limit, issue, since, cluster, path: given }, context) {
    const filter = filterOf({ issue, since }, context.clock.now())
    const { log, path } = await openTrajectory(await openProject(context), given)
    const { rows, totalCount, failedCount, retryNeededCount, clusters, ...state } = await log.query(
      {
        mode,
        limit,
        clusters: cluster,
        ...filter,
      },
    )
    const shown = clusters?.slice(0, limit)
    const counts = { totalCount, failedCount, retryNeededCount }
    return {
      output: {
        action: 'harness-trajectory.query',
        ...reported(state),
        ...(clusters && { clusterCount: clusters.length, clusters: shown }),
        count: rows.length,
        failedCount,
        issueId: filter.issueId,
        items: rows.map(row => documentOf(StepRow, row)),
        mode: modeWord(mode),
        path,
        projectionKind,
        retryNeededCount,
        since: filter.since === undefined ? undefined : timestampOf(filter.since),
        totalCount,
      },
      yes: state.bad.count === 0,
      ...messageOf(path, state),
      render: page =>
        headed({ path, mode: modeWord(mode), count: rows.length, ...counts }, page) +
        (shown ? clusterTable(shown, page) : rows.map(row => lineOf(row, page)).join('')),
    }
  },
})

function filterOf(
  { issue, since }: { readonly issue: string | undefined; readonly since: string | undefined },
  now: bigint,
): StepFilter {
  const instant = since === undefined ? undefined : sinceOf(trim(since), now)
  if (since !== undefined && instant === undefined) {
    throw unclear(
      `--since must be a time or an age, not ${JSON.stringify(since)}`,
      'Pass a time such as 2026-02-22T00:00:00Z, or an age such as 30m, 24h or 7d.',
    )
  }
  const issueId = issue === undefined ? undefined : trim(issue)
  if (issueId === '') throw unclear('--issue is empty', 'Pass an issue id, or omit the flag.')
  return { issueId, since: instant }
}

const unclear = (what: string, hint: string) =>
  new Fault('usage', `harness-trajectory query: ${what}`, { hint })

interface Headed extends StepCounts {
  readonly path: string
  readonly mode: string
  readonly count: number
}

function headed(
  { path, mode, count, totalCount, failedCount, retryNeededCount }: Headed,
  page: Page,
): string {
  const counts = `(total=${totalCount}, failed=${failedCount}, retry_needed=${retryNeededCount})`
  return titledPage(
    'premath harness-trajectory query',
    [`Path: ${path}`, `Mode: ${mode}`, `Count: ${count} ${counts}`],
    page,
  )
}

function lineOf({ stepId, resultClass, action, finishedAt }: StepRow, page: Page): string {
  const text = visible(`${stepId} [${resultClass}] ${action} (${finishedAt})`)
  return `${hung('  - ', text, page.columns, wrapBroken).join('\n')}\n`
}

const clusterTable = (clusters: readonly FailureCluster[], page: Page) =>
  table(
    ['steps', 'issues', 'last', 'class'],
    clusters.map(({ count, issueCount, lastAt, resultClass }) => [
      String(count),
      String(issueCount),
      lastAt,
      resultClass,
    ]),
    page,
    ['issues', 'last'],
  )
