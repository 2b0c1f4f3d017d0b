/** A small edit of a source file that breaks one requirement: a test that cites it must go red. */
export interface Mutant {
  readonly file: string
  /** Stands once in the file. */
  readonly find: string
  readonly replace: string
  /** The test file whose tests cite the requirement. */
  readonly test: string
  /** A part of the name of the one test that must fail, where several cite the requirement. */
  readonly named?: string
}

/** By the id of the requirement that they break. */
export type Mutants = Readonly<Record<string, Mutant | readonly Mutant[]>>
