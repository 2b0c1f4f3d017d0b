/** Renders the problems of specs. */

import type { CommandError } from '../../answer.ts'
import { caretText } from '../../kernel/spec/document/caret.ts'
import { isError, type Problem, placeName } from '../../kernel/spec/document/raw-case.ts'
import { counted } from '../../kernel/text/counted.ts'
import type { SpecProblem } from '../../wire/spec/spec-report.ts'

/** A person reads only the first ones. */
const shownMax = 50

export function problemJson({ place, code, message, hint, severity }: Problem): SpecProblem {
  return {
    code,
    severity: severity ?? 'error',
    message,
    ...(hint !== undefined && { hint }),
    file: place.file,
    line: place.line,
    column: place.column,
  }
}

/** Orders by document, then by line and column. */
export function byPlace({ place: a }: Problem, { place: b }: Problem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.line - b.line || a.column - b.column
}

/** Place and message, the line with a caret, and what to do. */
export function problemText(problem: Problem, columns?: number): string {
  const { place, code, message, hint } = problem
  const caret = caretText(problem, columns === undefined ? undefined : columns - margin.length)
  const head = `${isError(problem) ? 'error' : 'warning'}: ${whereOf(place)}: ${message} (${code})`
  return [head, ...caret.split('\n').filter(Boolean), ...(hint === undefined ? [] : [hint])].join(
    `\n${margin}`,
  )
}

/** A document that could not be opened has no line to name. */
const whereOf = (place: Problem['place']) =>
  place.lineText === '' && place.line === 1 ? place.file : placeName(place)

const margin = '  '

/** The first problem, as the error of a command that could not read its documents. */
export function problemsError(problems: readonly Problem[]): { readonly error?: CommandError } {
  const [first] = problems
  if (first === undefined) return {}
  const { code, hint, place } = first
  const message = `${whereOf(place)}: ${first.message}`
  return { error: { code, message, ...(hint !== undefined && { hint }) } }
}

/** The first problems as text; `undefined` if there are none. */
export function problemsMessage(
  problems: readonly Problem[],
  columns?: number,
): string | undefined {
  if (problems.length === 0) return undefined
  const lines = problems.slice(0, shownMax).map(one => problemText(one, columns))
  const more = problems.length - lines.length
  return [...lines, ...(more > 0 ? [`${counted(more, 'more problem')}; --json has all`] : [])].join(
    '\n',
  )
}
