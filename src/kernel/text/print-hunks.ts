/** Hunks as text, as `diff -u` writes them. */
import { clip } from './clean.ts'
import { counted } from './counted.ts'
import type { DiffLine, Hunk } from './line-diff.ts'
import { spelledOut } from './visible.ts'

export interface PrintLimits {
  /** Roughly, without the heads of the hunks. Lines beyond are counted, not shown. */
  readonly lines: number
  /** Characters of one line. */
  readonly chars: number
}

const noLimits: PrintLimits = { lines: Number.POSITIVE_INFINITY, chars: Number.POSITIVE_INFINITY }

/**
 * A line stays as it is. Only if it looks like a line of the other side, its white space and its
 * invisible characters are spelled out. The caller escapes what a terminal would obey.
 */
export function printHunks(
  hunks: readonly Hunk[],
  limits: PrintLimits = noLimits,
): readonly string[] {
  const printed: string[] = []
  let room = limits.lines
  let hidden = 0
  for (const hunk of hunks) {
    if (room <= 0) {
      hidden += hunk.lines.length
      continue
    }
    const runs = runsOf(withoutReturns(hunk.lines))
    printed.push(headOf(hunk))
    for (const [at, run] of runs.entries()) {
      const alike = alikeIn(run, run.mark === '-' ? runs[at + 1] : runs[at - 1])
      const shown = printRun(run, alike, limits)
      printed.push(...shown)
      room -= shown.length
    }
  }
  return hidden === 0 ? printed : [...printed, `… ${counted(hidden, 'more line')}`]
}

/** A carriage return tells nothing in a common line, nor if all changed lines have one. */
function withoutReturns(lines: readonly DiffLine[]): readonly DiffLine[] {
  const changed = lines.filter(({ mark }) => mark !== ' ')
  const isPlain = changed.every(({ line }) => line.endsWith('\r'))
  return lines.map(one =>
    isPlain || one.mark === ' ' ? { mark: one.mark, line: one.line.replace(/\r$/, '') } : one,
  )
}

/** Neighbouring lines with the same mark. */
interface Run {
  readonly mark: DiffLine['mark']
  readonly lines: string[]
}

function runsOf(lines: readonly DiffLine[]): readonly Run[] {
  const runs: Run[] = []
  for (const { mark, line } of lines) {
    const last = runs.at(-1)
    if (last?.mark === mark) last.lines.push(line)
    else runs.push({ mark, lines: [line] })
  }
  return runs
}

function headOf({ expectedFrom, actualFrom, lines }: Hunk): string {
  const count = (other: DiffLine['mark']) => lines.filter(({ mark }) => mark !== other).length
  const [expected, actual] = [count('+'), count('-')]
  // By convention an empty range names the line before it.
  const range = (from: number, size: number) => `${size === 0 ? from - 1 : from},${size}`
  return `@@ -${range(expectedFrom, expected)} +${range(actualFrom, actual)} @@`
}

/** A long run leaves room for the run of the other side. */
function printRun({ mark, lines }: Run, alike: ReadonlySet<string>, limits: PrintLimits) {
  const most = Math.max(1, Math.ceil(limits.lines / 3))
  const shown = lines.slice(0, most).flatMap(line => {
    const [text = '', ...remark] = line.split('\n')
    const start = clip(text, limits.chars)
    return [`${mark}${alike.has(bare(line)) ? spelledOut(start) : start}`, ...remark]
  })
  const more = Math.max(0, lines.length - most)
  return more === 0 ? shown : [...shown, `${mark}… ${counted(more, 'more line')}`]
}

/** The lines of a run that look like a line of the other run. */
function alikeIn({ mark, lines }: Run, other: Run | undefined): ReadonlySet<string> {
  if (mark === ' ' || other === undefined || other.mark === ' ') return new Set()
  const theirs = new Set(other.lines.map(bare))
  return new Set(lines.map(bare).filter(line => theirs.has(line)))
}

const bare = (line: string) => line.replace(/[\s\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, '')
