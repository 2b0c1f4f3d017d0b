/** Blocked issues and their blockers. */
import type { DependencyType } from '../../../wire/issue/issue.ts'
import type { Issue } from '../issue.ts'
import { blockingTypes } from '../issue.ts'
import type { IssueMemory } from '../issue-memory.ts'

export interface Blocker {
  readonly issueId: string
  readonly dependsOnId: string
  readonly type: DependencyType
  readonly createdBy: string
  /** `null` if the issue does not exist. It can never be closed, so it blocks. */
  readonly blockerStatus: string | null
  readonly blockerMissing: boolean
}

interface BlockedIssue {
  readonly issue: Issue
  /** The status is `blocked`, whatever the edges say. */
  readonly manualBlocked: boolean
  /** In the order of the row. */
  readonly blockers: readonly Blocker[]
}

/** Every issue that is not closed and is blocked, by id. */
export function blockedIssues(memory: IssueMemory): readonly BlockedIssue[] {
  return memory
    .all()
    .filter(({ status }) => status !== 'closed')
    .map(issue => ({
      issue,
      manualBlocked: issue.status === 'blocked',
      blockers: openBlockersOf(memory, issue),
    }))
    .filter(({ manualBlocked, blockers }) => manualBlocked || blockers.length > 0)
}

/** The edges that block the issue now. An edge belongs to the row that carries it. */
export function openBlockersOf(memory: Pick<IssueMemory, 'get'>, issue: Issue): readonly Blocker[] {
  return issue.dependencies
    .filter(({ type }) => blockingTypes.has(type))
    .map(({ depends_on_id, type, created_by }) => {
      const status = memory.get(depends_on_id)?.status
      return {
        issueId: issue.id,
        dependsOnId: depends_on_id,
        type,
        createdBy: created_by,
        blockerStatus: status ?? null,
        blockerMissing: status === undefined,
      }
    })
    .filter(({ blockerStatus }) => blockerStatus !== 'closed')
}
