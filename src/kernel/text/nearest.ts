/** The candidate a person most likely meant, or `undefined` when none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map(candidate => ({ candidate, edits: edits(word, candidate) }))
    .sort((a, b) => a.edits - b.edits)
  const best = ranked[0]
  if (best && best.edits <= Math.max(1, Math.floor(word.length / 3))) return best.candidate
  const begun = candidates.filter(candidate => candidate.startsWith(word))
  return word.length > 1 && begun.length === 1 ? begun[0] : undefined
}

// The work grows with the product of the lengths, and nobody means a word this long.
const wordLengthMax = 100

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function edits(from: string, to: string): number {
  if (from.length > wordLengthMax || to.length > wordLengthMax) return Number.POSITIVE_INFINITY
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + (same ? 0 : 1),
          swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    beforeLast = last
    last = current
  }
  return at(last, to.length)
}

const at = (row: readonly number[], column: number) => row[column] ?? Number.POSITIVE_INFINITY
