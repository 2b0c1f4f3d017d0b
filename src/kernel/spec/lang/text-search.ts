/**
 * Finds a part in a text. The built-in search takes the product of both lengths for some texts,
 * which for long ones is minutes; those are searched in the sum of both.
 */

/** Comparisons up to which the built-in search is waited for. */
const productMax = 100_000_000

export class TextSearch {
  readonly #text: string
  readonly #part: string
  /** For each start of the part, how much of it is a start of the part again. */
  readonly #overlaps: Int32Array | undefined

  constructor(text: string, part: string) {
    this.#text = text
    this.#part = part
    const heavy = part.length <= text.length && part.length * text.length > productMax
    this.#overlaps = heavy ? overlapsOf(part) : undefined
  }

  /** Where the part begins, from a place on; -1 when it is not there. */
  from(start: number): number {
    const overlaps = this.#overlaps
    if (overlaps === undefined) return this.#text.indexOf(this.#part, start)
    let matched = 0
    for (let at = start; at < this.#text.length; at++) {
      matched = extended(this.#part, overlaps, matched, this.#text.charCodeAt(at))
      if (matched === this.#part.length) return at - matched + 1
    }
    return -1
  }

  /** Where the part begins each time, without overlaps, until its caller has enough. */
  all(goesOn: () => boolean): number[] {
    const places: number[] = []
    let at = this.from(0)
    while (at >= 0 && goesOn()) {
      places.push(at)
      at = this.from(at + this.#part.length)
    }
    return places
  }
}

function overlapsOf(part: string): Int32Array {
  const overlaps = new Int32Array(part.length)
  for (let at = 1; at < part.length; at++) {
    overlaps[at] = extended(part, overlaps, overlaps[at - 1] as number, part.charCodeAt(at))
  }
  return overlaps
}

/** How much of the part is matched after one more character. */
function extended(part: string, overlaps: Int32Array, before: number, unit: number): number {
  let matched = before
  while (matched > 0 && part.charCodeAt(matched) !== unit) {
    matched = overlaps[matched - 1] as number
  }
  return part.charCodeAt(matched) === unit ? matched + 1 : 0
}
