import type { ExitCode } from '../answer.ts'
import { Fault, faultCodes } from '../fault.ts'

/** What each exit code tells the caller, as help and the reference page print it. */
export const exitCodes = {
  0: 'yes, or done',
  1: 'the answer is no: a turn rejected, a change refused, a check not passed',
  2: 'bad usage, or input that could not be read',
  3: 'the environment failed: a disk, a stream, or premath itself',
  4: 'conflict: somebody else got there first',
  5: 'integrity: stored data is not what it must be',
} as const satisfies Record<ExitCode, string>

/** A bug is the environment's failure to the caller: the question was fine, nothing was decided. */
export function exitOf(error: unknown): ExitCode {
  return error instanceof Fault ? faultCodes[error.code] : 3
}
