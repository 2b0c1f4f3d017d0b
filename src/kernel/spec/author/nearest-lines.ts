/** Finds the lines of new output that replace a text of the old output. */

const linesMax = 1000
const charsMax = 200

/** At least half of the characters must match in order. */
const likeMin = 0.5
/** Required lead over the next best candidate. */
const leadMin = 0.05

/**
 * As many lines as the text has, most similar to it and not taken. `undefined` if no choice is
 * obvious. `isTaken` is called for each line.
 */
export function nearestLines(
  text: string,
  output: string,
  isTaken: (line: string) => boolean,
): string | undefined {
  const lines = output.split(/\r?\n/)
  const wanted = text.replace(/\n$/, '').split('\n')
  if (lines.length > linesMax) return undefined
  const windows = lines
    .map((_, at) => lines.slice(at, at + wanted.length))
    .filter(some => some.length === wanted.length && some.some(line => line.trim() !== ''))
    .filter(some => !some.some(line => line !== '' && isTaken(line)))
  const [best, second] = [...new Set(windows.map(some => some.join('\n')))]
    .map(one => ({ one, like: likeness(one, wanted.join('\n')) }))
    .sort((a, b) => b.like - a.like)
  if (best === undefined) return undefined
  const isObvious =
    second === undefined || (best.like >= likeMin && best.like - second.like >= leadMin)
  return isObvious ? `${best.one}${text.endsWith('\n') ? '\n' : ''}` : undefined
}

/** From 0 to 1: the share of characters both have in the same order. */
function likeness(one: string, other: string): number {
  const [a, b] = [one.slice(0, charsMax), other.slice(0, charsMax)]
  let row = new Uint16Array(b.length + 1)
  for (let from = 0; from < a.length; from++) {
    const next = new Uint16Array(b.length + 1)
    for (let to = 0; to < b.length; to++) {
      next[to + 1] =
        a[from] === b[to] ? (row[to] ?? 0) + 1 : Math.max(row[to + 1] ?? 0, next[to] ?? 0)
    }
    row = next
  }
  return (2 * (row[b.length] ?? 0)) / Math.max(1, a.length + b.length)
}
