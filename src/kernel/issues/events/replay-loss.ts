/** The loss if the rows of a log replaced those of memory. */

import { instantOf } from '../../timestamp.ts'
import { fenceOf, type Issue } from '../issue.ts'
import { listed, replayIssues } from '../issue-import.ts'
import { type IssueMemory, snapshotRow } from '../issue-memory.ts'
import { type IssueRefusal, refuse } from '../issue-refusal.ts'

export interface ReplayLoss {
  /** Issues the log lacks. */
  readonly gone: readonly Issue[]
  /** Issues for which the log has a different row that is not newer. */
  readonly older: readonly Issue[]
}

export function replayLoss(memory: IssueMemory, replayed: IssueMemory): ReplayLoss {
  const gone: Issue[] = []
  const older: Issue[] = []
  for (const mine of memory.all()) {
    const logged = replayed.get(mine.id)
    if (!logged) gone.push(mine)
    else if (snapshotRow(logged) !== snapshotRow(mine) && !isLater(logged, mine)) older.push(mine)
  }
  return { gone, older }
}

/** The rows to replace memory with. Refuses any loss unless forced. */
export function decideReplay(
  memory: IssueMemory,
  replayed: IssueMemory,
  { force, now }: { readonly force: boolean; readonly now: bigint },
): readonly Issue[] | IssueRefusal {
  const rows = replayIssues(memory, replayed, now)
  if (force || 'failureClass' in rows) return rows
  return lossRefusal(replayLoss(memory, replayed)) ?? rows
}

/** A row with a missing or equal time, or with a smaller fence, is not later. */
function isLater(logged: Issue, mine: Issue): boolean {
  const [then, now] = [instantOf(logged.updated_at ?? ''), instantOf(mine.updated_at ?? '')]
  return then !== undefined && now !== undefined && then > now && fenceOf(logged) >= fenceOf(mine)
}

/** `undefined` if no row would be lost. */
function lossRefusal({ gone, older }: ReplayLoss): IssueRefusal | undefined {
  const lost = [
    ...(gone.length > 0 ? [`${gone.length} issues would go: ${listed(gone)}`] : []),
    ...(older.length > 0 ? [`${older.length} would go back: ${listed(older)}`] : []),
  ]
  if (lost.length === 0) return undefined
  return refuse(
    'replay_loses_rows',
    `the log does not know all that memory has; ${lost.join('; ')}`,
    'Look for the rest of the log, or give --force: the rows as they are stay beside the new ones.',
  )
}
