/** Words for everything in a surface that a person should look at. */
import type { Coherence, ObservationSurface } from '../../wire/observation/surface.ts'

export interface AttentionEntry {
  readonly message: string
  readonly next: string
}

/** The verdict first, then the reasons of the coherence, then issues and runs. */
export function attentionEntries({
  summary,
  harness,
}: ObservationSurface): readonly AttentionEntry[] {
  const { coherence } = summary
  const reasons = coherence?.attentionReasons ?? []
  return [
    ...verdictEntries(summary),
    ...reasons.flatMap(reason => (coherence ? reasonEntries(reason, coherence) : [])),
    ...(harness?.attention ?? []).map(({ issueId, title, message, next, at }) => ({
      message:
        at === null && issueId !== null ? `${issueId} "${title ?? ''}": ${message}` : message,
      next,
    })),
  ]
}

function verdictEntries(summary: ObservationSurface['summary']): readonly AttentionEntry[] {
  const { state, topFailureClass } = summary
  if (state !== 'rejected' && state !== 'error') return []
  const what = state === 'error' ? 'has no readable verdict' : 'was rejected'
  return [
    {
      message: `the last check ${what}${topFailureClass === null ? '' : `: ${topFailureClass}`}`,
      next: 'Fix the cause and run the checks again. premath observe-build then clears this.',
    },
  ]
}

function reasonEntries(reason: string, coherence: Coherence): readonly AttentionEntry[] {
  const words = reasonWords[reason]
  // The list of issues has each lease that expired, with its worker.
  if (reason === 'stale_claims') return []
  return words
    ? [words(coherence)]
    : [{ message: reason, next: 'See the whole surface: premath observe --json.' }]
}

const reasonWords: Readonly<Record<string, (coherence: Coherence) => AttentionEntry>> = {
  policy_drift: ({ policyDrift }) => ({
    message: `artifacts disagree: ${policyDrift.driftClasses.join(', ')}`,
    next: 'Run the required checks again, and older instructions again under the present policy.',
  }),
  instruction_unknown_classification: ({ instructionTyping }) => ({
    message: `rejected because their type is unknown: ${named(instructionTyping.unknownInstructionIds)}`,
    next: 'Give each an instructionType, or run an instruction with the same intent and scope.',
  }),
  proposal_reject_classes_present: ({ proposalRejectClasses }) => ({
    message: `rejected proposals: ${named(proposalRejectClasses.instructionIds)} (${proposalRejectClasses.topClasses.join(', ')})`,
    next: 'Correct the proposal and run the instruction again.',
  }),
  dependency_cycle_active: ({ dependencyIntegrity }) => ({
    message: `issues wait for each other: ${(dependencyIntegrity.active.cyclePath ?? []).join(' → ')}`,
    next: 'Remove one dependency of the cycle: premath dep remove.',
  }),
  contended_claims: ({ leaseHealth }) => ({
    message: `leased, but not in progress by the holder: ${named(leaseHealth.contendedIssueIds)}`,
    next: 'See who holds each: premath issue lease-projection.',
  }),
}

const namesShown = 5

function named(ids: readonly string[]): string {
  const more = ids.length - namesShown
  return `${ids.slice(0, namesShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
