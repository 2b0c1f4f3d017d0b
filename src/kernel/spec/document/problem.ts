/** A problem of a document or a case, with its place. */

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
