/** What differs between two texts, as `diff -u` tells it. */

const aroundLines = 3

/** The most lines to compare. A larger part is shown as removed and added. */
const cellsMax = 4_000_000

interface Edit {
  readonly mark: ' ' | '-' | '+'
  readonly line: string
}

/** Empty where nothing differs. */
export function unifiedDiff(before: string, after: string, file: string): string {
  if (before === after) return ''
  const edits = editsOf(linesOf(before), linesOf(after))
  return [`--- ${file}`, `+++ ${file}`, ...hunks(edits), ''].join('\n')
}

/** How a line ends is part of it, but is not shown. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

function editsOf(old: readonly string[], next: readonly string[]): readonly Edit[] {
  let head = 0
  while (head < old.length && head < next.length && old[head] === next[head]) head++
  let tail = 0
  const most = Math.min(old.length, next.length) - head
  while (tail < most && old.at(-1 - tail) === next.at(-1 - tail)) tail++
  const same = (lines: readonly string[]) => lines.map(line => ({ mark: ' ', line }) as const)
  return [
    ...same(old.slice(0, head)),
    ...middle(old.slice(head, old.length - tail), next.slice(head, next.length - tail)),
    ...same(old.slice(old.length - tail)),
  ]
}

function middle(old: readonly string[], next: readonly string[]): readonly Edit[] {
  if ((old.length + 1) * (next.length + 1) > cellsMax) {
    return [
      ...old.map(line => ({ mark: '-', line }) as const),
      ...next.map(line => ({ mark: '+', line }) as const),
    ]
  }
  const width = next.length + 1
  const shared = sharedLengths(old, next)
  const edits: Edit[] = []
  let [from, to] = [0, 0]
  while (from < old.length || to < next.length) {
    const [was, is] = [old[from], next[to]]
    const without = shared[(from + 1) * width + to] ?? 0
    const within = shared[from * width + to + 1] ?? 0
    if (was !== undefined && was === is) {
      edits.push({ mark: ' ', line: was })
      from++
      to++
    } else if (was !== undefined && (is === undefined || without >= within)) {
      edits.push({ mark: '-', line: was })
      from++
    } else if (is !== undefined) {
      edits.push({ mark: '+', line: is })
      to++
    }
  }
  return edits
}

/** How many lines the ends of both have in common, from each place on. */
function sharedLengths(old: readonly string[], next: readonly string[]): Uint32Array {
  const width = next.length + 1
  const shared = new Uint32Array((old.length + 1) * width)
  for (let from = old.length - 1; from >= 0; from--) {
    for (let to = next.length - 1; to >= 0; to--) {
      const at = from * width + to
      shared[at] =
        old[from] === next[to]
          ? (shared[at + width + 1] ?? 0) + 1
          : Math.max(shared[at + width] ?? 0, shared[at + 1] ?? 0)
    }
  }
  return shared
}

/** Changes with some lines of context. Changes that are close share a hunk. */
function hunks(edits: readonly Edit[]): readonly string[] {
  const isShown = edits.map((_, at) =>
    edits
      .slice(Math.max(0, at - aroundLines), at + aroundLines + 1)
      .some(({ mark }) => mark !== ' '),
  )
  const lines: string[] = []
  let [old, next] = [1, 1]
  for (let at = 0; at < edits.length; at++) {
    if (isShown[at] && !isShown[at - 1]) {
      const end = isShown.indexOf(false, at)
      const hunk = edits.slice(at, end === -1 ? undefined : end)
      const count = (mark: string) => hunk.filter(one => one.mark !== mark).length
      lines.push(`@@ -${old},${count('+')} +${next},${count('-')} @@`)
      lines.push(...hunk.map(({ mark, line }) => `${mark}${line.replace(/\r?\n$/, '')}`))
    }
    if (edits[at]?.mark !== '+') old++
    if (edits[at]?.mark !== '-') next++
  }
  return lines
}
