/** Rows of a log in the place of those that memory has, with nothing lost on the way. */
import type { Issue } from '../kernel/work/issue.ts'
import { idsShownMax } from '../kernel/work/issue-import.ts'
import { IssueMemory } from '../kernel/work/issue-memory.ts'
import { type IssueRefusal, isRefusal, refuse } from '../kernel/work/issue-refusal.ts'
import { decideReplay, type ReplayLoss, replayLoss } from '../kernel/work/replay-loss.ts'
import { rejected } from './issue-answer.ts'
import { talkOf } from './issue-door.ts'
import { keptBeside } from './kept-beside.ts'
import type { OpenIssues } from './open-issues.ts'
import type { Answer, OperationContext } from './operation.ts'

interface Replacing {
  /** The ref of the memory that the log was compared with; none where there was no file. */
  readonly compared: string | undefined
  readonly force: boolean
  readonly reason: string | undefined
}

interface Replaced {
  /** Of rows that were there. */
  readonly loss?: ReplayLoss
  readonly refusal?: IssueRefusal
  /** Where the rows are that were replaced. */
  readonly previous?: string
}

export async function replaceRows(
  open: OpenIssues,
  log: IssueMemory,
  { compared, force, reason }: Replacing,
  context: OperationContext,
): Promise<Replaced> {
  const { store } = open
  const decide = (memory: IssueMemory) =>
    memory.size === 0 || memory.snapshotRef(context.sha256) === compared
      ? decideReplay(memory, log, { force, now: open.now() })
      : refuse('replay_memory_changed', 'memory changed meanwhile', 'Run it again.')
  const memory = compared === undefined ? new IssueMemory() : await store.read()
  const told = compared === undefined ? {} : { loss: replayLoss(memory, log) }
  const decided = decide(memory)
  if (isRefusal(decided)) return { ...told, refusal: decided }
  // A change after this changes the ref too, so what is kept is what will be replaced.
  const bytes = await context.files.readIfPresent(store.path)
  const kept = bytes?.length
    ? { previous: await keptBeside(store.path, bytes, await context.disk(), context) }
    : {}
  const outcome = await store.replaceRows(open.authority(reason), decide)
  return isRefusal(outcome) ? { ...told, refusal: outcome } : { ...told, ...kept }
}

export function refusedReplay(
  open: OpenIssues,
  refusal: IssueRefusal,
  loss: ReplayLoss | undefined,
): Answer<unknown> {
  const answer = rejected('issue.replay-events', open.issuesPath, refusal)
  const output = { ...(answer.output as object), ...(loss && lossOutput(loss)) }
  return { ...answer, output, ...talkOf(open, answer.talk) }
}

export const lossOutput = ({ gone, older }: ReplayLoss) => ({
  goneCount: gone.length,
  goneIssueIds: shownIds(gone),
  olderCount: older.length,
  olderIssueIds: shownIds(older),
})

const shownIds = (issues: readonly Issue[]) => issues.slice(0, idsShownMax).map(({ id }) => id)
