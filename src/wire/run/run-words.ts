/** The words by which a run tells of itself. Plain data: the kernel reads them without a schema library. */

/** What a person should look at. */
export const attentionAbouts = [
  'worker_quiet',
  'lease_ending',
  'lease_lost',
  'repeated_failure',
  'work_blocked',
  'work_left',
  'gate_refused',
  'worker_ended',
  'dependency_cycle',
  'closed_unverified',
  'step_waiting',
  'clock_set_back',
] as const
export type AttentionAbout = (typeof attentionAbouts)[number]

/** What a command is run for. */
export const phases = ['startup', 'work', 'verify', 'verify-again', 'transport'] as const
export type Phase = (typeof phases)[number]

/** What becomes of a step that was cut off. */
export const recoveries = ['finished', 'undone', 'lost', 'waiting'] as const
export type Recovery = (typeof recoveries)[number]

/** `done`: nothing is left; `idle`: nothing that is left can be taken. */
export const runEndWhys = ['done', 'idle', 'budget', 'stopped', 'cycle', 'failed'] as const
export type RunEndWhy = (typeof runEndWhys)[number]
