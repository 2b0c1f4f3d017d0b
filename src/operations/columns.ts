const indent = 2
const gap = 2
const labelColumnsMax = 28
const textColumnsMin = 24

/** Labels on the left, texts on the right, each text wrapped inside its own column. */
export function twoColumns(
  rows: readonly (readonly [label: string, text: string])[],
  columns: number,
): string {
  const widest = Math.max(0, ...rows.map(([label]) => label.length))
  const labelColumns = Math.min(widest, labelColumnsMax)
  const margin = indent + labelColumns + gap
  const textColumns = Math.max(textColumnsMin, columns - margin)
  return rows
    .map(([label, text]) => {
      const lines = wrap(text, textColumns)
      // A label wider than its column keeps a line of its own, so the texts stay aligned.
      const own = label.length > labelColumns ? [''] : []
      return [...own, ...lines]
        .map(
          (line, index) =>
            (index === 0 ? label.padEnd(labelColumns) : ' '.repeat(labelColumns)) +
            ' '.repeat(gap) +
            line,
        )
        .map(line => (' '.repeat(indent) + line).trimEnd())
        .join('\n')
    })
    .join('\n')
}

/** The text in lines of at most that many columns; a longer word keeps its own line. */
export function wrap(text: string, columns: number): string[] {
  return wrapWords(text.split(/\s+/).filter(Boolean), columns)
}

/** Like `wrap`, for words that have spaces inside and must not be broken there. */
export function wrapWords(words: readonly string[], columns: number): string[] {
  const lines: string[] = []
  for (const word of words) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= columns) {
      lines[lines.length - 1] = `${line} ${word}`
    } else {
      lines.push(word)
    }
  }
  return lines.length > 0 ? lines : ['']
}
