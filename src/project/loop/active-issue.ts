/** Finds the issue of a failure and reads no more sources than needed. */

import { Fault, type FaultCode } from '../../fault.ts'
import {
  type IssueContext,
  issueInEnv,
  issueInSession,
  resolveIssueContext,
} from '../../kernel/harness/retry/issue-context.ts'
import { readSession, sessionPathDefault } from '../../kernel/harness/session.ts'
import type { IssueRefusal } from '../../kernel/issues/issue-refusal.ts'
import { offered } from '../../kernel/issues/offered.ts'
import { parseJson } from '../../kernel/json.ts'
import { decodeUtf8 } from '../../world/utf8.ts'
import { translatingFaults } from '../named-document.ts'
import type { Project } from '../open.ts'
import type { OpenIssues } from '../open-issues.ts'

export async function activeIssue(open: OpenIssues): Promise<IssueContext | IssueRefusal> {
  const { env } = open.project
  const session = issueInEnv(env) ? undefined : await sessionIn(open.project)
  const isKnown = issueInEnv(env) ?? issueInSession(session)
  const ids = isKnown ? [] : await firstReady(open)
  return resolveIssueContext({ env, session, ready: { path: open.issuesPath, ids } })
}

/** Two are enough to see that the choice is ambiguous. */
async function firstReady({ store, project }: OpenIssues): Promise<readonly string[]> {
  const ids: string[] = []
  for (const { id } of offered(await store.read(), project.clock.now())) {
    ids.push(id)
    if (ids.length === 2) break
  }
  return ids
}

async function sessionIn({ at, env, files }: Project) {
  const shown = env['PREMATH_HARNESS_SESSION_PATH'] || sessionPathDefault
  const path = at(shown)
  const bytes = await translatingFaults(
    () => files.readIfPresent(path),
    fault => sessionFault('unavailable', 'escalation_session_read_failed', shown, fault),
  )
  if (!bytes) return undefined
  const { issueId } = await translatingFaults(
    () => readSession(parseJson(decodeUtf8(bytes)), shown),
    fault => sessionFault('invalid_input', 'escalation_session_invalid', shown, fault),
  )
  return { path: shown, issueId }
}

/** An unreadable session is a fault, because it may name another issue than the fallback. */
function sessionFault(code: FaultCode, failureClass: string, path: string, cause: Fault): Fault {
  const message = `cannot determine the active issue from the session ${path}: ${cause.message}`
  return new Fault(code, `${message} (${failureClass})`, {
    hint: 'Correct or move the file, or set PREMATH_ACTIVE_ISSUE_ID.',
    detail: { failureClass, path },
    cause,
  })
}
