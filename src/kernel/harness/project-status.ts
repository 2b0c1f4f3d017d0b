/** Decides what a person should know about a project: who works, and what needs attention. */
import type { Feedback } from '../../wire/harness/feedback.ts'
import type { CloseRequest } from '../../wire/landing/close-request.ts'
import type { Attention } from '../../wire/run/attention.ts'
import { openBlockersOf } from '../issues/graph/blocked.ts'
import type { Issue } from '../issues/issue.ts'
import type { IssueMemory } from '../issues/issue-memory.ts'
import { byNaturalId } from '../issues/issue-order.ts'
import { isLanding } from '../issues/landing/landing-state.ts'
import { leaseStateAt } from '../issues/lease-state.ts'
import { lostWords, lostWork, nextOfLost, type TargetLack } from '../landing/lacking-work.ts'
import { instantOf, seconds } from '../timestamp.ts'
import { cycleAttention } from './run/run-attention.ts'
import { landingAdvice } from './step/landing-advice.ts'

/** Issue memory, or the issues of it that somebody holds or that are blocked. */
export type StatusMemory = Pick<IssueMemory, 'all' | 'get'>

export interface Working {
  readonly issueId: string
  readonly title: string
  /** The holder of the lease, otherwise the assignee. */
  readonly workerId: string
  /** When the lease was acquired; `null` without a lease. */
  readonly since: string | null
  readonly leaseExpiresAt: string | null
  readonly isExpired: boolean
}

/** Issues that somebody holds, and those in progress without a lease. */
export function workingOn(memory: StatusMemory, now: bigint): readonly Working[] {
  return sorted(memory)
    .filter(({ status, lease }) => status !== 'closed' && (lease || status === 'in_progress'))
    .map(({ id, title, assignee, lease }) => ({
      issueId: id,
      title,
      workerId: lease?.owner ?? assignee,
      since: lease?.acquired_at ?? null,
      leaseExpiresAt: lease?.expires_at ?? null,
      isExpired: leaseStateAt(lease, now) === 'stale',
    }))
}

export interface AttentionItem {
  readonly about:
    | 'issue_blocked'
    | 'lease_expired'
    | 'close_failed'
    | 'work_lost'
    | Attention['about']
  readonly issueId: string | null
  readonly title: string | null
  readonly message: string
  /** What to do about it. */
  readonly next: string
  readonly failureClasses: readonly string[]
  /** When the run reported it; `null` for a state of the issue. */
  readonly at: string | null
}

/** The part of a failure that a person reads in a list. */
export type KnownFailure = Pick<Feedback, 'failureClasses' | 'summary'>

interface AttentionFacts {
  readonly memory: StatusMemory
  readonly now: bigint
  /** The last failure of blocked issues, by id. */
  readonly failures: ReadonlyMap<string, KnownFailure>
  /** Closes that failed under the present claims of their issues. */
  readonly closes?: readonly CloseRequest[] | undefined
  /** Work of closed issues that the target lacks. */
  readonly lack?: TargetLack | undefined
  /** Rows of the last run, newest first. */
  readonly rows: readonly Attention[]
  readonly readyCount: number
  /** A cycle of active issues, from its first issue back to it. */
  readonly cyclePath: readonly string[] | null
}

/** A report of a run is about the past. After a week it says nothing about now. */
const reportSecondsMax = 7 * 24 * 3600

/** Each issue once: its state says more than the reports of a run about it. */
export function needsAttention(facts: AttentionFacts): readonly AttentionItem[] {
  const { memory, now, failures, closes = [], lack, rows, cyclePath } = facts
  const issues = sorted(memory)
  const blocked = issues
    .filter(({ status }) => status === 'blocked')
    .map(issue => blockedItem(issue, failures.get(issue.id), memory))
  const expired = issues.filter(issue => isLeft(issue, now)).map(expiredItem)
  const failed = closes.map(close => failedClose(close, memory))
  const listed = new Set([...blocked, ...expired, ...failed].map(({ issueId }) => issueId))
  const isSettled = (id: string) =>
    listed.has(id) || (memory.get(id)?.status ?? 'closed') === 'closed'
  const oldest = now - seconds(reportSecondsMax)
  const reports = rows.filter(row => {
    const about = row.issueId === undefined ? (row.blockers ?? []) : [row.issueId]
    const isOpen = about.length === 0 || !about.every(isSettled)
    return isSince(oldest, row) && isOpen && isPresent(row, about, facts)
  })
  const cycle = cyclePath ? [cycleItem(cyclePath)] : []
  return [
    ...cycle,
    ...(lack ? lostItems(memory, lack) : []),
    ...blocked,
    ...expired,
    ...failed,
    ...reports.map(row => reportItem(row, memory)),
  ]
}

