/** Flags of both loop commands. */

import { Fault } from '../fault.ts'
import { countField, type Fields, flagField, noEffectField, textField } from '../field.ts'
import { isLeaseTerm, leaseTermRange } from '../kernel/issues/lease-term.ts'
import { hookPathFields, workFields } from './harness-fields.ts'
import { changeFields } from './issue-fields.ts'

export const loopFields = {
  ...workFields,
  leaseTtlSeconds: countField(
    'seconds',
    `The term of a lease in seconds, ${leaseTermRange}. Leases are renewed while work runs.`,
    { default: 300 },
  ),
  maxSteps: countField('steps', 'Start at most this many steps, counted across resumed runs.', {
    setting: 'budget.maxSteps',
  }),
  maxMinutes: countField(
    'minutes',
    'Start no step after this many minutes. Running steps may finish.',
    { setting: 'budget.maxMinutes' },
  ),
  maxFailures: countField('failures', 'Start no step after this many failures.', {
    setting: 'budget.maxFailures',
  }),
  newBudget: flagField('Ignore the budget that earlier runs used.'),
  quietWarning: countField(
    'seconds',
    'Report a command that prints nothing for this many seconds.',
    { default: 600 },
  ),
  idleSeconds: countField(
    'seconds',
    'Wait this many seconds for a ready issue before the run ends.',
    { default: 0 },
  ),
  notifyCmd: textField(
    'command',
    'A command that runs when something needs attention, with the attention as JSON in PREMATH_ATTENTION and its issue in PREMATH_ISSUE_ID. It has 30 seconds. Its failure is reported and changes nothing.',
    { setting: 'notifyCommand' },
  ),
  trajectory: hookPathFields.trajectory,
  ...changeFields,
  reason: { ...changeFields.reason, also: ['override-reason'] },
} as const satisfies Fields

/** What the earlier loop took besides, so that its command lines still run. */
export const earlierLoopFields = {
  repoRoot: textField(
    'folder',
    'The folder of the project, in which relative paths of files start. Defaults to the project around the current folder.',
    { path: true, also: ['repo'] },
  ),
  mutationMode: noEffectField('text', 'the policy of the project sets the mode'),
  continueOnFailure: noEffectField(
    'flag',
    'a run always continues after a failure, and exits 1 at its end; --max-failures 1 ends it at the first one',
  ),
  witnessRefPrefix: noEffectField(
    'text',
    'a witness is a file, and its ref names it by its digest',
  ),
  hostActionTransport: noEffectField('text', 'a worker renews and releases its lease itself'),
} as const satisfies Fields

/** For commands that run several workers. */
export const fanOutField = {
  decompositionPolicy: textField(
    'file',
    'The decomposition policy file. Defaults to the policy of the project, then to the built-in one.',
    { path: true },
  ),
} as const satisfies Fields

/** Checked before anything is created, because no lease with such a term can be granted. */
export function mustBeLeaseTerm(seconds: number): void {
  if (isLeaseTerm(seconds)) return
  throw new Fault('usage', `--lease-ttl-seconds must be ${leaseTermRange}, not ${seconds}`, {
    hint: `Pass ${leaseTermRange} seconds.`,
  })
}
