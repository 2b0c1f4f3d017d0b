/** Flags of the boot, step and stop hooks. */

import type { Fields } from '../field.ts'
import { leaseTermRange, leaseTtlSecondsDefault } from '../kernel/issues/lease-term.ts'

export const workerField = {
  worker: {
    type: 'text',
    describe: 'Who works: the name leases are held under; without it, PREMATH_WORKER_ID or worker.',
    placeholder: 'name',
  },
} as const satisfies Fields

/** A worker in its own worktree has its own default name. */
export const loopWorkerField = {
  worker: {
    ...workerField.worker,
    describe:
      'Who works: the name leases are held under; without it, PREMATH_WORKER_ID or worker; in a linked git worktree not worker but, after its folder w1, worker.w1.',
  },
} as const satisfies Fields

export const hookPathFields = {
  session: {
    type: 'text',
    describe: 'The session; without it, PREMATH_HARNESS_SESSION_PATH or the project’s.',
    placeholder: 'file',
    path: true,
  },
  ledger: {
    type: 'text',
    describe: 'The feature ledger; without it, the project’s.',
    placeholder: 'file',
    path: true,
  },
  trajectory: {
    type: 'text',
    describe: 'The trajectory; without it, the project’s.',
    placeholder: 'file',
    path: true,
  },
} as const satisfies Fields

export const leaseTermField = {
  leaseTtlSeconds: {
    type: 'count',
    describe: `How long a lease lasts, ${leaseTermRange}.`,
    placeholder: 'seconds',
    default: leaseTtlSecondsDefault,
  },
} as const satisfies Fields

export const startupFields = {
  startupCmd: {
    type: 'text',
    describe: 'A command that must pass before anything is claimed.',
    placeholder: 'command',
  },
  startupTimeoutSeconds: {
    type: 'count',
    describe: 'How long it may take.',
    placeholder: 'seconds',
    default: 600,
  },
} as const satisfies Fields

/** Flags for the commands of a step, their timeouts and the retry policy. */
export const workFields = {
  workCmd: {
    type: 'text',
    describe: 'What does the work; without it, PREMATH_WORK_CMD.',
    placeholder: 'command',
  },
  verifyCmd: {
    type: 'text',
    describe: 'What says that it is done, by exit code 0; without it, PREMATH_VERIFY_CMD.',
    placeholder: 'command',
  },
  verifySpec: {
    type: 'text',
    describe: 'Specs that say so instead: a document, folder or pattern, found from the worktree.',
    placeholder: 'path',
    many: true,
    path: true,
  },
  workTimeoutSeconds: {
    type: 'count',
    describe: 'How long the work may take.',
    placeholder: 'seconds',
    default: 2700,
  },
  verifyTimeoutSeconds: {
    type: 'count',
    describe: 'How long the verification may take.',
    placeholder: 'seconds',
    default: 600,
  },
  transportCmd: {
    type: 'text',
    describe:
      'What takes work that names another location there, and brings back what is said of it; without it, PREMATH_TRANSPORT_CMD, or nothing does.',
    placeholder: 'command',
  },
  transportTimeoutSeconds: {
    type: 'count',
    describe: 'How long that may take, with the check there.',
    placeholder: 'seconds',
    default: 2700,
  },
  retryPolicy: {
    type: 'text',
    describe: 'The retry policy; without it, the project’s or the one premath brings.',
    placeholder: 'file',
    path: true,
  },
  ...startupFields,
} as const satisfies Fields
