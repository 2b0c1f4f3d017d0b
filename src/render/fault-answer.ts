/** What a command that threw says, on every surface. */
import type { CommandError, ExitCode } from '../answer.ts'
import { Fault, faultCodes } from '../fault.ts'
import { scarcityFault } from '../world/system-error.ts'

/** A bug counts as a failed environment: the request was valid and nothing was decided. */
export function exitOf(error: unknown): ExitCode {
  return error instanceof Fault ? faultCodes[error.code] : 3
}

export function described(thrown: unknown): CommandError {
  const error = scarcityFault(thrown) ?? thrown
  if (!(error instanceof Fault)) return { code: 'bug', message: messageOf(error) }
  const { code, message, hint, detail } = error
  return { code, message, detail, ...(hint !== undefined && { hint }) }
}

export const messageOf = (error: unknown) =>
  error instanceof Error ? error.message : String(error)
