/** The line diff of two texts. */
import { type Hunk, lineDiff } from './line-diff.ts'
import { printHunks } from './print-hunks.ts'

/** Empty if the texts are equal. */
export const textDiff = (expected: string, actual: string): readonly Hunk[] =>
  expected === actual ? [] : lineDiff(linesOf(expected), linesOf(actual))

/**
 * Without their line feeds. A last line that has none gets the remark that `diff -u` prints below
 * it, so that it differs from the same line with a line feed.
 */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n')
  const last = lines.pop()
  return last === '' ? lines : [...lines, `${last}${noLineFeed}`]
}

const noLineFeed = '\n\\ No newline at end of file'

/** As `diff -u` prints it; empty if the texts are equal. */
export function unifiedDiff(before: string, after: string, file: string): string {
  const hunks = textDiff(before, after)
  if (hunks.length === 0) return ''
  return [`--- ${file}`, `+++ ${file}`, ...printHunks(hunks), ''].join('\n')
}
