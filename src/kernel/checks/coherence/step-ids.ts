/** Finds step ids that stand twice in a trajectory of any length, with eight bytes for each row. */

export class StepIds {
  #hashes = new Float64Array(1024)
  #count = 0

  add(stepId: string): void {
    if (this.#count === this.#hashes.length) {
      const grown = new Float64Array(this.#hashes.length * 2)
      grown.set(this.#hashes)
      this.#hashes = grown
    }
    this.#hashes[this.#count++] = hashOf(stepId)
  }

  /** A test for ids that may be repeated. Another id can share a hash, so its caller compares. */
  suspects(): ((stepId: string) => boolean) | undefined {
    const sorted = this.#hashes.subarray(0, this.#count).sort()
    const repeated = new Set<number>()
    for (let at = 1; at < sorted.length; at++) {
      const hash = sorted[at] ?? 0
      if (hash === sorted[at - 1]) repeated.add(hash)
      if (repeated.size === suspectsMax) break
    }
    return repeated.size === 0 ? undefined : stepId => repeated.has(hashOf(stepId))
  }
}

/** A trajectory with more repeated ids was copied as a whole, and the first ones tell that. */
const suspectsMax = 1_000

/** 53 bits, the most that a number holds exactly. */
function hashOf(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0)
}
