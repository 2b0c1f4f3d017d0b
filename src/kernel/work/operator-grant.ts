import { trim } from '../clean.ts'

/** Who may change issue memory on a surface, as the project's policy says; `operator` is `open`. */
export const mutationModes = ['open', 'operator', 'instruction-linked', 'human-override'] as const
export type MutationMode = (typeof mutationModes)[number]

export interface GrantRequest {
  readonly operator: string
  /** By which way the request came: `cli` is where people act, by hand or by script. */
  readonly surface: string
  /** The mode in force on that surface. */
  readonly mode: MutationMode
  readonly reason?: string | undefined
}

export interface GrantRefusal {
  readonly granted: false
  readonly message: string
  readonly remedy: string
}

/** Known to this module alone: a constructor that is private to the compiler is open to the rest. */
const maker = Symbol('OperatorGrant.grant')

/**
 * Proof that a person may change issue memory. Only `grant` makes one: on a surface where the
 * policy is open, or under `human-override` with a reason that is recorded.
 */
export class OperatorGrant {
  readonly #issued = true
  readonly granted = true
  readonly operator: string
  readonly surface: string
  readonly mode: MutationMode
  readonly reason: string | undefined

  private constructor(
    by: typeof maker,
    operator: string,
    surface: string,
    mode: MutationMode,
    reason: string | undefined,
  ) {
    if (by !== maker) throw new TypeError('only OperatorGrant.grant makes an OperatorGrant')
    this.operator = operator
    this.surface = surface
    this.mode = mode
    this.reason = reason
    Object.freeze(this)
  }

  static grant(request: GrantRequest): OperatorGrant | GrantRefusal {
    const { mode, surface } = request
    const operator = trim(request.operator)
    const reason = trim(request.reason ?? '') || undefined
    if (operator === '') return refuse('nobody is named as operator', 'Say who acts.')
    // Whatever else a policy file may say, only these let a person through.
    if (mode !== 'open' && mode !== 'operator' && mode !== 'human-override') {
      return refuse(
        `the surface ${surface} takes changes only from an accepted instruction`,
        'Run the change under an instruction, or have the policy changed.',
      )
    }
    if (mode === 'human-override' && reason === undefined) {
      return refuse(
        'an override needs a reason',
        'Say why, so that the record can show it: --reason.',
      )
    }
    return new OperatorGrant(maker, operator, surface, mode, reason)
  }

  /** For callers the compiler does not see. */
  static isIssued(value: object): value is OperatorGrant {
    return #issued in value && value.#issued
  }
}

const refuse = (message: string, remedy: string): GrantRefusal => ({
  granted: false,
  message,
  remedy,
})
