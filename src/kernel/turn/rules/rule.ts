import type { Sha256 } from '../../canonical.ts'
import type { Json } from '../../json.ts'
import type { Turn } from '../turn.ts'
import type { TurnRef } from '../turn-refs.ts'

/** One place where a turn breaks a rule. */
export interface Violation {
  readonly at: string
  readonly message: string
}

/** Everything the gate needs from outside. */
export interface Kit {
  readonly sha256: Sha256
  /** Profiles the project's registry claims. */
  readonly registryClaims?: readonly string[]
  /**
   * The digest of the policy in force, which the pinned package must match; `null` if there is
   * none. Set only for a mutation in a project that claims governance: a turn alone may belong to
   * any project.
   */
  readonly policyInForce?: string | null | undefined
  /** Refs of the turn that name nothing in the project. Set only for a mutation, for that reason. */
  readonly unresolvedRefs?: readonly TurnRef[] | undefined
  /**
   * Validates a value against a JSON Schema; empty if it is valid. Without this function, arguments
   * with a schema are refused.
   */
  readonly schemaComplaints?: (schema: Json, value: Json) => readonly string[]
}

/**
 * `join` closes the turn, `mutation` permits a change of memory, `governance` applies if claimed.
 */
export type Gate = 'join' | 'mutation' | 'governance'

/** One failure class. */
export interface Rule {
  /** The condition this class reports. */
  readonly means: string
  readonly gate: Gate
  /** How to fix it. */
  readonly remedy: string
  /** All violations; empty if the turn complies. */
  readonly find: (turn: Turn, kit: Kit) => readonly Violation[]
}

export function defineRules<const Class extends string>(rules: Record<Class, Rule>) {
  return rules
}

export const none: readonly Violation[] = []

export const when = (broken: boolean, at: string, message: string): readonly Violation[] =>
  broken ? [{ at, message }] : none
