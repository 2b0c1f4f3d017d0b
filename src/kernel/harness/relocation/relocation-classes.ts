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
    means: 'Turns of one step name more than one location.',
    remedy: 'Have the work name one location, or split the issue.',
  },
  'handoff.destination_evidence_missing': {
    by: 'step',
    means: 'Nothing shows that the work was checked at the location that a turn names.',
    remedy:
      'Give --transport-cmd, and have it append what premath harness-relocation check --json prints there.',
  },
  'handoff.destination_rejected': {
    by: 'step',
    means: 'The check at the location said no.',
    remedy: 'See to what its own classes name, and run the step again.',
  },
  'handoff.evidence_invalid': {
    by: 'step',
    means:
      'What the transport left is no answer, has not its shape, contradicts itself, or is not what its digest says.',
    remedy: 'Leave each answer as it was printed, one a line.',
  },
  'handoff.evidence_mismatch': {
    by: 'step',
    means: 'An answer is about other inputs than those that were sent.',
    remedy: 'Send the inputs that PREMATH_RELOCATION names, and bring back what is said of them.',
  },
  'handoff.evidence_out_of_order': {
    by: 'step',
    means: 'The answers are not one outcome of the transport and then one check.',
    remedy: 'Append the outcome first, the check after it, and nothing else.',
  },
  'handoff.inputs_changed': {
    by: 'destination',
    means: 'The inputs are not those that their name tells of.',
    remedy: 'Bring the file as it was written, under its own name.',
  },
  'handoff.issue_closed': {
    by: 'destination',
    means: 'The issue is closed at the location.',
    remedy: 'Bring issue memory up to date there, or open the issue again.',
  },
  'handoff.issue_mismatch': {
    by: 'destination',
    means: 'The issue asks for something else at the location.',
    remedy: 'Bring issue memory up to date on both sides.',
  },
  'handoff.issue_unknown': {
    by: 'destination',
    means: 'The location does not know the issue.',
    remedy: 'Bring issue memory up to date there.',
  },
  'handoff.policy_mismatch': {
    by: 'destination',
    means: 'Another mutation policy is in force at the location.',
    remedy: 'Have the same .premath/policy.json on both sides.',
  },
  'handoff.transport_evidence_missing': {
    by: 'step',
    means: 'The transport does not say what became of the inputs.',
    remedy: 'Have it append its outcome to PREMATH_RELOCATION_EVIDENCE.',
  },
  'handoff.transport_failed': {
    by: 'step',
    means: 'The transport failed, or says that the inputs did not arrive.',
    remedy: 'See what it printed, in the folder of the step.',
  },
  'handoff.tree_mismatch': {
    by: 'destination',
    means: 'The files at the location are not those that were sent, or did not stay so.',
    remedy: 'Bring all files of the project there, and leave them as they are.',
  },
  'handoff.verification_failed': {
    by: 'destination',
    means: 'What says that the work is done failed at the location.',
    remedy: 'Make it pass there.',
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
