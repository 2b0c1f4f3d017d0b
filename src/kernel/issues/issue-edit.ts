/** Creates and edits issues. */

import { issueTypes } from '../../wire/issue/issue.ts'
import { isJsonObject, type Json } from '../json.ts'
import { lowerAscii, trim } from '../text/clean.ts'
import { instantOf, lastInstant, laterOf, millis, timestampOf } from '../timestamp.ts'
import { type Allowances, withAllowances } from './allowances.ts'
import { blankIssue, type Issue, isPriorityToWrite, issueTypeOf, printIssue } from './issue.ts'
import type { IssueMemory } from './issue-memory.ts'
import { withMetadata } from './issue-metadata.ts'
import { type IssueRefusal, issueNotFound, refuse } from './issue-refusal.ts'
import { knownStatus } from './issue-status.ts'
import { withoutGaveWay } from './merge/gave-way.ts'

type Changes<Name extends keyof Issue> = { readonly [One in Name]?: Issue[One] | undefined }
type EditedMember =
  | ('title' | 'description' | 'design' | 'acceptance_criteria' | 'notes')
  | ('status' | 'priority' | 'assignee' | 'owner' | 'labels')

/** The editable fields; absent ones stay unchanged. */
export interface IssueFields extends Changes<EditedMember> {
  /** Upper or lower case. */
  readonly issue_type?: string | undefined
  /** Specs that say when the issue is done. */
  readonly specs?: readonly string[] | undefined
  /** What the work may change although it judges the work. */
  readonly allowances?: Partial<Allowances> | undefined
  /** Somebody has seen the values that gave way in a merge. */
  readonly acknowledgeMerge?: true | undefined
}

export interface Added {
  readonly rows: readonly Issue[]
  readonly issue: Issue
}

export function addIssue(
  memory: IssueMemory,
  id: string,
  fields: IssueFields & { readonly title: string },
  now: bigint,
  isGiven = false,
): Added | IssueRefusal {
  if (!plainId.test(id)) {
    const diagnostic = `${JSON.stringify(id)} cannot be an id`
    const remedy = 'Give one word without spaces that does not begin with a dash, or no id at all.'
    return refuse('issue_id_invalid', diagnostic, remedy)
  }
  if (memory.has(id)) {
    const remedy = 'Take another id, or leave --id out to get the next free one.'
    return refuse('issue_exists', `issue already exists: ${id}`, remedy)
  }
  const twin = isGiven ? twinOf(id, memory) : undefined
  if (twin !== undefined) {
    const diagnostic = `${id} differs from the issue ${twin} only in case`
    return refuse('issue_exists', diagnostic, 'Take another id: people and disks may mix them up.')
  }
  const made = stamped(blankIssue(id, fields.title), now)
  const issue = withFields(made, fields, now)
  return 'failureClass' in issue ? issue : { rows: [issue], issue }
}

/** The id of an issue that differs only in case. */
function twinOf(id: string, memory: IssueMemory): string | undefined {
  const plain = id.toLowerCase()
  return memory.all().find(other => other.id.toLowerCase() === plain)?.id
}

/** Ids are typed by people and become part of lease ids and file names. */
const plainId = /^(?!-)[^\s\p{C}]{1,200}$/u

interface Discovery {
  readonly parentId: string
  readonly id: string
  /** Somebody chose the id. */
  readonly isGiven?: boolean
  readonly fields: IssueFields & { readonly title: string }
  /** A key of the finding; the parent records the issue made from it. */
  readonly once?: string | undefined
}

/** Adds and links an issue found while working on another. */
export function discoverIssue(
  memory: IssueMemory,
  { parentId, id, isGiven, fields, once }: Discovery,
  now: bigint,
): Added | IssueRefusal {
  const parent = memory.get(parentId)
  if (!parent) {
    const diagnostic = `parent issue not found: ${parentId}`
    return refuse('issue_not_found', diagnostic, 'premath issue list shows every id.')
  }
  const known = once === undefined ? undefined : memory.get(foundOn(parent)[once] ?? '')
  if (known && known.status !== 'closed') return { rows: [], issue: known }
  const added = addIssue(memory, id, fields, now, isGiven)
  if ('failureClass' in added) return added
  const edge = {
    issue_id: id,
    depends_on_id: parentId,
    type: 'discovered-from',
    created_by: '',
  } as const
  const issue = { ...added.issue, dependencies: [edge] }
  if (once === undefined) return { rows: [issue], issue }
  const premathFound = { ...foundOn(parent), [once]: id }
  const remembering = { ...stamped(parent, now), metadata: withMetadata(parent, { premathFound }) }
  return { rows: [remembering, issue], issue }
}

/** Issues found on this one, by key. */
export function foundOn({ metadata }: Issue): Readonly<Record<string, string>> {
  const found = isJsonObject(metadata) ? metadata['premathFound'] : undefined
  if (!isJsonObject(found)) return {}
  const named = Object.entries(found).filter(([, id]) => typeof id === 'string')
  return Object.fromEntries(named) as Record<string, string>
}

export function updateIssue(
  memory: IssueMemory,
  id: string,
  fields: IssueFields,
  now: bigint,
): Added | IssueRefusal {
  const issue = memory.get(id)
  if (!issue) return issueNotFound(id, memory)
  if (Object.values(fields).every(value => value === undefined)) {
    const remedy = 'Name at least one field, for example --status or --title.'
    return refuse('issue_update_empty', 'no update fields provided', remedy)
  }
  const changed = withFields(stamped(issue, now), fields, now)
  if ('failureClass' in changed) return changed
  return isOpenAlready(issue, changed, fields)
    ? { rows: [], issue }
    : { rows: [changed], issue: changed }
}

