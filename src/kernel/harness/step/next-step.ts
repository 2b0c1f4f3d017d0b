/** The next step after an attempt, for the session and the trajectory. */

import type { StepJournal, StepOutcome } from '../../../wire/harness/step-journal.ts'
import { continueCommand, type HandoffState, nextStepIn } from '../lease-handoff.ts'
import type { RelocationClass } from '../relocation/relocation-classes.ts'
import { landingAdvice } from './landing-advice.ts'

const unsent: RelocationClass = 'handoff.destination_evidence_missing'

interface NextFacts {
  /** The issue that an escalation added. */
  readonly addedId?: string | undefined
  /** Of the refusal, if the store refused the change. */
  readonly remedy?: string | undefined
}

export function nextStepAfter(
  { change, resultClass, failureClasses, decision }: StepOutcome,
  { issueId, workerId }: Pick<StepJournal, 'issueId' | 'workerId'>,
  state: HandoffState,
  { addedId, remedy }: NextFacts = {},
): string {
  if (resultClass === 'completed') return 'claim next ready issue'
  // An unexpected lease state must be resolved first.
  if (state === 'contended' || state === 'missing_issue' || state === 'closed_with_lease') {
    return nextStepIn(state, issueId, workerId)
  }
  if (failureClasses.some(name => name.startsWith('lease_'))) {
    return `another worker may hold the issue: premath issue show ${issueId}; claim another issue`
  }
  if (remedy !== undefined) return remedy
  if (failureClasses.includes(unsent)) {
    return `send the work to its location and check it there: ${continueCommand(issueId, workerId)} --transport-cmd '<command>'`
  }
  if (decision?.retry) return `retry: the policy allows ${decision.maxAttempts} attempts`
  switch (change) {
    case 'release':
      return `fix the failure, then claim the issue again: premath harness-step --issue ${issueId}`
    case 'block':
      return landingAdvice(issueId, failureClasses, true) ?? causeOf(issueId)
    case 'discover':
      return addedId === undefined
        ? `read the earlier findings: premath issue show ${issueId}`
        : `read the issue that was added: premath issue show ${addedId}`
    case 'keep':
      return `complete the turn, then continue: ${continueCommand(issueId, workerId)}`
    case 'review':
      return `merge the branch; then premath land ${issueId} closes the issue`
    case 'close':
      return nextStepIn(state, issueId, workerId)
  }
}

const causeOf = (issueId: string) =>
  `find the cause: premath issue show ${issueId}; then reopen it: premath issue update ${issueId} --status open`
