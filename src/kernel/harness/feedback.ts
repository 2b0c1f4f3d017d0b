/** Feedback: the last failed attempt on an issue, as the next attempt and a person read it. */
import type { Feedback, StepFailure } from '../../wire/harness/feedback.ts'
import type { StepRow } from '../../wire/harness/step-row.ts'
import { clip } from '../text/clean.ts'
import { counted } from '../text/counted.ts'
import { visible, visibleLines } from '../text/visible.ts'
import { isSuccess } from './retry/failure-class.ts'
import {
  interruptedClass,
  leaseLostClass,
  stoppedClass,
  worktreeGoneClass,
} from './step/step-decision.ts'
import { failureClassesIn, stopAction } from './step/step-row.ts'

/** How many lines of output the next attempt gets. */
export const feedbackLinesMax = 200
/** How many of them a person sees. */
export const shownLinesMax = 20

/** A minified file on one line would hide everything else. */
const lineCharsMax = 1_000

/** Classes that say nothing about the work: it was cut off. */
const cutOff: ReadonlySet<string> = new Set([
  interruptedClass,
  leaseLostClass,
  stoppedClass,
  worktreeGoneClass,
])

/**
 * The last attempt, if it failed. Attempts that were cut off are passed over, so that an interrupt
 * does not hide the failure before it.
 */
export function lastFailure(newestFirst: readonly StepRow[]): StepRow | undefined {
  const last = newestFirst.find(row => row.action !== stopAction && !isCutOff(row))
  return last && !isSuccess(last.resultClass) ? last : undefined
}

function isCutOff(row: StepRow): boolean {
  const classes = failureClassesIn(row)
  return classes.length > 0 && classes.every(name => cutOff.has(name))
}

/** Without a failure file, such as in another clone, the row is all that is known. */
export const feedbackOf = (row: StepRow, failure: StepFailure | undefined): Feedback => ({
  stepId: row.stepId,
  failureClasses: failureClassesIn(row),
  summary: typeof row.summary === 'string' ? row.summary : null,
  ...(failure ?? { command: null, lines: [], output: [], findings: [] }),
})

const escapeCode = String.fromCharCode(0x1b)
const bellCode = String.fromCharCode(0x07)
/** Colors, cursor movements and window titles. */
const terminalCodes = new RegExp(
  `${escapeCode}\\[[0-?]*[ -/]*[@-~]|${escapeCode}\\][^${bellCode}${escapeCode}]*(?:${bellCode}|${escapeCode}\\\\)`,
  'g',
)

/** The lines of an output as text: no terminal codes, no control characters, no overwritten parts. */
export function outputLines(output: string): readonly string[] {
  const lines = output.replace(terminalCodes, '').split('\n').map(readable)
  while (lines.at(-1) === '') lines.pop()
  return lines
}

function readable(line: string): string {
  const whole = line.replace(/\r+$/, '')
  // A carriage return starts the line again, as progress bars do.
  return clip(visibleLines(whole.slice(whole.lastIndexOf('\r') + 1)), lineCharsMax)
}

/** The ends of both outputs, stdout first. If they are too long, each gets at least half. */
export function lastLines(
  stdout: readonly string[],
  stderr: readonly string[],
  linesMax: number,
): readonly string[] {
  const half = Math.floor(linesMax / 2)
  const ofStderr = Math.min(stderr.length, Math.max(half, linesMax - stdout.length))
  return [...endOf(stdout, linesMax - ofStderr), ...endOf(stderr, ofStderr)]
}

interface Printed {
  readonly stdout?: { readonly tail: string }
  readonly stderr?: { readonly tail: string }
}

/** The lines of a failed command that a person sees. */
export function shownEnd({ stdout, stderr }: Printed): readonly string[] {
  const [out = [], err = []] = [stdout, stderr].map(output => outputLines(output?.tail ?? ''))
  return lastLines(out, err, shownLinesMax)
}

