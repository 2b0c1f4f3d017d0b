import type { Sha256 } from '../../canonical.ts'
import type { Json } from '../../json.ts'
import type { Turn } from '../turn.ts'

/** One place where a turn breaks a rule. */
export interface Violation {
  readonly at: string
  readonly message: string
}

/** What the gate may call on; all of it is handed in. */
export interface Kit {
  readonly sha256: Sha256
  /** Profiles that the project's registry claims, whatever the input says. */
  readonly registryClaims?: readonly string[]
  /**
   * Of the policy in force, which the pinned package has to be; `null` where none is. Only the door
   * of a project that claims governance says it: a turn by itself may be of any project.
   */
  readonly policyInForce?: string | null | undefined
  /**
   * What is wrong with a value under a JSON Schema; nothing when it complies. Without it arguments
   * under a schema are refused, since nobody looked.
   */
  readonly schemaComplaints?: (schema: Json, value: Json) => readonly string[]
}

/** `join` closes the turn, `mutation` lets it change memory, `governance` applies when claimed. */
export type Gate = 'join' | 'mutation' | 'governance'

/** One fail-closed class. */
export interface Rule {
  /** What is true of a turn that shows this class. */
  readonly means: string
  readonly gate: Gate
  /** What to do about it. */
  readonly remedy: string
  /** Every violation; none when the turn complies. */
  readonly find: (turn: Turn, kit: Kit) => readonly Violation[]
}

export function defineRules<const Class extends string>(rules: Record<Class, Rule>) {
  return rules
}

export const none: readonly Violation[] = []

export const when = (broken: boolean, at: string, message: string): readonly Violation[] =>
  broken ? [{ at, message }] : none
