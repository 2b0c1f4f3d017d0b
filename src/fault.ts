/**
 * The one error we throw: the caller or the environment let us down and this operation cannot go
 * on. A gate that refuses or an assertion that fails is not a fault; it is a returned value.
 */

/** Every way an operation can fault, and the exit code the command ends in. */
export const faultCodes = {
  usage: 2,
  invalid_input: 2,
  unavailable: 3,
  conflict: 4,
  corrupt: 5,
} as const satisfies Record<string, number>

export type FaultCode = keyof typeof faultCodes

interface FaultOptions extends ErrorOptions {
  /** What the person can do next, printed after the message. */
  readonly hint?: string
  /** Machine-readable detail, printed under `--json`. */
  readonly detail?: Readonly<Record<string, unknown>>
}

export class Fault extends Error {
  override readonly name = 'Fault'
  readonly code: FaultCode
  readonly hint: string | undefined
  readonly detail: Readonly<Record<string, unknown>>

  constructor(code: FaultCode, message: string, options: FaultOptions = {}) {
    super(message, options)
    this.code = code
    this.hint = options.hint
    this.detail = options.detail ?? {}
  }
}
