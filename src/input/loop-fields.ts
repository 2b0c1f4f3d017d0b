/** Flags of both loop commands. */

import { Fault } from '../fault.ts'
import { countField, type Fields, flagField, textField } from '../field.ts'
import { isLeaseTerm, leaseTermRange } from '../kernel/issues/lease-term.ts'
import { workFields } from './harness-fields.ts'
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
  trajectory: textField('file', 'The trajectory file. Defaults to the trajectory of the project.', {
    path: true,
  }),
  ...changeFields,
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
