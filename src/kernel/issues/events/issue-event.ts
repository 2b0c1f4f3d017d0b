/**
 * Events of issue memory, one per line, in `memory/events.jsonl` beside the rows. The log is a
 * projection: rows are authoritative. Replaying the log gives the same rows (`issue-replay.ts`).
 *
 * `upsert_issue` carries a row without its dependencies, which have their own events; earlier tools
 * write both in the same form. `remove_dependency` and `remove_issue` exist only here.
 * `set_status`, `claim_issue`, `renew_lease` and `release_lease` record why a row changed. Replay
 * ignores them, because the upsert beside them holds the whole row.
 *
 * The store writes them through `EventLog` (`store/file/event-log.ts`), which `FileIssueStore` calls:
 * - `complete`, before rows are appended, adds events that the log lacks. `record`, after the sync,
 *   appends `eventsOf(before, after)` in one write, without a sync. The upsert is the last event of
 *   a row, so if it is in the log, the others are too.
 * - `meet` after compaction, `compare` after `replaceRows`.
 * - A fault of the log becomes a notice and does not fail a change, because rows are authoritative.
 * `printEvent` and `readEventLine` (`issue-event-line.ts`) write and read the lines.
 */
import type { Dependency, Lease } from '../../../wire/issue/issue.ts'
import type { IssueEvent as Line } from '../../../wire/issue/issue-event.ts'
import { byDependency, fenceOf, type Issue, printIssue } from '../issue.ts'

/**
 * An event of the log. `event_id` is `<what>:<which>`. The store appends `@<time>#<position>`,
 * which makes it unique. `actor` is blank if the event was derived from the row alone.
 */
export type IssueEvent = EventHead & EventBody

type EventHead = Pick<Line, 'event_id' | 'issue_id' | 'occurred_at' | 'actor' | 'reason'>

/** The members that each action has of its own. */
export type EventBody = BodyOf<Line>
type BodyOf<One extends Line> = One extends { readonly action: 'upsert_issue' }
  ? Pick<One, 'action'> & {
      readonly issue: Issue
      /** The row includes its dependencies, which replace the existing ones. */
      readonly whole: boolean
    }
  : Omit<One, 'schema' | keyof EventHead>

type Edge = Pick<Dependency, 'depends_on_id' | 'type'>

interface EventOptions {
  readonly actor?: string
  readonly reason?: string
  /** Whether memory has the issue. Used for targets, because an edge may dangle. */
  readonly has?: (id: string) => boolean
}

/**
 * The events that turn one row into another or create it; empty if the rows are equal. An event id
 * ends in the row's time; the writer appends its position in the log, because clocks can stand
 * still.
 */
export function eventsOf(
  before: Issue | undefined,
  after: Issue,
  { actor = '', reason = '', has = () => true }: EventOptions = {},
): readonly IssueEvent[] {
  const old = before?.dependencies ?? []
  const sameMembers = before && rowWithoutEdges(before) === rowWithoutEdges(after)
  if (sameMembers && sameEdges(old, after.dependencies)) return []
  const bodies: readonly EventBody[] = [
    ...(isOdd(after, has) ? [] : edgeEvents(old, after.dependencies)),
    ...(before ? causes(before, after) : []),
    upsertOf(after, has),
  ]
  const by = { actor, reason }
  return bodies.map(body => ({ ...headOf(after, body, `@${timeOf(after)}`), ...by, ...body }))
}

/**
 * The row as one self-contained event, for a row without known history. Written member by member: a
 * log may start with fifty thousand of these, and a spread is slower than reading the row.
 */
export function snapshotEvent(issue: Issue): IssueEvent {
  const time = timeOf(issue)
  return {
    event_id: `issue.upsert:${issue.id}@${time}`,
    issue_id: issue.id,
    occurred_at: time,
    actor: '',
    reason: '',
    action: 'upsert_issue',
    issue,
    whole: true,
  }
}

/** The whole memory as earlier tools dump it: per issue one upsert, then its edges in order. */
export function dumpEvents(
  issues: readonly Issue[],
  has: (id: string) => boolean,
): readonly IssueEvent[] {
  return issues.flatMap(issue => {
    const edges = isOdd(issue, has) ? [] : edgeEvents([], issue.dependencies)
    return [upsertOf(issue, has), ...edges].map(body => ({ ...headOf(issue, body), ...body }))
  })
}

const upsertOf = (issue: Issue, has: (id: string) => boolean): EventBody =>
  isOdd(issue, has)
    ? { action: 'upsert_issue', issue, whole: true }
    : { action: 'upsert_issue', issue: withoutEdges(issue), whole: false }

