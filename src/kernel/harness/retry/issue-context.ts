/**
 * Finds the issue of a failure: from the environment, otherwise the session, otherwise the ready
 * issues.
 */

import { type IssueRefusal, refuse } from '../../issues/issue-refusal.ts'
import { trim } from '../../text/clean.ts'

const activeIssueEnvKeys = ['PREMATH_ACTIVE_ISSUE_ID', 'PREMATH_ISSUE_ID'] as const

export interface IssueContext {
  readonly issueId: string
  /** One of `env:PREMATH_ISSUE_ID`, `session:<path>` and `ready:<path>`. */
  readonly source: string
}

export interface IssueSources {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The session file, in any state. */
  readonly session?: { readonly path: string; readonly issueId: string | undefined } | undefined
  /** The ready issues. Two are enough to see that the choice is ambiguous. */
  readonly ready: { readonly path: string; readonly ids: readonly string[] }
}

export function resolveIssueContext(sources: IssueSources): IssueContext | IssueRefusal {
  return issueInEnv(sources.env) ?? issueInSession(sources.session) ?? onlyReadyIssue(sources.ready)
}

/** Returns `undefined` if no variable names an issue. Two different issues are refused. */
export function issueInEnv(env: IssueSources['env']): IssueContext | IssueRefusal | undefined {
  const named = activeIssueEnvKeys
    .map(key => ({ key, issueId: trim(env[key] ?? '') }))
    .filter(({ issueId }) => issueId !== '')
  const [first, second] = named
  if (first === undefined) return undefined
  if (second !== undefined && first.issueId !== second.issueId) {
    const sources = named.map(({ key, issueId }) => `${key} is ${issueId}`).join(', ')
    return ambiguous(sources, 'Unset one of the two, or set both to the same issue.')
  }
  return { issueId: first.issueId, source: `env:${first.key}` }
}

export function issueInSession(session: IssueSources['session']): IssueContext | undefined {
  const issueId = trim(session?.issueId ?? '')
  return issueId === '' ? undefined : { issueId, source: `session:${session?.path}` }
}

function onlyReadyIssue({ path, ids }: IssueSources['ready']): IssueContext | IssueRefusal {
  const [only, other] = ids
  if (only === undefined) {
    const diagnostic = 'neither the environment, the session nor a ready issue names one'
    return refuse('escalation_issue_context_unbound', diagnostic, setIssueId)
  }
  if (other !== undefined) return ambiguous(`${only} and ${other} are both ready`, setIssueId)
  return { issueId: only, source: `ready:${path}` }
}

const setIssueId = 'Set PREMATH_ACTIVE_ISSUE_ID.'

const ambiguous = (why: string, remedy: string) =>
  refuse('escalation_issue_context_ambiguous', `cannot determine the active issue: ${why}`, remedy)
