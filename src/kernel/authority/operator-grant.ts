import type { MutationMode } from '../../wire/policy/mutation-policy.ts'
import { trim } from '../text/clean.ts'

const byStrictness: readonly MutationMode[] = [
  'open',
  'operator',
  'human-override',
  'instruction-linked',
]

export const stricter = (one: MutationMode, other: MutationMode): MutationMode =>
  byStrictness.indexOf(one) > byStrictness.indexOf(other) ? one : other

export interface GrantRequest {
  readonly operator: string
  /** The interface that received the request, such as the command line. */
  readonly surface: string
  /** The mode in force on that surface. */
  readonly mode: MutationMode
  readonly reason?: string | undefined
  /** Whether stdin is a terminal. */
  readonly isAtTerminal?: boolean
}

export interface GrantRefusal {
  readonly granted: false
  readonly message: string
  readonly remedy: string
}

/** Module-private: a TypeScript `private` constructor is open at run time. */
const maker = Symbol('OperatorGrant.grant')

/**
 * Proof that a person may change issue memory. Only `grant` makes one: on a surface where the
 * policy is open, for an operator at a terminal, or as an override with a reason that is recorded.
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
    if (operator === '') return refuse('no operator is named', 'Name the operator.')
    // Only these modes permit changes by a person.
    if (mode !== 'open' && mode !== 'operator' && mode !== 'human-override') {
      return refuse(
        `from ${named(surface)}, issue memory takes changes only under an accepted instruction`,
        `Run it under one: --instruction. Or have surfaces.${surface}.mode in the policy changed.`,
      )
    }
    const isAway = mode === 'operator' && request.isAtTerminal !== true
    if (isAway && reason === undefined) {
      return refuse(
        `from ${named(surface)}, issue memory takes changes only by a person at a terminal, and standard input is none`,
        'Run it at a terminal, or say why nobody is there, so that the record can show it: --reason.',
      )
    }
    if (mode === 'human-override' && reason === undefined) {
      return refuse(
        'an override needs a reason',
        'Say why, so that the record can show it: --reason.',
      )
    }
    const as = isAway ? 'human-override' : mode
    return new OperatorGrant(maker, operator, surface, as, reason)
  }

  /** For callers outside TypeScript. */
  static isIssued(value: object): value is OperatorGrant {
    return #issued in value && value.#issued
  }
}

/** Names of surfaces for messages. */
const surfaceNames: Readonly<Record<string, string>> = {
  cli: 'the command line',
  work: 'the work of a step',
}

const named = (surface: string) => surfaceNames[surface] ?? `the surface ${surface}`

const refuse = (message: string, remedy: string): GrantRefusal => ({
  granted: false,
  message,
  remedy,
})
