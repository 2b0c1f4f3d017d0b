/** Replays an event log to issue memory, and finds the events that a log lacks. */

import type { Dependency } from '../../../wire/issue/issue.ts'
import type { Sha256 } from '../../canonical.ts'
import { byDependency, type Issue } from '../issue.ts'
import { IssueMemory } from '../issue-memory.ts'
import {
  eventsOf,
  type IssueEvent,
  removalOf,
  rowWithoutEdges,
  snapshotEvent,
} from './issue-event.ts'
import { printEvent } from './issue-event-line.ts'

/** An event with its line number. */
interface LoggedEvent {
  readonly event: IssueEvent
  readonly line: number
}

/** An event that cannot be replayed. */
export class BadEvent {
  readonly line: number
  readonly why: string

  constructor(line: number, why: string) {
    this.line = line
    this.why = why
  }
}

/** The event that claims an edge. */
interface Claim {
  readonly line: number
  readonly occurredAt: string
}

interface LoggedEdge {
  readonly edge: Dependency
  /** Edges of a whole row may dangle and are not claimed. */
  readonly claim?: Claim
}

interface Gap {
  readonly edge: Dependency
  readonly claim: Claim
}

/**
 * Applies events in order, and keeps the rows and edges that they lead to, but no event. An edge may
 * precede its issues, as in a merged log; an edge whose issues never appear is a gap. The first of two
 * equal edges wins. Times stay unchanged.
 */
export class EventReplay {
  readonly #rows = new Map<string, Issue>()
  readonly #edges = new Map<string, readonly LoggedEdge[]>()

  take(logged: LoggedEvent): void {
    apply(logged, this.#rows, this.#edges)
  }

  /** The memory that the events lead to, or the event that claims the first gap. */
  memory(): IssueMemory | BadEvent {
    const { memory, gaps } = this.#end()
    const [gap] = gaps
    return gap ? unresolved(gap) : memory
  }

  /** The events the log lacks to produce this memory, gaps included, because rows decide. */
  missing(memory: IssueMemory): readonly IssueEvent[] {
    const replayed = this.#end()
    return [...replayed.gaps.map(filled), ...eventsBetween(replayed.memory, memory)]
  }

  #end() {
    const rows = this.#rows
    const gaps: Gap[] = []
    const stays = ({ edge, claim }: LoggedEdge) => {
      if (!claim || (rows.has(edge.issue_id) && rows.has(edge.depends_on_id))) return true
      gaps.push({ edge, claim })
      return false
    }
    const kept = new Map([...this.#edges].map(([id, list]) => [id, list.filter(stays)]))
    const memory = new IssueMemory()
    for (const issue of rows.values()) {
      const dependencies = (kept.get(issue.id) ?? []).map(({ edge }) => edge).sort(byDependency)
      memory.put({ ...issue, dependencies })
    }
    return { memory, gaps }
  }
}

export function replayOf(log: Iterable<LoggedEvent>): EventReplay {
  const replay = new EventReplay()
  for (const logged of log) replay.take(logged)
  return replay
}

export const replayEvents = (log: Iterable<LoggedEvent>): IssueMemory | BadEvent =>
  replayOf(log).memory()

function unresolved({ edge, claim }: Gap): BadEvent {
  const { issue_id, depends_on_id, type } = edge
  return new BadEvent(claim.line, `unresolved dependency: ${issue_id} ${type} ${depends_on_id}`)
}

/** Removes an edge between issues that the log does not have. */
function filled({ edge, claim }: Gap): IssueEvent {
  const { issue_id, depends_on_id, type } = edge
  const { occurredAt } = claim
  return {
    event_id: `issue.remove_dependency:${issue_id}:${depends_on_id}:${type}@${occurredAt}`,
    issue_id,
    occurred_at: occurredAt,
    actor: '',
    reason: '',
    action: 'remove_dependency',
    depends_on_id,
    type,
  }
}

function apply(
  { event, line }: LoggedEvent,
  rows: Map<string, Issue>,
  edges: Map<string, readonly LoggedEdge[]>,
): void {
  const { issue_id } = event
  const known = edges.get(issue_id) ?? []
  switch (event.action) {
    case 'upsert_issue':
      rows.set(issue_id, event.issue)
      if (event.whole) {
        edges.set(
          issue_id,
          event.issue.dependencies.map(edge => ({ edge })),
        )
      }
      return
    case 'add_dependency': {
      const { depends_on_id, type, created_by } = event
      if (known.some(({ edge }) => isEdge(edge, event))) return
      const edge = { issue_id, depends_on_id, type, created_by }
      edges.set(issue_id, [...known, { edge, claim: { line, occurredAt: event.occurred_at } }])
      return
    }
    case 'remove_dependency':
      edges.set(
        issue_id,
        known.filter(({ edge }) => !isEdge(edge, event)),
      )
      return
    case 'remove_issue':
      rows.delete(issue_id)
      edges.delete(issue_id)
      return
    default:
      return
  }
}

type Edge = Pick<Dependency, 'depends_on_id' | 'type'>

const isEdge = (a: Edge, b: Edge) => a.depends_on_id === b.depends_on_id && a.type === b.type

/** Names a log: `ev1_` and a digest over its events in canonical form. */
export const eventStreamRef = (events: readonly IssueEvent[], sha256: Sha256): string =>
  streamRefOf(sha256(events.map(streamText).join('')))

/** The part of an event in that digest. */
export const streamText = (event: IssueEvent): string => `${printEvent(event)}\n`

export const streamRefOf = (digest: string): string => `ev1_${digest}`

/**
 * The missing events, found from the ends of both files: rows after the one in the last upsert were
 * synced before their events were written. Such rows are written as whole events.
 * `undefined` if the ends do not match.
 */
export function missingEvents(
  tail: readonly IssueEvent[],
  rows: readonly Issue[],
): readonly IssueEvent[] | undefined {
  const last = tail.findLast(event => event.action === 'upsert_issue')
  if (!last) return undefined
  const row = rowWithoutEdges(last.issue)
  const at = rows.findLastIndex(
    issue => issue.id === last.issue_id && rowWithoutEdges(issue) === row,
  )
  return at < 0 ? undefined : rows.slice(at + 1).map(snapshotEvent)
}

/** The events between two memories; empty if their rows are equal. */
export function eventsBetween(from: IssueMemory, to: IssueMemory): readonly IssueEvent[] {
  const has = (id: string) => to.has(id)
  return [
    ...from
      .all()
      .filter(issue => !to.has(issue.id))
      .map(removalOf),
    ...to.all().flatMap(issue => {
      const before = from.get(issue.id)
      if (!before) return [snapshotEvent(issue)]
      // An edge whose target was removed would look like a gap, so it is written again.
      const orphaned = issue.dependencies.some(
        ({ depends_on_id }) => from.has(depends_on_id) && !to.has(depends_on_id),
      )
      return eventsOf(orphaned ? undefined : before, issue, { has })
    }),
  ]
}
