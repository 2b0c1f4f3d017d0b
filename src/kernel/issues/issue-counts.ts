/** Counts issues by what can be done about them. Each issue is counted once. */
import { isForced } from '../proof/close-kind.ts'
import type { Issue } from './issue.ts'
import type { IssueMemory } from './issue-memory.ts'

export interface IssueCounts {
  readonly total: number
  /** Open, and nothing blocks it. */
  readonly ready: number
  readonly inProgress: number
  /** Its status is `blocked`, or it waits for another issue. */
  readonly blocked: number
  readonly inReview: number
  /** Its status is one of the project's own. */
  readonly other: number
  readonly closed: number
  /** Those of the closed ones that a person closed without proof. */
  readonly forced: number
}

export function issueCounts(memory: IssueMemory): IssueCounts {
  const counts = { ready: 0, inProgress: 0, blocked: 0, inReview: 0, other: 0, closed: 0 }
  const issues = memory.all()
  for (const issue of issues) counts[kindOf(issue, memory)]++
  return { total: issues.length, ...counts, forced: issues.filter(isForced).length }
}

function kindOf(issue: Issue, memory: IssueMemory): Exclude<keyof IssueCounts, 'total' | 'forced'> {
  switch (issue.status) {
    case 'closed':
      return 'closed'
    case 'in_progress':
      return 'inProgress'
    case 'in_review':
      return 'inReview'
    case 'blocked':
      return 'blocked'
  }
  if (memory.isReady(issue)) return 'ready'
  return memory.isBlocked(issue) ? 'blocked' : 'other'
}
