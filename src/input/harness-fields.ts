/** Flags of the boot, step and stop hooks. */

import {
  choiceField,
  countField,
  type Fields,
  flagField,
  type InputOf,
  textField,
} from '../field.ts'
import type { BootOptions } from '../harness/boot.ts'
import { leaseTermRange, leaseTtlSecondsDefault } from '../kernel/issues/lease-term.ts'
import { type Config, timeoutDefaults } from '../wire/config/config.ts'

export const workerField = {
  worker: textField(
    'name',
    'The worker name, under which leases are held. Defaults to PREMATH_WORKER_ID, then to worker.',
    { also: ['worker-id'] },
  ),
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
  session: textField(
    'file',
    'The session file. Defaults to PREMATH_HARNESS_SESSION_PATH, then to the session of the project.',
    { path: true, also: ['session-path'] },
  ),
  ledger: textField('file', 'The feature ledger file. Defaults to the ledger of the project.', {
    path: true,
    also: ['feature-ledger', 'feature-ledger-path'],
  }),
  trajectory: textField('file', 'The trajectory file. Defaults to the trajectory of the project.', {
    path: true,
    also: ['trajectory-path'],
  }),
} as const satisfies Fields

export const leaseTermField = {
  leaseTtlSeconds: countField('seconds', `The term of a lease in seconds, ${leaseTermRange}.`, {
    default: leaseTtlSecondsDefault,
  }),
} as const satisfies Fields

export const sandboxField = {
  sandbox: choiceField(
    ['auto', 'require', 'off'],
    'Run the commands in a sandbox, in which they write to their worktree only: where bubblewrap works, always (else exit 3), or never.',
    { default: 'auto', setting: 'sandbox' },
  ),
} as const satisfies Fields

export const startupFields = {
  startupCmd: textField('command', 'A command that must pass before an issue is claimed.', {
    setting: 'startup',
  }),
  startupTimeoutSeconds: countField('seconds', 'The timeout of the startup command.', {
    setting: 'timeouts.startupSeconds',
    default: timeoutDefaults.startupSeconds,
  }),
  ...sandboxField,
} as const satisfies Fields

/** The start-up command, from flags and configuration. */
export const startupOptions = (
  { startupCmd, startupTimeoutSeconds }: InputOf<typeof startupFields>,
  { startup, timeouts }: Config,
): BootOptions => ({
  startupCommand: startupCmd ?? startup,
  startupTimeoutMs: (startupTimeoutSeconds ?? timeouts.startupSeconds) * 1000,
})

export const workProgramField = {
  workProgram: textField(
    'file',
    'A program that does the work in place of the command: Scheme, or a JSON list of host calls. It runs in this process, reads, and asks the harness for changes. The variable step has its issue.',
    { path: true },
  ),
} as const satisfies Fields

/** Flags for the commands of a step, their timeouts and the retry policy. */
export const workFields = {
  workCmd: textField('command', 'The command that does the work. Defaults to PREMATH_WORK_CMD.', {
    setting: 'work',
    isCommand: true,
  }),
  verifyCmd: textField(
    'command',
    'The command that verifies the work with exit code 0. Defaults to PREMATH_VERIFY_CMD.',
    { setting: 'verify' },
  ),
  verifySpec: textField(
    'path',
    'Specs that verify the work instead: a document, folder or pattern, relative to the worktree.',
    { many: true, path: true, setting: 'verifySpecs' },
  ),
  verifyRequired: flagField(
    'Verify the work also with the checks that .premath/required-checks.json of the target requires for the changed paths. No other verification is needed then. Also the setting verifyRequired.',
  ),
  workTimeoutSeconds: countField('seconds', 'The timeout of the work command.', {
    setting: 'timeouts.workSeconds',
    default: timeoutDefaults.workSeconds,
  }),
  verifyTimeoutSeconds: countField('seconds', 'The timeout of the verification.', {
    setting: 'timeouts.verifySeconds',
    default: timeoutDefaults.verifySeconds,
  }),
  transportCmd: textField(
    'command',
    'The command that carries work to another location and returns the verdict from there. Defaults to PREMATH_TRANSPORT_CMD. Without it, such work is refused.',
  ),
  transportTimeoutSeconds: countField(
    'seconds',
    'The timeout of the transport command, including the check at the location.',
    { default: 2700 },
  ),
  retryPolicy: textField(
    'file',
    'The retry policy file. Defaults to the policy of the project, then to the built-in one.',
    { path: true },
  ),
  ...startupFields,
} as const satisfies Fields
