/** Imports rows, all or none, beside or instead of the existing ones. */
import { isJsonObject } from '../json.ts'
import { asImported, isUnrecorded, withImportOf } from '../proof/close-kind.ts'
import { timestampOf } from '../timestamp.ts'
import { graphIntegrity } from './graph/dependency-cycle.ts'
import { fenceOf, type Issue } from './issue.ts'
import { commentsMember } from './issue-comment.ts'
import { IssueMemory, snapshotRow } from './issue-memory.ts'
import { closeOf, withMetadata } from './issue-metadata.ts'
import { type IssueRefusal, refuse } from './issue-refusal.ts'
import { isLanding, landingRefusal, withoutLanding } from './landing/landing-state.ts'
import { leaseStateAt } from './lease-state.ts'
import { mergeComments } from './merge/comment-merge.ts'
import { isNewer } from './merge/row-merge.ts'

/** Policies for an existing id with other content. */
export const importConflicts = ['fail', 'keep', 'replace'] as const
export type ImportConflict = (typeof importConflicts)[number]

interface Imported {
  /** New rows, and replacing ones. */
  readonly rows: readonly Issue[]
  readonly issue: undefined
}

/**
 * Rows keep their times. The last row of an id counts. A replacing row never lowers the fence,
 * never changes an issue that is held or landing, and never closes one, because rows are not proof.
 * For the same reason no row brings a landing along: it would close without its checks. A new row that
 * is closed says from then on that it came closed.
 */
export function importIssues(
  memory: IssueMemory,
  rows: readonly Issue[],
  onConflict: ImportConflict,
  now: bigint,
): Imported | IssueRefusal {
  const given = [...new Map(rows.map(issue => [issue.id, issue])).values()].map(issue =>
    timedAs(memory.get(issue.id), issue),
  )
  const fresh = given
    .filter(issue => !memory.has(issue.id))
    .map(issue => asImported(withoutLanding(issue)))
  const differing = given.flatMap(theirs => {
    const mine = memory.get(theirs.id)
    const issue = mine && withImportOf(mine, theirs)
    return issue && snapshotRow(mine) !== snapshotRow(issue) ? [{ mine, issue }] : []
  })
  // They were copied in by hand, or by a version that did not record it.
  const camePlain = given.flatMap(theirs => {
    const mine = memory.get(theirs.id)
    const isSame = mine !== undefined && snapshotRow(mine) === snapshotRow(theirs)
    return isSame && isUnrecorded(mine) ? [asImported(mine)] : []
  })
  if (differing.length > 0 && onConflict === 'fail') {
    return refuse(
      'issue_import_conflict',
      `${differing.length} of the ids exist with another content: ${listed(differing.map(({ mine }) => mine))}`,
      'Choose with --on-conflict keep or --on-conflict replace; --dry-run shows what would happen.',
    )
  }
  const replacing = (onConflict === 'replace' ? differing : [])
    .map(({ mine, issue }) => ({
      mine,
      issue: madeFrom(mine, withFenceOf(mine, closedAs(mine, withoutLanding(issue)))),
    }))
    .filter(({ mine, issue }) => snapshotRow(mine) !== snapshotRow(issue))
  const held = heldRefusal(
    replacing.map(({ mine }) => mine),
    now,
  )
  if (held) return held
  const taken = [...fresh, ...replacing.map(({ issue }) => issue), ...camePlain].map(issue =>
    timedAs({ created_at: timestampOf(now), updated_at: timestampOf(now) }, issue),
  )
  return cycleRefusal(memory, taken) ?? { rows: taken, issue: undefined }
}

/** A row without times gets the existing ones or the time of import. */
const timedAs = (
  times: Pick<Issue, 'created_at' | 'updated_at'> | undefined,
  issue: Issue,
): Issue => ({
  ...issue,
  created_at: issue.created_at ?? times?.created_at,
  updated_at: issue.updated_at ?? times?.updated_at,
})

