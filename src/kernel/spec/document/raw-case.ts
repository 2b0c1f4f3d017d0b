/** One executable example of a document, as it was written. */
import type { SpecValue } from '../lang/value.ts'
import type { Place, Problem } from './problem.ts'

export interface RawCase {
  /** What it calls itself; a case without a usable id goes by its place. */
  readonly id: string
  /** Empty where none is given. */
  readonly type: string
  readonly file: string
  readonly line: number
  readonly column: number
  /** The whole mapping. */
  readonly value: ReadonlyMap<string, SpecValue>
  /** What was wrong with its values when they were read; its shape is looked at elsewhere. */
  readonly problems: readonly Problem[]
  /**
   * The place of the value that a path names (`assert[0].must[1]`, empty for the case), or of the
   * nearest thing around it that is there. The text is read anew for it: most cases never ask.
   */
  placeOf(path: string): Place
  /** The same, of the key. */
  keyPlaceOf(path: string): Place
}
