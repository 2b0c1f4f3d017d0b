/**
 * The shape of a case as data: its keys, their values and whether they are required. Validation,
 * suggestions and documentation read the same tables.
 */
import type { ContractPath } from '../contract-path.ts'
import type { SpecValue } from '../lang/value.ts'
import type { ShapeProblem } from './check-shape.ts'

export type ValueShape =
  | 'any'
  | 'text'
  /** Text that is not blank. */
  | 'name'
  /** A path below the contract root. */
  | 'path'
  | 'flag'
  | 'null'
  /** Text, a number, true, false or null. */
  | 'scalar'
  | { readonly whole: { readonly min: number; readonly max?: number } }
  /** With `anyCase`, upper and lower case are the same. */
  | { readonly oneOf: readonly string[]; readonly anyCase?: true }
  | { readonly list: ValueShape; readonly atLeast?: number }
  /** A mapping of these keys and no others. */
  | { readonly mapping: Keys }
  /** A mapping of any names. */
  | { readonly mappingOf: ValueShape }
  | { readonly either: readonly ValueShape[] }

export interface KeyShape {
  readonly is: ValueShape
  /** One line, for documentation. */
  readonly describe: string
  readonly required?: boolean
  /** A custom error for a missing or blank key. */
  readonly missing?: {
    readonly message: string
    /** Absent for `schema`. */
    readonly category?: 'runtime'
    readonly hint?: string
  }
}

/** By name. */
export type Keys = Readonly<Record<string, KeyShape>>

/** Names a shape, to follow "must be" in a message. */
export function shapeName(shape: ValueShape): string {
  if (typeof shape === 'string') return names[shape]
  if ('whole' in shape) {
    const { min, max } = shape.whole
    if (max !== undefined) return `a whole number from ${min} to ${max}`
    return min > 0 ? `a whole number of at least ${min}` : 'a non-negative whole number'
  }
  if ('oneOf' in shape) return `one of ${shape.oneOf.join(', ')}`
  if ('list' in shape) return shape.atLeast ? 'a non-empty list' : 'a list'
  if ('either' in shape) return shape.either.map(shapeName).join(' or ')
  return 'a mapping'
}

const names = {
  any: 'anything',
  text: 'text',
  name: 'non-blank text',
  path: 'a path',
  flag: 'true or false',
  null: 'null',
  scalar: 'text, a number, true, false or null',
} as const

/** The shape of one type of case: its keys and the subjects of its assertions. */
export interface CaseType {
  readonly type: string
  /** One line, for documentation. */
  readonly describe: string
  /** Its own keys, beside those of every case. */
  readonly keys: Keys
  /** Its own keys under `harness`. */
  readonly harness: Keys
  /** Mistakes that span several keys. Called for a case of any shape. */
  readonly flaws?: (value: ReadonlyMap<string, SpecValue>) => readonly ShapeProblem[]
  /** The subjects it offers, besides `chain_json`. */
  readonly targets: readonly string[]
  /** More subjects, which depend on the case. */
  targetsOf?(value: ReadonlyMap<string, SpecValue>): readonly string[]
  /** A target that joins others, which a case then cannot use. */
  readonly joined?: JoinedTarget
  /** Its own values for expressions, beside `chain` and `vars`. */
  readonly values?: readonly string[]
  /** Files that it reads or writes, so that `--watch` reruns it when one changes. */
  files?(value: CaseValue): readonly ContractPath[]
  /** Locks that it takes beside those under `concurrency`. */
  locks?(value: CaseValue): readonly string[]
}

export interface JoinedTarget {
  readonly name: string
  readonly parts: readonly string[]
}

export type CaseValue = ReadonlyMap<string, SpecValue>

/** A subject of every type: the exports of the cases in its chain. */
export const chainTarget = 'chain_json'
