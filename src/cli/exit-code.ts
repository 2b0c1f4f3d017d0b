import type { ExitCode } from '../answer.ts'

/** The meaning of each exit code, for help and reference. */
export const exitCodes = {
  0: 'yes, or done',
  1: 'the answer is no: a turn rejected, a change refused, a check not passed',
  2: 'bad usage, or input that could not be read',
  3: 'the environment failed: a disk, a stream, or premath itself',
  4: 'conflict: somebody else got there first',
  5: 'integrity: stored data is not what it must be',
} as const satisfies Record<ExitCode, string>
