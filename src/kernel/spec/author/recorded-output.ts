/** Derives the expectation of a case from two runs: their output, or the part that both share. */
import { type MaskedFolders, type MaskName, masksNamed, withMask } from '../case/masks.ts'
import { alignLines, type LineStep } from '../lang/align-lines.ts'
import {
  type ExpectedLine,
  escapedGlob,
  linesOf,
  type TextLine,
  writtenLine,
} from '../lang/expected-lines.ts'

export type OutputName = 'stdout' | 'stderr'

/** The assertion about one output. */
export interface RecordedOutput {
  readonly target: OutputName
  readonly op: 'equal' | 'lines'
  readonly text: string
}

/** A line of a block that accepts more than the line that was seen. */
export interface LooseLine {
  readonly from: OutputName
  /** As the block has it. */
  readonly text: string
  readonly why: 'changed' | 'too_long'
}

export interface RecordedOutputs {
  readonly masks: readonly MaskName[]
  readonly outputs: readonly RecordedOutput[]
  readonly loose: readonly LooseLine[]
}

export type SeenOutputs = Readonly<Record<OutputName, string>>

/** A longer text is not readable in a document. Of more output the first part is recorded. */
export const recordedCharsMax = 65_536

export function recordedOutputs(
  first: SeenOutputs,
  second: SeenOutputs,
  folders: MaskedFolders,
): RecordedOutputs {
  const names: readonly OutputName[] = ['stdout', 'stderr']
  const pairs = names.map(name => [first[name], second[name]] as const)
  const masks = neededMasks(pairs, folders)
  const recorded = names.map((name, at) => {
    const [one, other] = pairs[at] ?? ['', '']
    const texts = [one, other].map(text => masked(text, masks, folders)) as [string, string]
    return outputOf(name, texts, one === other)
  })
  return {
    masks,
    outputs: recorded.map(({ output }) => output),
    loose: recorded.flatMap(({ loose }) => loose),
  }
}

export const masked = (text: string, masks: readonly MaskName[], folders: MaskedFolders): string =>
  masks.flatMap(name => masksNamed(name, folders)).reduce(withMask, text)

type Pair = readonly [string, string]

/** Two runs can fall into the same second, the next run will not. */
const clock = /\b\d{2}:\d{2}:\d{2}\b|\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/

/** A folder of this machine, and what makes two runs more alike. */
export function neededMasks(pairs: readonly Pair[], folders: MaskedFolders): readonly MaskName[] {
  const needed: MaskName[] = []
  for (const name of ['root', 'temp', 'times', 'durations', 'addresses'] as const) {
    const before = pairs.map(([one, other]) => [
      masked(one, needed, folders),
      masked(other, needed, folders),
    ])
    const after = before.map(texts => texts.map(text => masked(text, [name], folders)))
    const isChanging = after.some((texts, at) =>
      texts.some((text, to) => text !== before[at]?.[to]),
    )
    const isCertain =
      name === 'root' || (name === 'times' && before.flat().some(text => clock.test(text)))
    const helps = differences(after) < differences(before)
    if (isChanging && (isCertain || helps)) needed.push(name)
  }
  return needed
}

/** The number of lines that are not the same in both texts at the same place. */
const differences = (pairs: readonly (readonly string[])[]): number =>
  pairs.reduce((sum, [one = '', other = '']) => {
    const [lines, others] = [one.split('\n'), other.split('\n')]
    const common = lines.filter((line, at) => line === others[at]).length
    return sum + Math.max(lines.length, others.length) - common
  }, 0)

interface Recorded {
  readonly output: RecordedOutput
  readonly loose: readonly LooseLine[]
}

function outputOf(target: OutputName, [one, other]: Pair, isSame: boolean): Recorded {
  const isShort = one.length <= recordedCharsMax
  if (isSame && isShort) return { output: { target, op: 'equal', text: one }, loose: [] }
  const lines = isShort ? commonLines(one, other) : firstLines(one, other)
  const text = lines.map(({ written }) => `${written}\n`).join('')
  const loose = lines.flatMap(({ written, why }) =>
    why === undefined ? [] : [{ from: target, text: written, why }],
  )
  return { output: { target, op: 'lines', text }, loose }
}

interface BlockLine {
  readonly written: string
  readonly why?: LooseLine['why']
}

function commonLines(one: string, other: string): readonly BlockLine[] {
  const seen = linesOf(one).map(
    (line): ExpectedLine => ({ ...line, kind: 'literal', written: writtenLine(line) }),
  )
  const steps = alignLines(seen, linesOf(other), () => false)
  const lines: BlockLine[] = []
  for (let at = 0; at < steps.length; ) {
    const run = steps.slice(at).findIndex(isPair)
    const differing = steps.slice(at, run === -1 ? undefined : at + run)
    lines.push(...loosened(differing))
    at += differing.length
    const pair = steps[at]
    if (pair?.expected !== undefined) lines.push({ written: pair.expected.written })
    at++
  }
  return lines
}

const isPair = ({ expected, actual }: LineStep) => expected !== undefined && actual !== undefined

/** As many lines in both runs are compared one by one. */
function loosened(steps: readonly LineStep[]): readonly BlockLine[] {
  const seen = steps.flatMap(({ expected }) => (expected ? [expected] : []))
  const others = steps.flatMap(({ actual }) => (actual ? [actual] : []))
  if (seen.length === 0 && others.length === 0) return []
  if (seen.length !== others.length) return [{ written: '(any*)', why: 'changed' }]
  return seen.map(({ text, isOpen }, at) => ({
    written: loosenedLine(text, others[at], isOpen),
    why: 'changed',
  }))
}

const tokens = (text: string): readonly string[] => text.match(/\w+|\s+|[^\w\s]/gu) ?? []

/** The start and the end that both lines share, in whole words. */
function loosenedLine(one: string, other: TextLine | undefined, isOpen: boolean): string {
  const end = isOpen && other?.isOpen ? ' (no-eol)' : ''
  const [a, b] = [tokens(one), tokens(other?.text ?? '')]
  const most = Math.min(a.length, b.length)
  let head = 0
  while (head < most && a[head] === b[head]) head++
  let tail = 0
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  const start = a.slice(0, head).join('')
  const rest = a.slice(a.length - tail).join('')
  if (!/\S/.test(start + rest)) return `${one} (any)${end}`
  return `${escapedGlob(start)}*${escapedGlob(rest)} (glob)${end}`
}

const firstCharsMax = 16_384

/** The first lines that both runs have. */
function firstLines(one: string, other: string): readonly BlockLine[] {
  const others = linesOf(other)
  const lines: BlockLine[] = []
  let chars = 0
  for (const [at, line] of linesOf(one).entries()) {
    chars += line.text.length
    if (chars > firstCharsMax || line.text !== others[at]?.text) break
    lines.push({ written: writtenLine({ ...line, isOpen: false }) })
  }
  return [...lines, { written: '(any*)', why: 'too_long' }]
}
