/**
 * Gives each issue of a merge one id. Of two issues with the same id, the later one gets a new one, and
 * what each side says about it follows: its edges, the edges to it, and its comments.
 */
import type { Dependency } from '../../../wire/issue/issue.ts'
import type { Sha256 } from '../../canonical.ts'
import { type Issue, printIssue } from '../issue.ts'
import { withCommentsFor } from '../issue-comment.ts'
import { freeHashId } from '../issue-id.ts'
import { mergedFromKey, withMetadata } from '../issue-metadata.ts'
import { byCreation, idOf, isRenamed, originOf, type Rows, type Versions } from './same-issue.ts'

export interface RenamedIssue {
  readonly from: string
  readonly to: string
  readonly title: string
}

interface SharedIds {
  /** The id of every issue, by its creation. */
  readonly ids: ReadonlyMap<string, string>
  /** The issues that had the id of another one. */
  readonly renamed: ReadonlyMap<string, RenamedIssue>
}

/** Every clone that merges the same issues gives them the same ids. */
export function sharedIds(
  ours: Versions,
  theirs: Versions,
  isTaken: (id: string) => boolean,
  sha256: Sha256,
): SharedIds {
  const ids = new Map<string, string>()
  const holders = new Map<string, [string, Issue]>()
  const later: [string, Issue][] = []
  for (const [name, issue] of issuesOf(ours, theirs)) {
    const holder = holders.get(issue.id)
    if (!holder) holders.set(issue.id, [name, issue])
    else if (byCreation(holder, [name, issue]) < 0) later.push([name, issue])
    else {
      later.push(holder)
      holders.set(issue.id, [name, issue])
    }
  }
  for (const [name, { id }] of holders.values()) ids.set(name, id)
  const renamed = new Map<string, RenamedIssue>()
  for (const [name, issue] of later.sort(byCreation)) {
    const origin = originOf(issue)
    const free = { size: 0, has: (id: string) => isTaken(id) || holders.has(id) }
    // Built from immutable parts, so that every clone derives the same id.
    const parts = [origin, issue.created_at ?? printIssue(issue)]
    const to = freeHashId(`${origin}-`, parts, free, sha256)
    holders.set(to, [name, issue])
    ids.set(name, to)
    renamed.set(name, { from: issue.id, to, title: issue.title })
  }
  return { ids, renamed }
}

/** Every issue of both sides with the id that it should have. */
function* issuesOf(ours: Versions, theirs: Versions): Iterable<readonly [string, Issue]> {
  for (const [name, our] of ours) {
    const their = theirs.get(name)?.issue
    const id = their ? idOf(our.issue, their) : our.issue.id
    yield [name, id === our.issue.id ? our.issue : { ...our.issue, id }]
  }
  for (const [name, their] of theirs) if (!ours.has(name)) yield [name, their.issue]
}

/** The old ids of one side with the new ones. */
export type Moves = ReadonlyMap<string, string>

export function movesOf(side: Versions, ids: ReadonlyMap<string, string>): Moves {
  const moves = new Map<string, string>()
  for (const [name, { ids: old }] of side) {
    const to = ids.get(name)
    for (const id of old) if (to !== undefined && to !== id) moves.set(id, to)
  }
  return moves
}

/**
 * The side with the new ids. An edge that led nowhere in the base is about neither issue, and keeps
 * its id.
 */
export function withNewIds(side: Versions, moves: Moves, before: Versions, base: Rows): Versions {
  if (moves.size === 0) return side
  const turned = new Map(side)
  for (const [name, version] of side) {
    const known = before.get(name)?.issue.dependencies ?? []
    const led = known.filter(({ depends_on_id }) => !base.has(depends_on_id))
    const turn = (issue: Issue) => moved(withTargets(issue, moves, led), version.ids, moves)
    turned.set(name, {
      ...version,
      issue: turn(version.issue),
      earlier: version.earlier.map(turn),
    })
  }
  return turned
}

function withTargets(issue: Issue, moves: Moves, led: readonly Dependency[]): Issue {
  const isMeant = (edge: Dependency) =>
    moves.has(edge.depends_on_id) &&
    !led.some(
      ({ depends_on_id, type }) => depends_on_id === edge.depends_on_id && type === edge.type,
    )
  if (!issue.dependencies.some(isMeant)) return issue
  const dependencies = issue.dependencies.map(edge =>
    isMeant(edge)
      ? { ...edge, depends_on_id: moves.get(edge.depends_on_id) ?? edge.depends_on_id }
      : edge,
  )
  return { ...issue, dependencies }
}

function moved(issue: Issue, had: readonly string[], moves: Moves): Issue {
  const to = had.map(id => moves.get(id)).find(id => id !== undefined)
  if (to === undefined) return issue
  const renamed = {
    ...withCommentsFor(issue, to),
    id: to,
    dependencies: issue.dependencies.map(edge =>
      had.includes(edge.issue_id) ? { ...edge, issue_id: to } : edge,
    ),
  }
  return isRenamed(issue) ? renamed : noted(renamed, issue.id)
}

/** Every side notes it alike, so that the note is no change of one of them. */
function noted(issue: Issue, from: string): Issue {
  const { notes } = issue
  const note = `Was ${from} before a merge, where another issue has that id.`
  return {
    ...issue,
    notes: notes === '' ? note : `${notes}\n${note}`,
    metadata: withMetadata(issue, { [mergedFromKey]: from }),
  }
}
