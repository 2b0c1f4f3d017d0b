import { textField } from '../../field.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import { failureClassesIn } from '../../kernel/harness/step/step-row.ts'
import { stepWords } from '../../kernel/harness/step/step-words.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { issueNotFound } from '../../kernel/issues/issue-refusal.ts'
import { forcedReason } from '../../kernel/proof/close-kind.ts'
import { instantOf } from '../../kernel/timestamp.ts'
import { openProject } from '../../project/open.ts'
import { messageOf, openTrajectory, reported } from '../../project/open-trajectory.ts'
import { spanOf } from '../../render/durations.ts'
import { rejected } from '../../render/issues/issue-answer.ts'
import { countLine, table } from '../../render/table.ts'
import { LogAnswer } from '../../wire/answers/everyday.ts'
import type { StepRow } from '../../wire/harness/step-row.ts'
import { operation } from '../operation.ts'
import { readIssueMemory } from '../read-issues.ts'

const limitDefault = 20

export const log = operation({
  group: 'everyday',
  summary: 'Show what was done, newest first.',
  description:
    'Lists the attempts on issues with their results: when, on which issue, by whom and for how long. Closes by force are listed too. premath show <issue> says why the last one failed. An invalid line of the trajectory is reported with its number and skipped, and the exit code is 1. It also exits 1 if there is no such issue.',
  effect: 'read',
  opId: 'op/everyday.log',
  input: {
    issue: textField('issue', 'Only attempts on this issue.', { positional: true, names: 'issue' }),
    limit: { type: 'count', describe: 'The maximum number of results.', default: limitDefault },
    ...memoryFields,
  },
  output: LogAnswer,
  examples: {
    'premath log': 'the last twenty attempts',
    'premath log bd-1': 'the attempts on one issue',
    'premath log --limit 1 --json': 'the last attempt, for a program',
  },

  async run({ issue: issueId, limit, issues }, context) {
    const asked = await readIssueMemory(await openProject(context), { issues })
    const { project, memory, issuesPath, notices } = asked
    const { log: steps, path } = await openTrajectory(project, undefined)
    const question = { mode: 'latest', limit, issueId, order: 'by-line' } as const
    const { rows, totalCount, ...state } = await steps.query(question)
    if (issueId !== undefined && totalCount === 0 && !memory.has(issueId)) {
      return rejected('log', issuesPath, issueNotFound(issueId, memory))
    }
    const forced = memory
      .all()
      .filter(({ id }) => issueId === undefined || id === issueId)
      .flatMap(forcedItems)
    const items = merged(
      rows.map(row => itemOf(row, memory)),
      forced,
    ).slice(0, limit)
    const total = totalCount + forced.length
    const counts = { count: items.length, total }
    const messages = [notices.message, messageOf(path, state).message].filter(
      message => message !== undefined,
    )
    return {
      output: { action: 'log', ...counts, ...reported(state), items },
      yes: state.bad.count === 0,
      ...(messages.length > 0 && { message: messages.join('\n') }),
      render: page =>
        table(
          ['time', 'issue', 'what', 'worker', 'try', 'took', 'title'],
          items.map(item => [
            item.finishedAt,
            item.issueId ?? '',
            item.what,
            item.workerId ?? '',
            item.attempt === null ? '' : String(item.attempt),
            item.durationMs === null ? '' : spanOf(item.durationMs),
            item.title ?? '',
          ]),
          page,
          ['try', 'took', 'worker', 'title'],
          ['time'],
        ) + countLine(counts, forced.length > 0 ? 'result' : 'attempt', page),
    }
  },
})

interface LogItem {
  readonly attempt: number | null
  readonly durationMs: number | null
  readonly failureClasses: readonly string[]
  readonly finishedAt: string
  readonly issueId: string | null
  readonly landed?: StepRow['landed']
  readonly resultClass: string
  /** `null` for a close by force, which is no step. */
  readonly stepId: string | null
  readonly title: string | null
  readonly what: string
  readonly workerId: string | null
}

/** Steps keep their order, which clocks of several machines may contradict. */
function merged(steps: readonly LogItem[], forced: readonly LogItem[]): readonly LogItem[] {
  const later = (a: LogItem, b: LogItem) => timeOf(a) > timeOf(b)
  const waiting = forced.toSorted((a, b) => (later(a, b) ? -1 : 1))
  return [
    ...steps.flatMap(step => {
      const before: LogItem[] = []
      while (waiting[0] && later(waiting[0], step)) before.push(...waiting.splice(0, 1))
      return [...before, step]
    }),
    ...waiting,
  ]
}

const timeOf = ({ finishedAt }: LogItem) => instantOf(finishedAt) ?? 0n

/** A person closed the issue without proof: no step did it, and the log must not hide it. */
function forcedItems(issue: Issue): readonly LogItem[] {
  const reason = forcedReason(issue)
  if (reason === undefined) return []
  const { id, title, closed_at = '' } = issue
  return [
    {
      attempt: null,
      durationMs: null,
      failureClasses: [],
      finishedAt: closed_at,
      issueId: id,
      resultClass: 'closed_by_force',
      stepId: null,
      title,
      what: `closed by force: ${reason}`,
      workerId: null,
    },
  ]
}

function itemOf(row: StepRow, memory: IssueMemory): LogItem {
  const { issueId, finishedAt, workerId, attempt, durationMs, resultClass, stepId, landed } = row
  return {
    attempt: attempt ?? null,
    durationMs: durationMs ?? null,
    failureClasses: failureClassesIn(row),
    finishedAt,
    issueId: issueId ?? null,
    ...(landed && { landed }),
    resultClass,
    stepId,
    title: (issueId === undefined ? undefined : memory.get(issueId)?.title) ?? null,
    what: stepWords(row),
    workerId: workerId ?? null,
  }
}
