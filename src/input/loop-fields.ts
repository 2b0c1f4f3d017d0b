/** Flags of both loop commands. */

import type { Fields } from '../field.ts'
import { leaseTermRange } from '../kernel/issues/lease-term.ts'
import { workFields } from './harness-fields.ts'
import { changeFields } from './issue-fields.ts'

export const loopFields = {
  ...workFields,
  leaseTtlSeconds: {
    type: 'count',
    describe: `How long a lease lasts without being renewed, ${leaseTermRange}.`,
    placeholder: 'seconds',
    default: 300,
  },
  maxSteps: {
    type: 'count',
    describe: 'At most so many steps, counted over every resume.',
    placeholder: 'steps',
  },
  maxMinutes: {
    type: 'count',
    describe: 'After so many minutes nothing new begins; what runs may end.',
    placeholder: 'minutes',
  },
  maxFailures: {
    type: 'count',
    describe: 'After so many failures nothing new begins.',
    placeholder: 'failures',
  },
  newBudget: {
    type: 'flag',
    describe: 'Forget what an earlier run used up of these.',
  },
  quietWarning: {
    type: 'count',
    describe: 'Tell when a command has printed nothing for so long.',
    placeholder: 'seconds',
    default: 600,
  },
  idleSeconds: {
    type: 'count',
    describe: 'When nothing can be taken, wait so long for something.',
    placeholder: 'seconds',
    default: 0,
  },
  trajectory: {
    type: 'text',
    describe: 'The trajectory; without it, the project’s.',
    placeholder: 'file',
    path: true,
  },
  ...changeFields,
} as const satisfies Fields
