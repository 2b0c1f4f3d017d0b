/** Colours a line of a diff. */
import type { Page } from '../../answer.ts'

const inks = { '+': 'green', '-': 'red', '@': 'cyan' } as const

export function inkedDiff(line: string, page: Page): string {
  const ink = inks[line.charAt(0) as keyof typeof inks]
  return ink === undefined ? line : page.ink(ink, line)
}