const headOf = (issue: Issue, body: EventBody, suffix = ''): EventHead => ({
  event_id: `${eventName(issue.id, body)}${suffix}`,
  issue_id: issue.id,
  occurred_at: timeOf(issue),
  actor: '',
  reason: '',
})

/** A row was removed by hand or by a merge. premath itself removes none. */
export function removalOf(issue: Issue): IssueEvent {
  const body = { action: 'remove_issue' } as const
  return { ...headOf(issue, body, `@${timeOf(issue)}`), ...body }
}

/** A row without a time gets the epoch, because its real time is unknown. */
const timeOf = (issue: Issue) => issue.updated_at ?? '1970-01-01T00:00:00Z'

/**
 * Edges that a single event cannot express: duplicates, edges filed under another issue, and
 * dangling edges, which replay would report as a gap.
 */
function isOdd(issue: Issue, has: (id: string) => boolean): boolean {
  const names = new Set(issue.dependencies.map(edgeName))
  return (
    names.size < issue.dependencies.length ||
    issue.dependencies.some(edge => edge.issue_id !== issue.id || !has(edge.depends_on_id))
  )
}

/**
 * Edge events by target and type. A changed author is a removal and an addition. `after` is never
 * odd.
 */
function edgeEvents(before: readonly Dependency[], after: readonly Dependency[]): EventBody[] {
  const [old, fresh] = [groupsOf(before), groupsOf(after)]
  const gone = [...old].filter(([name, edges]) => !sameEdges(edges, fresh.get(name) ?? []))
  const come = [...fresh].filter(([name, edges]) => !sameEdges(edges, old.get(name) ?? []))
  const first = ([, [edge]]: readonly [string, readonly Dependency[]]) => edge as Dependency
  return [
    ...gone
      .map(first)
      .sort(byDependency)
      .map(
        ({ depends_on_id, type }) =>
          ({ action: 'remove_dependency', depends_on_id, type }) as const,
      ),
    ...come
      .map(first)
      .sort(byDependency)
      .map(
        ({ depends_on_id, type, created_by }) =>
          ({ action: 'add_dependency', depends_on_id, type, created_by }) as const,
      ),
  ]
}

const edgeName = ({ depends_on_id, type }: Edge) => `${type} ${depends_on_id}`

function groupsOf(edges: readonly Dependency[]): Map<string, readonly Dependency[]> {
  const groups = new Map<string, readonly Dependency[]>()
  for (const edge of edges) {
    groups.set(edgeName(edge), [...(groups.get(edgeName(edge)) ?? []), edge])
  }
  return groups
}

const sameEdges = (a: readonly Dependency[], b: readonly Dependency[]): boolean =>
  a.length === b.length && printEdges(a) === printEdges(b)

const printEdges = (edges: readonly Dependency[]) =>
  JSON.stringify(
    edges
      .toSorted(byDependency)
      .map(edge => [edge.issue_id, edge.depends_on_id, edge.type, edge.created_by]),
  )

/** The reasons of a change that a comparison of both rows shows. */
function causes(before: Issue, after: Issue): EventBody[] {
  const { status } = after
  const moved =
    status === before.status
      ? []
      : [{ action: 'set_status', status, previous_status: before.status } as const]
  return [...moved, ...leaseCause(before, after)]
}

function leaseCause(before: Issue, after: Issue): EventBody[] {
  const [old, fresh] = [before.lease, after.lease]
  if (!fresh) return old ? [leaseEvent('release_lease', old, before)] : []
  const held =
    old?.lease_id === fresh.lease_id &&
    old.acquired_at === fresh.acquired_at &&
    fenceOf(before) === fenceOf(after)
  if (!held) return [leaseEvent('claim_issue', fresh, after)]
  const same = old.expires_at === fresh.expires_at && old.renewed_at === fresh.renewed_at
  return same ? [] : [leaseEvent('renew_lease', fresh, after)]
}

function leaseEvent(
  action: Extract<EventBody, { readonly fence: number }>['action'],
  { lease_id, owner, expires_at }: Lease,
  issue: Issue,
): EventBody {
  return { action, lease_id, owner, expires_at, fence: fenceOf(issue) }
}

/** The event name of earlier tools. Our names continue with the time. */
function eventName(id: string, body: EventBody): string {
  switch (body.action) {
    case 'upsert_issue':
      return `issue.upsert:${id}`
    case 'add_dependency':
    case 'remove_dependency':
      return `issue.${body.action}:${id}:${body.depends_on_id}:${body.type}`
    default:
      return `issue.${body.action}:${id}`
  }
}

/** The row without its edges. */
export const withoutEdges = (issue: Issue): Issue =>
  issue.dependencies.length === 0 ? issue : { ...issue, dependencies: [] }

export const rowWithoutEdges = (issue: Issue): string => printIssue(withoutEdges(issue))
