/** The next step after an attempt, for the session and the trajectory. */
import type { HandoffState } from '../lease-handoff.ts'
import { recoveryOf } from '../lease-handoff.ts'
import type { RelocationClass } from '../relocation/relocation-classes.ts'
import type { StepOutcome } from './step-journal.ts'

const unsent: RelocationClass = 'handoff.destination_evidence_missing'

export function nextStepAfter(
  { change, resultClass, failureClasses, decision }: StepOutcome,
  issueId: string,
  state: HandoffState,
  addedId?: string,
): string {
  if (resultClass === 'completed') return 'claim next ready issue'
  // An unexpected lease state must be resolved first.
  if (state === 'contended' || state === 'missing_issue' || state === 'closed_with_lease') {
    return recoveryOf(state).nextStep
  }
  if (failureClasses.some(name => name.startsWith('lease_'))) {
    return `somebody else may have it: premath issue show ${issueId}; take other work`
  }
  if (failureClasses.includes(unsent)) {
    return `have it taken there and checked: premath harness-step --issue ${issueId} --transport-cmd '<command>'`
  }
  if (decision?.retry) return `try again: the policy allows ${decision.maxAttempts} tries`
  switch (change) {
    case 'release':
      return `mend what failed, then take it again: premath harness-step --issue ${issueId}`
    case 'block':
      return `find out why: premath issue show ${issueId}; then premath issue update ${issueId} --status open`
    case 'discover':
      return addedId === undefined
        ? `see what was found about it before: premath issue show ${issueId}`
        : `see what was added about it: premath issue show ${addedId}`
    case 'keep':
      return `close what the gate found open, then go on: premath harness-step --issue ${issueId}`
    case 'close':
      return state === 'released' ? 'claim next ready issue' : recoveryOf(state).nextStep
  }
}
