/** Flags of the boot, step and stop hooks. */

import type { Fields } from '../field.ts'
import { leaseTermRange, leaseTtlSecondsDefault } from '../kernel/issues/lease-term.ts'

export const workerField = {
  worker: {
    type: 'text',
    describe:
      'The worker name, under which leases are held. Defaults to PREMATH_WORKER_ID, then to worker.',
    placeholder: 'name',
  },
} as const satisfies Fields

/** A worker in its own worktree has its own default name. */
export const loopWorkerField = {
  worker: {
    ...workerField.worker,
    describe:
      'The worker name, under which leases are held. Defaults to PREMATH_WORKER_ID, then to worker. In a linked git worktree in the folder w1 the last default is worker.w1.',
  },
} as const satisfies Fields

export const hookPathFields = {
  session: {
    type: 'text',
    describe:
      'The session file. Defaults to PREMATH_HARNESS_SESSION_PATH, then to the session of the project.',
    placeholder: 'file',
    path: true,
  },
  ledger: {
    type: 'text',
    describe: 'The feature ledger file. Defaults to the ledger of the project.',
    placeholder: 'file',
    path: true,
  },
  trajectory: {
    type: 'text',
    describe: 'The trajectory file. Defaults to the trajectory of the project.',
    placeholder: 'file',
    path: true,
  },
} as const satisfies Fields

export const leaseTermField = {
  leaseTtlSeconds: {
    type: 'count',
    describe: `The term of a lease in seconds, ${leaseTermRange}.`,
    placeholder: 'seconds',
    default: leaseTtlSecondsDefault,
  },
} as const satisfies Fields

export const startupFields = {
  startupCmd: {
    type: 'text',
    describe: 'A command that must pass before an issue is claimed.',
    placeholder: 'command',
  },
  startupTimeoutSeconds: {
    type: 'count',
    describe: 'The timeout of the startup command.',
    placeholder: 'seconds',
    default: 600,
  },
} as const satisfies Fields

/** Flags for the commands of a step, their timeouts and the retry policy. */
export const workFields = {
  workCmd: {
    type: 'text',
    describe: 'The command that does the work. Defaults to PREMATH_WORK_CMD.',
    placeholder: 'command',
  },
  verifyCmd: {
    type: 'text',
    describe:
      'The command that verifies the work with exit code 0. Defaults to PREMATH_VERIFY_CMD.',
    placeholder: 'command',
  },
  verifySpec: {
    type: 'text',
    describe:
      'Specs that verify the work instead: a document, folder or pattern, relative to the worktree.',
    placeholder: 'path',
    many: true,
    path: true,
  },
  workTimeoutSeconds: {
    type: 'count',
    describe: 'The timeout of the work command.',
    placeholder: 'seconds',
    default: 2700,
  },
  verifyTimeoutSeconds: {
    type: 'count',
    describe: 'The timeout of the verification.',
    placeholder: 'seconds',
    default: 600,
  },
  transportCmd: {
    type: 'text',
    describe:
      'The command that carries work to another location and returns the verdict from there. Defaults to PREMATH_TRANSPORT_CMD. Without it, such work is refused.',
    placeholder: 'command',
  },
  transportTimeoutSeconds: {
    type: 'count',
    describe: 'The timeout of the transport command, including the check at the location.',
    placeholder: 'seconds',
    default: 2700,
  },
  retryPolicy: {
    type: 'text',
    describe:
      'The retry policy file. Defaults to the policy of the project, then to the built-in one.',
    placeholder: 'file',
    path: true,
  },
  ...startupFields,
} as const satisfies Fields
