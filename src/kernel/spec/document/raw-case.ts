/** One case of a document, as written. */
import type { SpecValue } from '../lang/value.ts'

export interface RawCase {
  /** Its id. A case without a usable id is named by its place. */
  readonly id: string
  /** The id comes from a heading. Such ids are unique in their document only. */
  readonly isIdDerived?: true
  /** Empty where none is given. */
  readonly type: string
  readonly file: string
  readonly line: number
  readonly column: number
  /** The whole mapping. */
  readonly value: ReadonlyMap<string, SpecValue>
  /** Problems found while reading values. The shape is checked elsewhere. */
  readonly problems: readonly Problem[]
  /**
   * The place of the value at a path (`assert[0].must[1]`, empty for the case), or of its nearest
   * existing ancestor. Parses the text again: most cases never need a place.
   */
  placeOf(path: string): Place
  /** The same for the key. */
  keyPlaceOf(path: string): Place
}

/** A position as editors show it. */
export interface Place {
  readonly file: string
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units, as editors count. */
  readonly column: number
  /** Text of the line, without its line end. */
  readonly lineText: string
}

export interface Problem {
  readonly place: Place
  readonly message: string
  /** How to fix it. */
  readonly hint?: string
  /** Stable, for programs: `yaml.duplicate_key`. */
  readonly code: string
  /** Absent for an error. A warning stops nothing. */
  readonly severity?: 'warning'
  /** The category of the failure; absent for `schema`. */
  readonly category?: 'runtime'
}

export const isError = ({ severity }: Problem): boolean => severity !== 'warning'

/** `docs/login.spec.md:12:3` */
export const placeName = ({ file, line, column }: Place): string => `${file}:${line}:${column}`