/** Replaces all rows with those of a log. Issues that are held or landing must not change. */
export function replayIssues(
  memory: IssueMemory,
  replayed: IssueMemory,
  now: bigint,
): readonly Issue[] | IssueRefusal {
  if (replayed.size === 0 && memory.size > 0) {
    return refuse(
      'replay_log_empty',
      `the log has no issue, and memory has ${memory.size}`,
      'premath issue migrate-events writes the log from memory.',
    )
  }
  const differing = memory.all().filter(issue => {
    const logged = replayed.get(issue.id)
    return !logged || snapshotRow(logged) !== snapshotRow(issue)
  })
  return heldRefusal(differing, now) ?? replayed.all()
}

function heldRefusal(issues: readonly Issue[], now: bigint): IssueRefusal | undefined {
  const landing = issues.find(isLanding)
  if (landing) return landingRefusal(landing)
  const held = issues.filter(({ lease }) => leaseStateAt(lease, now) === 'active')
  if (held.length === 0) return undefined
  return refuse(
    'lease_contention_active',
    `somebody works on ${listed(held)}`,
    'Their rows would change: wait until the leases are released.',
  )
}

/** A readable number of ids. */
export function listed(issues: readonly Issue[]): string {
  const ids = issues.slice(0, idsShownMax).map(issue => issue.id)
  const more = issues.length - ids.length
  return `${ids.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

export const idsShownMax = 50

/** True if it is closed in the import only; it stays open here. */
export const isClosedOnlyInImport = (mine: Issue | undefined, issue: Issue): boolean =>
  mine !== undefined && mine.status !== 'closed' && issue.status === 'closed'

/**
 * The import decides neither the close nor the holder. An open row over a closed one reopens the issue,
 * and a reopened issue keeps the record of its close: other clones would close it again.
 */
function closedAs(mine: Issue, issue: Issue): Issue {
  const premathClose = closeOf(mine)
  if (issue.status !== 'closed') {
    return premathClose ? { ...issue, metadata: withMetadata(issue, { premathClose }) } : issue
  }
  const { status, closed_at, assignee, lease } = mine
  return { ...issue, status, closed_at, assignee, lease, metadata: withCloseOf(mine, issue) }
}

function withCloseOf(mine: Issue, issue: Issue): Issue['metadata'] {
  const premathClose = closeOf(mine)
  if (premathClose) return withMetadata(issue, { premathClose })
  if (!isJsonObject(issue.metadata)) return issue.metadata
  const { premathClose: _theirs, ...kept } = issue.metadata
  return Object.keys(kept).length > 0 ? kept : undefined
}

/**
 * A change keeps the creation and the comments of its issue, and has no earlier time. A merge takes a row
 * without these as one that was written apart.
 */
function madeFrom(mine: Issue, issue: Issue): Issue {
  const [newer, older] = isNewer(mine, issue) ? [mine, issue] : [issue, mine]
  const said = newer.others?.[commentsMember]
  const saidBefore = older.others?.[commentsMember]
  const sides = { base: undefined, newer: said, older: saidBefore }
  const comments =
    said === undefined && saidBefore === undefined
      ? undefined
      : mergeComments(commentsMember, sides, () => {})
  return {
    ...issue,
    created_at: mine.created_at ?? issue.created_at,
    updated_at: newer.updated_at ?? older.updated_at,
    ...(comments !== undefined && { others: { ...issue.others, [commentsMember]: comments } }),
  }
}

function withFenceOf(mine: Issue, issue: Issue): Issue {
  if (fenceOf(mine) <= fenceOf(issue)) return issue
  return { ...issue, metadata: withMetadata(issue, { premathFence: fenceOf(mine) }) }
}

/** Refuses new cycles; existing ones are not the import's fault. */
function cycleRefusal(memory: IssueMemory, rows: readonly Issue[]): IssueRefusal | undefined {
  if (!rows.some(issue => issue.dependencies.length > 0)) return undefined
  const after = new IssueMemory()
  for (const issue of [...memory.all(), ...rows]) after.put(issue)
  const { cyclePath } = graphIntegrity(after, 'full')
  if (cyclePath === null || graphIntegrity(memory, 'full').hasCycle) return undefined
  return refuse(
    'dependency_cycle',
    `dependency cycle detected: ${cyclePath.join(' -> ')}`,
    'Take one of these edges out of the file first.',
  )
}
