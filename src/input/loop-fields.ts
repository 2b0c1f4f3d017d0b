/** Flags of both loop commands. */

import { Fault } from '../fault.ts'
import type { Fields } from '../field.ts'
import { isLeaseTerm, leaseTermRange } from '../kernel/issues/lease-term.ts'
import { workFields } from './harness-fields.ts'
import { changeFields } from './issue-fields.ts'

export const loopFields = {
  ...workFields,
  leaseTtlSeconds: {
    type: 'count',
    describe: `The term of a lease in seconds, ${leaseTermRange}. Leases are renewed while work runs.`,
    placeholder: 'seconds',
    default: 300,
  },
  maxSteps: {
    type: 'count',
    describe: 'Start at most this many steps, counted across resumed runs.',
    placeholder: 'steps',
  },
  maxMinutes: {
    type: 'count',
    describe: 'Start no step after this many minutes. Running steps may finish.',
    placeholder: 'minutes',
  },
  maxFailures: {
    type: 'count',
    describe: 'Start no step after this many failures.',
    placeholder: 'failures',
  },
  newBudget: {
    type: 'flag',
    describe: 'Ignore the budget that earlier runs used.',
  },
  quietWarning: {
    type: 'count',
    describe: 'Report a command that prints nothing for this many seconds.',
    placeholder: 'seconds',
    default: 600,
  },
  idleSeconds: {
    type: 'count',
    describe: 'Wait this many seconds for a ready issue before the run ends.',
    placeholder: 'seconds',
    default: 0,
  },
  trajectory: {
    type: 'text',
    describe: 'The trajectory file. Defaults to the trajectory of the project.',
    placeholder: 'file',
    path: true,
  },
  ...changeFields,
} as const satisfies Fields

/** Checked before anything is created, because no lease with such a term can be granted. */
export function mustBeLeaseTerm(seconds: number): void {
  if (isLeaseTerm(seconds)) return
  throw new Fault('usage', `--lease-ttl-seconds must be ${leaseTermRange}, not ${seconds}`, {
    hint: `Pass ${leaseTermRange} seconds.`,
  })
}
