/** How values are written in messages: bounded, and readable at a terminal. */
import { clip } from '../../text/clean.ts'
import { counted } from '../../text/counted.ts'
import type { Secrets } from '../../text/secrets.ts'
import { quotedText, withShapes } from '../../text/visible.ts'
import { unlimitedMeter } from '../lang/meter.ts'
import { printText } from '../lang/print-value.ts'
import type { SpecValue } from '../lang/value.ts'

/** Text as it is, any other value as JSON of any depth. */
export function textOf(value: SpecValue): string {
  const text = printText(value, unlimitedMeter())
  return typeof text === 'string' ? text : ''
}

/** Texts in quotes, other values as JSON: 3 is not "3". */
export const writingOf = (value: SpecValue) => (typeof value === 'string' ? quotedText : withShapes)

const charsMax = 400
const aroundChars = 120

/** Keeps the start and the end. Texts are quoted; JSON is already on one line. */
export function shortened(
  text: string,
  written: (part: string) => string = quotedText,
  most = charsMax,
): string {
  if (text.length <= most) return written(text)
  const half = most >> 1
  const cut = text.length - 2 * half
  return `${written(text.slice(0, half))} … ${cut} characters … ${written(text.slice(-half))}`
}

/** The text around an offset, and how much is left out. */
export function shortenedAround(
  text: string,
  at: number | undefined,
  written: (part: string) => string,
): string {
  if (text.length <= charsMax || at === undefined) return shortened(text, written)
  const start = Math.max(0, Math.min(at - aroundChars, text.length - charsMax))
  const end = Math.min(text.length, start + charsMax)
  const before = start > 0 ? `… ${start} characters … ` : ''
  const after = end < text.length ? ` … ${text.length - end} characters …` : ''
  return `${before}${written(text.slice(start, end))}${after}`
}

/** True if a text reads better as lines than in quotes. */
export const hasLines = (value: SpecValue): value is string =>
  typeof value === 'string' && value.trimEnd().includes('\n')

/**
 * `name: value`, or the lines of a text below its name. `at` is an offset of interest: what is
 * shown of a long value lies around it.
 */
export function writtenValue(name: string, value: SpecValue, at?: number): readonly string[] {
  if (hasLines(value)) return [`${name}:`, ...blockOf(value, at).map(line => `  ${line}`)]
  return [`${name}: ${shortenedAround(textOf(value), at, writingOf(value))}`]
}

/** The value without a name. Lines of a text have a bar in front. */
export const writtenText = (value: SpecValue): string =>
  hasLines(value) ? blockOf(value).join('\n') : shortened(textOf(value), writingOf(value))

const linesShown = 20
const lineCharsMax = 200
/** Lines shown before the cut. The end of an output tells more than its start. */
const headLines = 8

function blockOf(text: string, at?: number): readonly string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const shown = (from: number, to?: number) =>
    lines.slice(from, to).map(line => `| ${withShapes(clip(line, lineCharsMax))}`)
  const omitted = (count: number) => (count > 0 ? [`… ${counted(count, 'line')} …`] : [])
  if (lines.length <= linesShown) return shown(0)
  if (at === undefined) {
    const tail = lines.length - (linesShown - headLines)
    return [...shown(0, headLines), ...omitted(tail - headLines), ...shown(tail)]
  }
  const line = text.slice(0, at).split('\n').length - 1
  const from = Math.max(0, Math.min(line - headLines, lines.length - linesShown))
  const to = from + linesShown
  return [...omitted(from), ...shown(from, to), ...omitted(lines.length - to)]
}

/** The output of a command: of each stream, or of both together. */
export type CommandOutput = SeparateOutputs | { readonly output: string }

export interface SeparateOutputs {
  readonly stdout: string
  readonly stderr: string
}

/** Blank streams are left out. */
export const writtenOutput = (streams: CommandOutput): readonly string[] =>
  Object.entries(streams)
    .filter(([, text]) => text.trim() !== '')
    .flatMap(([name, text]) => writtenValue(name, text))

const outputCharsMax = 8_192

/** The end of each stream, for reports. */
export const keptOutput = (streams: CommandOutput): CommandOutput =>
  eachStream(streams, text => text.slice(-outputCharsMax).toWellFormed())

/** Secrets must be hidden before a part is cut off: half a secret is still a leak. */
export const hiddenOutput = (streams: CommandOutput, secrets: Secrets): CommandOutput =>
  eachStream(streams, text => secrets.text(text))

/** The same for a command that was ended, or of whose output only the end is kept. */
export const hiddenCutOutput = (streams: CommandOutput, secrets: Secrets): CommandOutput =>
  eachStream(streams, text => secrets.cutText(text))

const eachStream = (streams: CommandOutput, change: (text: string) => string): CommandOutput =>
  'output' in streams
    ? { output: change(streams.output) }
    : { stdout: change(streams.stdout), stderr: change(streams.stderr) }
