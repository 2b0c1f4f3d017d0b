/**
 * The failure classes of relocations. They belong to the gate's family, so each only stops the
 * step. The reference page is generated from this table.
 */

interface RelocationClassEntry {
  /** Where it is found: in the step that sent the work, or in the check at the destination. */
  readonly by: 'step' | 'destination'
  readonly means: string
  readonly remedy: string
}

export const relocationClasses = {
  'handoff.destination_ambiguous': {
    by: 'step',
    means: 'The turns of a step name more than one location.',
    remedy: 'Let the work name one location, or split the issue.',
  },
  'handoff.destination_evidence_missing': {
    by: 'step',
    means: 'A turn names a location, and no evidence shows that the work was checked there.',
    remedy:
      'Pass --transport-cmd. The command must append the output of premath harness-relocation check --json.',
  },
  'handoff.destination_rejected': {
    by: 'step',
    means: 'The check at the location rejected the work.',
    remedy: 'Fix the failure classes that it reports, then run the step again.',
  },
  'handoff.evidence_invalid': {
    by: 'step',
    means:
      'An answer of the transport is unknown, has a wrong shape, contradicts itself, or does not match its digest.',
    remedy: 'Append each answer as it was printed, one per line.',
  },
  'handoff.evidence_mismatch': {
    by: 'step',
    means: 'An answer is about other inputs than those that were sent.',
    remedy: 'Send the inputs at PREMATH_RELOCATION and return the answers about them.',
  },
  'handoff.evidence_out_of_order': {
    by: 'step',
    means: 'The answers are not one transport outcome followed by one check.',
    remedy: 'Append the outcome, then the check, and nothing else.',
  },
  'handoff.inputs_changed': {
    by: 'destination',
    means: 'The digest of the inputs does not match their file name.',
    remedy: 'Copy the file unchanged and keep its name.',
  },
  'handoff.issue_closed': {
    by: 'destination',
    means: 'The issue is closed at the location.',
    remedy: 'Update issue memory there, or reopen the issue.',
  },
  'handoff.issue_mismatch': {
    by: 'destination',
    means: 'The issue has different content at the location.',
    remedy: 'Synchronize issue memory on both sides.',
  },
  'handoff.issue_unknown': {
    by: 'destination',
    means: 'The issue does not exist at the location.',
    remedy: 'Update issue memory there.',
  },
  'handoff.policy_mismatch': {
    by: 'destination',
    means: 'Another mutation policy is in force at the location.',
    remedy: 'Use the same .premath/policy.json on both sides.',
  },
  'handoff.transport_evidence_missing': {
    by: 'step',
    means: 'The transport does not report whether the inputs arrived.',
    remedy: 'The transport must append its outcome to PREMATH_RELOCATION_EVIDENCE.',
  },
  'handoff.transport_failed': {
    by: 'step',
    means: 'The transport failed, or reports that the inputs did not arrive.',
    remedy: 'Read its output in the folder of the step.',
  },
  'handoff.tree_mismatch': {
    by: 'destination',
    means:
      'The files at the location differ from those that were sent, or changed during the check.',
    remedy: 'Copy all files of the project there and leave them unchanged.',
  },
  'handoff.verification_failed': {
    by: 'destination',
    means: 'The verification failed at the location.',
    remedy: 'Make the verification pass there.',
  },
} as const satisfies Readonly<Record<string, RelocationClassEntry>>

export type RelocationClass = keyof typeof relocationClasses

export interface RelocationFinding {
  readonly failureClass: RelocationClass
  readonly message: string
}

export const relocationFinding = (
  failureClass: RelocationClass,
  message: string,
): RelocationFinding => ({ failureClass, message })

export const isRelocationClass = (name: unknown): name is RelocationClass =>
  typeof name === 'string' && Object.hasOwn(relocationClasses, name)
