/** One case of a document, as written. */
import type { SpecValue } from '../lang/value.ts'
import type { Place, Problem } from './problem.ts'

export interface RawCase {
  /** Its id. A case without a usable id is named by its place. */
  readonly id: string
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
