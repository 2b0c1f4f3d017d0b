/** Merges two event logs: every line once, in time order. */
import { byCodePoint } from '../../canonical.ts'
import { instantOf } from '../../timestamp.ts'
import type { IssueEvent } from './issue-event.ts'

interface EventLine {
  readonly text: string
  readonly event: IssueEvent
}

/**
 * A union, because the log is only a projection. Events missing for the merged rows are added when
 * the memory is next opened. A side without changes leaves the other as it is.
 */
export function mergeEvents(
  base: readonly EventLine[],
  ours: readonly EventLine[],
  theirs: readonly EventLine[],
): readonly string[] {
  const [was, our, their] = [base, ours, theirs].map(lines => lines.map(({ text }) => text))
  if (isSame(our, their) || isSame(their, was)) return our ?? []
  if (isSame(our, was)) return their ?? []
  const each = new Map([...base, ...ours, ...theirs].map(line => [line.text, line]))
  return [...each.values()].sort(byTime).map(({ text }) => text)
}

const isSame = (a: readonly string[] = [], b: readonly string[] = []) =>
  a.length === b.length && a.every((text, at) => text === b[at])

function byTime(a: EventLine, b: EventLine): number {
  const [left, right] = [instant(a), instant(b)]
  if (left !== right) return left < right ? -1 : 1
  return rank(a) - rank(b) || byCodePoint(a.text, b.text)
}

const instant = ({ event }: EventLine) => instantOf(event.occurred_at) ?? 0n

/** The order within one change: removed edges, added edges, then the row. */
function rank({ event }: EventLine): number {
  const at = order.indexOf(event.action)
  return at < 0 ? order.indexOf('add_dependency') : at
}

const order: readonly string[] = [
  'remove_dependency',
  'add_dependency',
  'upsert_issue',
  'remove_issue',
]
