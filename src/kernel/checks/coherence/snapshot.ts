/** Looks in the event log for the state of issue memory that a session names. */
import type { Sha256 } from '../../canonical.ts'
import type { IssueEvent } from '../../issues/events/issue-event.ts'
import { BadEvent, replayEvents } from '../../issues/events/issue-replay.ts'
import type { IssueMemory } from '../../issues/issue-memory.ts'
import { instantOf } from '../../timestamp.ts'

interface Snapshot {
  readonly ref: string
  /** It was taken between these times. */
  readonly from: string
  readonly to: string
}

interface LoggedEvent {
  readonly event: IssueEvent
  readonly line: number
}

/** Times have a resolution of a second, and a change may come just before or after. */
const windowNs = 5_000_000_000n
/** Each replay reads the log from its start. */
const replaysMax = 32

/**
 * Compares the ref with the memory of now, and with the log as it was while the session lasted.
 * `unknown` if the log cannot tell: it is no full record, or much changed at that time.
 */
export function snapshotVerdict(
  { ref, ...taken }: Snapshot,
  memory: IssueMemory,
  log: readonly LoggedEvent[],
  sha256: Sha256,
): 'verified' | 'wrong' | 'unknown' {
  const current = memory.snapshotRef(sha256)
  if (current === ref) return 'verified'
  const [since, until] = [instantOf(taken.from), instantOf(taken.to)]
  const times = log.map(({ event }) => instantOf(event.occurred_at))
  const isOrdered = times.every((time, n) => n === 0 || (time ?? 0n) >= (times[n - 1] ?? 0n))
  const whole = replayEvents(log)
  const isFull = !(whole instanceof BadEvent) && whole.snapshotRef(sha256) === current
  if (since === undefined || until === undefined || !isOrdered || !isFull) return 'unknown'
  const from = times.findIndex(time => (time ?? 0n) >= since - windowNs)
  const after = times.findIndex(time => (time ?? 0n) > until + windowNs)
  const [first, last] = [from === -1 ? log.length : from, after === -1 ? log.length : after]
  if (last - first > replaysMax) return 'unknown'
  for (let end = last; end >= first; end--) {
    const replayed = replayEvents(log.slice(0, end))
    if (!(replayed instanceof BadEvent) && replayed.snapshotRef(sha256) === ref) return 'verified'
  }
  return 'wrong'
}