const endOf = (lines: readonly string[], count: number) =>
  lines.slice(Math.max(0, lines.length - count))

/** The lines of a failure that a person sees: the conflicts, or the findings, or the output. */
export function shownLines(failure: StepFailure): readonly string[] {
  const { conflicts = [], findings, lines } = failure
  if (conflicts.length > 0) {
    return conflicts.slice(0, shownLinesMax).map(({ path }) => `conflict in ${path}`)
  }
  if (findings.length > 0) return findings.slice(0, shownLinesMax)
  return endOf(lines, shownLinesMax)
}

/** The file with the whole output, or the folder of its files. */
export function outputRef({ output }: Pick<StepFailure, 'output'>): string | undefined {
  const [first, second] = output
  return second === undefined ? first : first?.slice(0, first.lastIndexOf('/'))
}

/** The part of a failure that events and answers have. */
export function failureMembers(failure: StepFailure) {
  const { command } = failure
  const shown = shownLines(failure)
  const ref = outputRef(failure)
  return {
    ...(command !== null && { exitCode: command.exitCode }),
    ...(shown.length > 0 && { lastLines: shown }),
    ...(ref !== undefined && { outputRef: ref }),
  }
}

/** The end of the output of a failed attempt and where the rest is, to print under its result. */
export function shownOutput({
  lastLines: lines = [],
  outputRef: ref,
}: {
  readonly lastLines?: readonly string[] | undefined
  readonly outputRef?: string | undefined
}): readonly string[] {
  return [
    ...lines.map(line => `| ${visible(line.replaceAll('\t', '  '))}`.trimEnd()),
    ...(ref === undefined ? [] : [`whole output: ${visible(ref)}`]),
  ]
}

/** Such as `exit code 1`. */
export function endWords({ exitCode, signal, timedOut }: NonNullable<StepFailure['command']>) {
  if (timedOut) return 'timed out'
  if (signal !== undefined) return `ended by ${signal}`
  return exitCode === null ? 'never ran' : `exit code ${exitCode}`
}

/** The text of `feedback.txt`. `where` names the files with the whole output. */
export function feedbackText(feedback: Feedback, where: readonly string[]): string {
  const { stepId, failureClasses, summary, command, conflicts = [], findings, lines } = feedback
  const { notes = [] } = feedback
  return [
    `The last attempt (step ${stepId}) failed: ${failureClasses.join(', ') || 'unknown'}`,
    ...(summary === null ? [] : [visibleLines(summary)]),
    ...(command === null
      ? []
      : ['', `Command (${command.phase}): ${visibleLines(command.command)}`, endSentence(command)]),
    ...(conflicts.length === 0 ? [] : ['', 'Files in conflict:', ...conflicts.flatMap(sides)]),
    ...(findings.length === 0 ? [] : ['', 'Findings of the gate:', ...findings.map(indented)]),
    ...(notes.length === 0 ? [] : ['', 'Not taken over:', ...notes.map(indented)]),
    ...(lines.length === 0
      ? []
      : ['', `The last ${counted(lines.length, 'line')} of its output:`, '', ...lines]),
    ...(where.length === 0 ? [] : ['', `The whole output: ${where.join(' and ')}`]),
    '',
  ].join('\n')
}

function endSentence(command: NonNullable<StepFailure['command']>): string {
  const words = endWords(command)
  if (command.timedOut) return `It ${words}.`
  if (command.signal !== undefined) return `It was ${words}.`
  return command.exitCode === null ? `It ${words}.` : `It ended with ${words}.`
}

const indented = (line: string) => `  ${visibleLines(line)}`

function sides({ path, work, target }: NonNullable<StepFailure['conflicts']>[number]): string[] {
  return [
    `  ${visibleLines(path)}`,
    ...work.map(subject => `    your commit: ${visibleLines(subject)}`),
    ...target.map(subject => `    the target's commit: ${visibleLines(subject)}`),
  ]
}
