/**
 * The escalation when no attempt is left: a note with the reason, and the change of issue memory.
 */

import type { EscalationReport } from '../../../wire/harness/escalation.ts'
import type { RetryDecision } from '../../../wire/harness/retry-decision.ts'
import { canonicalJson, type Sha256 } from '../../canonical.ts'
import type { IssueChange } from '../../issues/issue-change.ts'
import { foundOn } from '../../issues/issue-edit.ts'
import type { IssueMemory } from '../../issues/issue-memory.ts'
import { type IssueRefusal, refuse } from '../../issues/issue-refusal.ts'
import type { LeaseProof } from '../../issues/lease.ts'
import { trim } from '../../text/clean.ts'
import { shellWord } from '../../text/shell-word.ts'

export interface Escalation {
  /** The failed activity, such as `worker.loop`. */
  readonly scope: string
  readonly decision: RetryDecision
  /** The witness of the failure: a ref, or a path relative to the project root. */
  readonly witnessRef?: string | undefined
  /** The failed command, for the worker of the new issue. */
  readonly verifyCommand?: string | undefined
}

/** Always ten lines, and equal for equal failures. */
export function escalationNote({ scope, decision, witnessRef }: Escalation): string {
  const { attempt, maxAttempts, failureClasses } = decision
  return [
    '[harness-escalation]',
    `scope: ${oneLine(scope)}`,
    `action: ${decision.escalationAction}`,
    `policyId: ${oneLine(decision.policyId)}`,
    `policyDigest: ${decision.policyDigest}`,
    `ruleId: ${oneLine(decision.ruleId)}`,
    `matchedFailureClass: ${decision.matchedFailureClass}`,
    `attempt: ${attempt}/${maxAttempts}`,
    `failureClasses: ${failureClasses.join(', ') || '(none)'}`,
    `witnessRef: ${oneLine(witnessRef ?? '') || '(none)'}`,
  ].join('\n')
}

const oneLine = (text: string) => trim(text.replace(/\s+/g, ' '))

export function noteDigest(escalation: Escalation, sha256: Sha256): EscalationReport['noteDigest'] {
  const scope = oneLine(escalation.scope)
  return `note1_${sha256(canonicalJson({ scope, note: escalationNote(escalation) }))}`
}

/** An open issue with this title already reports the same failure. */
export const escalationTitle = ({ scope, decision }: Escalation): string =>
  `[HarnessEscalation] ${oneLine(scope)} retry exhausted (${decision.matchedFailureClass})`

/** An escalation before the last attempt would create needless work. */
export function attemptsLeft({
  retry,
  attempt,
  maxAttempts,
  failureClasses,
}: RetryDecision): IssueRefusal | undefined {
  if (!retry) return undefined
  const diagnostic = `attempt ${attempt} of ${maxAttempts} failed, so another attempt is left`
  const flags = failureClasses.map(name => `--failure-class ${shellWord(name)} `).join('')
  const wait = `premath harness-retry ${flags}--attempt ${attempt} --wait`
  const remedy = `Run the next attempt after this command: ${wait}.`
  return refuse('escalation_attempts_left', diagnostic, remedy)
}

/**
 * An issue about a failure may fail alike. It is blocked then: another issue about it would multiply
 * the issues and tell nobody more.
 */
export function escalatedOnce(
  decision: RetryDecision,
  issueId: string,
  memory: IssueMemory,
): RetryDecision {
  if (decision.escalationAction !== 'issue_discover') return decision
  const isFound = memory.get(issueId)?.dependencies.some(edge => {
    const parent = edge.type === 'discovered-from' && memory.get(edge.depends_on_id)
    return parent && Object.values(foundOn(parent)).includes(issueId)
  })
  return isFound ? { ...decision, escalationAction: 'mark_blocked' } : decision
}

/** Returns `undefined` if the escalation only stops. */
export function escalationChange(
  escalation: Escalation,
  issueId: string,
  proof: LeaseProof,
): IssueChange | undefined {
  const note = escalationNote(escalation)
  switch (escalation.decision.escalationAction) {
    case 'stop':
      return undefined
    case 'mark_blocked':
      return { action: 'issue.block', id: issueId, note, proof }
    case 'issue_discover': {
      const title = escalationTitle(escalation)
      const acceptance_criteria = acceptanceOf(escalation, issueId)
      const issue = { title, description: note, acceptance_criteria }
      return { action: 'issue.discover', parentId: issueId, issue, once: title, proof }
    }
  }
}

/** Issue checks refuse an issue without verifiable acceptance criteria. */
function acceptanceOf({ scope, decision, verifyCommand }: Escalation, issueId: string): string {
  const command = oneLine(verifyCommand ?? '')
  return [
    `- The failure ${decision.matchedFailureClass} in ${oneLine(scope)} does not happen any more.`,
    ...(command === '' ? [] : [`- \`${command}\` passes.`]),
    `- \`premath harness-trajectory query --mode failed --issue ${issueId}\` shows no failure of that class after the fix.`,
  ].join('\n')
}
