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
  /** The instruction that the harness wrote for the run which a person started. */
  readonly runInstruction?: string | undefined
  /** Whether stdin is a terminal. */
  readonly isAtTerminal?: boolean
}

export interface GrantRefusal {
  readonly granted: false
  readonly message: string
  readonly remedy: string
  /** The remedy for a change of one issue, if an instruction would allow it. */
  remedyFor?(issueId: string): string
}

/** The command with which a person lets an agent work on an issue. */
export const newInstruction = (issueId = '<id>'): string =>
  `premath instruction new --issue ${issueId}`

/** Module-private: a TypeScript `private` constructor is open at run time. */
const constructorKey = Symbol('OperatorGrant.grant')

/**
 * Proof that a person may change issue memory. Only `grant` makes one: on a surface where the
 * policy is open, for an operator at a terminal, as an override with a reason that is recorded, or
 * for a run that is the instruction for its steps.
 */
export class OperatorGrant {
  readonly #issued = true
  readonly granted = true
  readonly operator: string
  readonly surface: string
  readonly mode: MutationMode
  readonly reason: string | undefined

  private constructor(
    by: typeof constructorKey,
    operator: string,
    surface: string,
    mode: MutationMode,
    reason: string | undefined,
  ) {
    if (by !== constructorKey)
      throw new TypeError('only OperatorGrant.grant makes an OperatorGrant')
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
    if (operator === '')
      return refuse('no operator is named', 'Name the person who makes the change.')
    const isRun = mode === 'instruction-linked' && request.runInstruction !== undefined
    // Only these modes permit changes by a person.
    if (mode !== 'open' && mode !== 'operator' && mode !== 'human-override' && !isRun) {
      const remedyFor = (issueId?: string) => {
        const how = `Let a person write one: ${newInstruction(issueId)}.`
        return surface === 'mcp'
          ? `${how} Then give its id as instructionId.`
          : `${how} Then pass --instruction <its id>. Or change surfaces.${surface}.mode in the mutation policy.`
      }
      const message = `from ${named(surface)}, issue memory takes changes only under an accepted instruction`
      return { ...refuse(message, remedyFor()), remedyFor }
    }
    const isAway = mode === 'operator' && request.isAtTerminal !== true
    if (isAway && reason === undefined) {
      return refuse(
        `from ${named(surface)}, issue memory takes changes only from a person at a terminal, and standard input is not a terminal`,
        'Run the command at a terminal, or record why nobody is there with --reason.',
      )
    }
    if (mode === 'human-override' && reason === undefined) {
      return refuse('an override needs a reason', 'Record why with --reason.')
    }
    const as = isAway ? 'human-override' : mode
    return new OperatorGrant(constructorKey, operator, surface, as, reason)
  }

  /** For callers outside TypeScript. */
  static isIssued(value: object): value is OperatorGrant {
    return #issued in value && value.#issued
  }
}

/** Names of surfaces for messages. */
const surfaceNames: Readonly<Record<string, string>> = {
  cli: 'the command line',
  mcp: 'MCP',
  work: 'the work of a step',
}

const named = (surface: string) => surfaceNames[surface] ?? `the surface ${surface}`

const refuse = (message: string, remedy: string): GrantRefusal => ({
  granted: false,
  message,
  remedy,
})
