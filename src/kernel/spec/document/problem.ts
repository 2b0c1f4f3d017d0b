/** What is wrong with a document or a case, and where. */

/** A spot in a document as a person finds it in an editor. */
export interface Place {
  readonly file: string
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units, as editors count. */
  readonly column: number
  /** The line itself, without its end. */
  readonly lineText: string
}

export interface Problem {
  readonly place: Place
  readonly message: string
  /** What to do about it. */
  readonly hint?: string
  /** Stable, for programs: `yaml.duplicate_key`. */
  readonly code: string
  /** Absent: an error. A warning is told and stops nothing. */
  readonly severity?: 'warning'
  /** What a run calls it; absent: `schema`. */
  readonly category?: 'runtime'
}

export const isError = ({ severity }: Problem): boolean => severity !== 'warning'

/** `docs/login.spec.md:12:3` */
export const placeName = ({ file, line, column }: Place): string => `${file}:${line}:${column}`
