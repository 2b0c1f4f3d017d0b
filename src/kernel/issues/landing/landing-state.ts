/** The landing of an issue: its commit is about to be put on the target branch. */
import { isJsonObject, type Json, type JsonObject } from '../../json.ts'
import { instantOf } from '../../timestamp.ts'
import type { Issue } from '../issue.ts'
import type { IssueMemory } from '../issue-memory.ts'
import { type IssueRefusal, refuse } from '../issue-refusal.ts'

/** The commit that lands, and where. */
export interface LandingPlan {
  readonly commit: string
  /** The commit that the target is at. */
  readonly base: string
  /** The id that git gives to the tree of the commit. */
  readonly tree: string
  readonly target: string
}

export interface Landing extends LandingPlan {
  /** `premathClose` of the closed row. */
  readonly close: JsonObject
  /** `closed_at` of the closed row, and of its proof, which is written before. */
  readonly closedAt: string
  /** Set if the commit takes back an earlier one, and the issue was closed before. */
  readonly revert?: Revert | undefined
}

/** Takes back the commit of a closed issue. */
export interface Revert {
  /** The commit with which the issue closed. */
  readonly landed: string
  readonly reason?: string | undefined
}

/**
 * The landing under way; `undefined` where there is none or its record cannot be read. A closed issue
 * has none, whatever another tool left in its row.
 */
export function landingOf(issue: Issue): Landing | undefined {
  const written = writtenLanding(issue)
  if (!isJsonObject(written) || issue.status === 'closed') return undefined
  const { commit, base, tree, target, close, closedAt } = written
  const revert = revertIn(written['revert'])
  if (typeof commit !== 'string' || typeof base !== 'string' || typeof tree !== 'string') {
    return undefined
  }
  if (typeof target !== 'string' || typeof closedAt !== 'string' || !isJsonObject(close)) {
    return undefined
  }
  if (instantOf(closedAt) === undefined || revert === 'unreadable') return undefined
  return { commit, base, tree, target, close, closedAt, ...(revert && { revert }) }
}

function revertIn(written: Json | undefined): Revert | 'unreadable' | undefined {
  if (written === undefined) return undefined
  const { landed, reason } = isJsonObject(written) ? written : {}
  if (typeof landed !== 'string') return 'unreadable'
  return { landed, ...(typeof reason === 'string' && { reason }) }
}

export const isLanding = (issue: Issue): boolean => landingOf(issue) !== undefined

/** The issues whose landing was begun. Each of them has a lease. */
export const landingIssues = (memory: IssueMemory): readonly Issue[] =>
  memory.leased().filter(issue => landingOf(issue) !== undefined)

/** The member as the row has it, readable or not. */
export const writtenLanding = ({ metadata }: Issue): Json | undefined =>
  isJsonObject(metadata) ? metadata['premathLanding'] : undefined

/** The issue without its landing. */
export function withoutLanding(issue: Issue): Issue {
  if (!isJsonObject(issue.metadata) || writtenLanding(issue) === undefined) return issue
  const { premathLanding: _ended, ...kept } = issue.metadata
  return { ...issue, metadata: Object.keys(kept).length > 0 ? kept : undefined }
}

/** Nobody may claim or edit an issue whose commit may be on the target already. */
export function landingRefusal(issue: Issue): IssueRefusal | undefined {
  const landing = landingOf(issue)
  if (landing === undefined) return undefined
  const { commit, target, revert } = landing
  const [state, command] = revert ? ['being reverted', 'land revert'] : ['landing', 'land']
  return refuse(
    'issue_landing',
    `${issue.id} is ${state}: commit ${commit} on ${target}`,
    `Wait for it, or finish it: premath ${command} ${issue.id}.`,
  )
}
