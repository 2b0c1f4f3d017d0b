/**
 * Comments on an issue, in the member `comments` of its row, as beads has them. It stays among the
 * unknown members: so a row keeps its bytes and its digest, numbers keep their spelling, and a row
 * loads whatever another tool put there.
 */
import type { Comment } from '../../wire/issue/issue.ts'
import { byCodePoint, canonicalJson } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject, numberOf } from '../json.ts'
import { trim } from '../text/clean.ts'
import { canonicalTimestamp, instantOf, timestampOf } from '../timestamp.ts'
import type { Issue } from './issue.ts'
import { stamped } from './issue-edit.ts'
import type { IssueMemory } from './issue-memory.ts'
import { type IssueRefusal, issueNotFound, refuse } from './issue-refusal.ts'

export const commentsMember = 'comments'

/** A comment that is to be added. */
export interface NewComment {
  /** See `newCommentId`. */
  readonly id: number
  readonly author: string
  readonly text: string
}

/** A comment as it is shown. */
export interface ShownComment {
  readonly author: string
  /** `undefined` if the row has no time that can be read. */
  readonly createdAt: string | undefined
  readonly text: string
  readonly id: Json
}

interface Commented {
  readonly rows: readonly Issue[]
  readonly issue: Issue
  readonly comment: Comment
}

/**
 * The id of a new comment: 48 bits of sixteen random hexadecimal digits. beads reads a whole number.
 * A counter would give two clones the same number. More digits would not be exact in every reader.
 */
export const newCommentId = (random: string): number => Number.parseInt(random.slice(-12), 16) + 1

/** The comments that can be read, oldest first. */
export function commentsOf({ others }: Issue): readonly ShownComment[] {
  const listed = others?.[commentsMember]
  return isList(listed) ? listed.filter(isComment).toSorted(byTime).map(shown) : []
}

const isComment = (value: Json): value is JsonObject & { readonly text: string } =>
  isJsonObject(value) && typeof value['text'] === 'string'

const shown = (comment: JsonObject & { readonly text: string }): ShownComment => ({
  author: textOf(comment['author']),
  createdAt: canonicalTimestamp(textOf(comment['created_at'])),
  text: comment.text,
  id: comment['id'] ?? null,
})

const textOf = (value: Json | undefined) => (typeof value === 'string' ? value : '')

/** The unknown members without the comments, if those are a list. */
export function withoutComments(others: JsonObject | undefined): JsonObject | undefined {
  if (others === undefined || !isList(others[commentsMember])) return others
  const kept = Object.entries(others).filter(([name]) => name !== commentsMember)
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}

/**
 * Adds a comment, to an issue in any status. Neither the lease nor the proof of the issue changes.
 */
export function commentOn(
  memory: IssueMemory,
  issueId: string,
  given: NewComment,
  now: bigint,
): Commented | IssueRefusal {
  const issue = memory.get(issueId)
  if (!issue) return issueNotFound(issueId, memory)
  const [author, text] = [trim(given.author), given.text.trimEnd()]
  if (author === '' || text === '') {
    const which = text === '' ? 'text' : 'author'
    const remedy = 'Give a text that is not blank, and a name if you pass --author.'
    return refuse('issue_comment_blank', `the ${which} of the comment is blank`, remedy)
  }
  const listed = issue.others?.[commentsMember] ?? []
  if (!isList(listed)) {
    const remedy = 'Correct the row: comments is a list of objects, or absent.'
    return refuse('issue_comments_invalid', `comments of ${issueId} is not a list`, remedy)
  }
  const id = freeId(given.id, listed)
  const comment = { id, issue_id: issueId, author, text, created_at: timestampOf(now) }
  const comments = [...listed, comment].sort(byTime)
  const commented = { ...stamped(issue, now), others: { ...issue.others, comments } }
  return { rows: [commented], issue: commented, comment }
}

function freeId(id: number, listed: readonly Json[]): number {
  const taken = new Set(listed.map(one => (isJsonObject(one) ? numberOf(one['id']) : undefined)))
  let free = id
  while (taken.has(free)) free++
  return free
}

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

/** By time, then by id, so that every clone has the same order. */
export function byTime(a: Json, b: Json): number {
  const [left, right] = [placeOf(a), placeOf(b)]
  if (left.time !== right.time) return left.time < right.time ? -1 : 1
  if (left.number !== right.number) return left.number < right.number ? -1 : 1
  return byCodePoint(left.id, right.id) || byCodePoint(canonicalJson(a), canonicalJson(b))
}

function placeOf(value: Json) {
  const comment: JsonObject = isJsonObject(value) ? value : {}
  const id = comment['id'] ?? null
  return {
    time: instantOf(textOf(comment['created_at'])) ?? 0n,
    // Ids that are text follow the numbers.
    number: numberOf(id) ?? Number.POSITIVE_INFINITY,
    id: canonicalJson(id),
  }
}

/** The issue under another id, with comments that name that id. */
export function withCommentsFor(issue: Issue, newId: string): Issue {
  const listed = issue.others?.[commentsMember]
  if (!isList(listed)) return issue
  const comments = listed.map(one =>
    isJsonObject(one) && one['issue_id'] === issue.id ? { ...one, issue_id: newId } : one,
  )
  return { ...issue, others: { ...issue.others, comments } }
}