/** Opening an open issue changes its times alone, and would be a row for every clone to merge. */
function isOpenAlready(issue: Issue, changed: Issue, { status, ...rest }: IssueFields): boolean {
  if (changed.status !== 'open' || Object.values(rest).some(value => value !== undefined)) {
    return false
  }
  const { created_at, updated_at } = issue
  return printIssue({ ...changed, created_at, updated_at }) === printIssue(issue)
}

/** Sets missing times, once. */
export function stamped(issue: Issue, now: bigint): Issue {
  const updated_at = changeTime(issue, now)
  return { ...issue, created_at: issue.created_at ?? updated_at, updated_at }
}

/**
 * A change is newer than the row that it changes, also where the clock was set back or stands still: merges,
 * the event log and its replay take the later of two rows.
 */
export function changeTime(issue: Issue, now: bigint): string {
  const last = laterOf(writtenTime(issue.created_at), writtenTime(issue.updated_at))
  if (now > last) return timestampOf(now)
  return timestampOf(last < lastInstant - millis(1) ? last + millis(1) : lastInstant)
}

const writtenTime = (text: string | undefined) => instantOf(text ?? '') ?? 0n

function withFields(issue: Issue, fields: IssueFields, now: bigint): Issue | IssueRefusal {
  const refused = fieldRefusal(fields)
  if (refused) return refused
  const { specs, allowances, acknowledgeMerge, status, issue_type, labels, ...plain } = fields
  const given = Object.fromEntries(
    Object.entries(plain).filter(([, value]) => value !== undefined),
  ) as Partial<Issue>
  const seen = acknowledgeMerge ? { ...issue, metadata: withoutGaveWay(issue) } : issue
  const specified = {
    ...issue,
    metadata: specs === undefined ? seen.metadata : withSpecs(seen, specs),
  }
  const updated = {
    ...specified,
    ...given,
    issue_type: issueTypeOf(issue_type ?? '') ?? issue.issue_type,
    labels: labels === undefined ? issue.labels : named(labels),
    metadata: allowances ? withAllowances(specified, allowances) : specified.metadata,
  }
  if (status === undefined) return updated
  const moved = withStatus(updated, statusOf(status), now)
  return fields.assignee === undefined && isGivenBack(issue, moved)
    ? { ...moved, assignee: '' }
    : moved
}

/** True if the issue is open again. The old assignee would keep others from claiming it. */
function isGivenBack(before: Issue, after: Issue): boolean {
  if (after.status !== 'open') return false
  return before.status === 'closed' || before.lease?.owner === before.assignee
}

/** Values that the store could not load or that no query would find. */
function fieldRefusal({ title, status, priority, issue_type }: IssueFields) {
  if (title !== undefined && trim(title) === '') {
    return refuse('issue_title_missing', 'the title is blank', 'Say in a line what is to be done.')
  }
  if (status !== undefined && trim(status) === '') {
    const remedy = 'It is open, in_progress, blocked or closed.'
    return refuse('issue_status_invalid', 'the status is blank', remedy)
  }
  if (priority !== undefined && !isPriorityToWrite(priority)) {
    const remedy = 'Priority is a whole number from 0 (most urgent) to 4; 2 is the default.'
    return refuse('issue_priority_invalid', `priority cannot be ${priority}`, remedy)
  }
  if (issue_type !== undefined && issueTypeOf(issue_type) === undefined) {
    const diagnostic = `unknown issue type: ${issue_type}`
    return refuse('issue_type_invalid', diagnostic, `It is one of ${issueTypes.join(', ')}.`)
  }
  return undefined
}

/** Known statuses are normalized, so that `Closed` closes. The project may know others. */
const statusOf = (word: string): string => knownStatus(word, []) ?? word

/** Unique names in the given order. A blank name clears the list. */
const named = (names: readonly string[]) => [
  ...new Set(names.map(trim).filter(name => name !== '')),
]

/** Leaving `in_progress` drops the lease; closing is dated once, and undated by reopening. */
export function withStatus(issue: Issue, status: string, now: bigint): Issue {
  const closed = status === 'closed'
  return {
    ...issue,
    status,
    lease: lowerAscii(trim(status)) === 'in_progress' ? issue.lease : undefined,
    closed_at: closed ? (issue.closed_at ?? closeTime(issue, now)) : undefined,
  }
}

/** No earlier than the row says that it was changed. */
const closeTime = ({ updated_at }: Issue, now: bigint) =>
  timestampOf(laterOf(writtenTime(updated_at), now))

/** Metadata with these specs. */
export function withSpecs(issue: Issue, given: readonly string[]): Json | undefined {
  const specs = named(given)
  if (specs.length > 0) return withMetadata(issue, { premathSpecs: specs })
  if (!isJsonObject(issue.metadata)) return issue.metadata
  const { premathSpecs: _cleared, ...kept } = issue.metadata
  return Object.keys(kept).length > 0 ? kept : undefined
}

/** The acceptance specs named in the row. */
export function specsOf({ metadata }: Issue): readonly string[] {
  const specs = isJsonObject(metadata) ? metadata['premathSpecs'] : undefined
  return Array.isArray(specs) ? specs.filter(spec => typeof spec === 'string') : []
}

/** Notes with another paragraph, once. */
export function withNote(notes: string, note: string): string {
  if (notes.includes(note)) return notes
  return notes === '' ? note : `${notes}\n\n${note}`
}