/** A report says how things were. A person must not act on what has changed since. */
function isPresent(
  row: Attention,
  about: readonly string[],
  { memory, readyCount }: AttentionFacts,
): boolean {
  const at = instantOf(row.at) ?? 0n
  const isUnchanged = about.every(id => (instantOf(memory.get(id)?.updated_at ?? '') ?? 0n) <= at)
  switch (row.about) {
    case 'dependency_cycle':
      // The graph says whether there is one.
      return false
    case 'work_blocked':
      return readyCount === 0 && isUnchanged
    case 'landing_parked':
    case 'gate_refused':
    case 'lease_lost':
      return isUnchanged
    case 'worker_quiet':
    case 'lease_ending':
      return about.every(id => memory.get(id)?.lease?.owner === row.workerId)
    default:
      return true
  }
}

function cycleItem(path: readonly string[]): AttentionItem {
  const { about, message, next } = cycleAttention(path)
  return { about, issueId: null, title: null, message, next, failureClasses: [], at: null }
}

/** One for all of them: a reset takes away many at once. */
function lostItems(memory: StatusMemory, lack: TargetLack): readonly AttentionItem[] {
  const ids = lostWork(memory, lack).map(({ id }) => id)
  if (ids.length === 0) return []
  const message = lostWords(ids, lack.branch)
  const item = { issueId: null, title: null, failureClasses: [], at: null }
  return [{ about: 'work_lost', message, next: nextOfLost, ...item }]
}

const isSince = (oldest: bigint, { at }: Attention) => (instantOf(at) ?? 0n) >= oldest

/** In progress, and its worker is gone. A landing is finished by the next run. */
const isLeft = (issue: Issue, now: bigint) =>
  issue.status === 'in_progress' && leaseStateAt(issue.lease, now) === 'stale' && !isLanding(issue)

function blockedItem(
  issue: Issue,
  failure: KnownFailure | undefined,
  memory: StatusMemory,
): AttentionItem {
  const { id, title } = issue
  const failureClasses = failure?.failureClasses ?? []
  return {
    about: 'issue_blocked',
    issueId: id,
    title,
    message: failure ? failedWords(failure) : markedWords(issue, memory),
    next: nextOfBlocked(id, failure),
    failureClasses,
    at: null,
  }
}

function failedWords({ failureClasses, summary }: KnownFailure): string {
  const classes = failureClasses.join(', ') || 'unknown'
  return `blocked after ${classes}${summary === null ? '' : `: ${summary}`}`
}

function markedWords(issue: Issue, memory: StatusMemory): string {
  const ids = openBlockersOf(memory, issue).map(({ dependsOnId }) => dependsOnId)
  return ids.length === 0
    ? 'marked as blocked'
    : `marked as blocked, and waits for ${ids.join(', ')}`
}

function nextOfBlocked(id: string, failure: KnownFailure | undefined): string {
  if (!failure) return `When it can be worked on: premath reopen ${id}.`
  const advice = landingAdvice(id, failure.failureClasses, true)
  return advice ?? `See what failed: premath show ${id}. To try again: premath reopen ${id}.`
}

const expiredItem = ({ id, title, lease, assignee }: Issue): AttentionItem => ({
  about: 'lease_expired',
  issueId: id,
  title,
  message: `the lease of ${lease?.owner ?? assignee} expired`,
  next: `premath run takes it over, or you do: premath claim ${id} --assignee <name>.`,
  failureClasses: [],
  at: null,
})

function failedClose(close: CloseRequest, memory: StatusMemory): AttentionItem {
  const { issueId, failureClasses = [], diagnostic = '', remedy = '', endedAt = null } = close
  const message = `the close that its holder asked for failed: ${diagnostic}`
  const title = memory.get(issueId)?.title ?? null
  return {
    about: 'close_failed',
    issueId,
    title,
    message,
    next: remedy,
    failureClasses,
    at: endedAt,
  }
}

function reportItem(row: Attention, memory: StatusMemory): AttentionItem {
  const { about, issueId = null, message, next, failureClasses = [], at } = row
  const title = issueId === null ? null : (memory.get(issueId)?.title ?? null)
  return { about, issueId, title, message, next, failureClasses, at }
}

const sorted = (memory: StatusMemory): readonly Issue[] =>
  memory.all().toSorted((a, b) => byNaturalId(a.id, b.id))
