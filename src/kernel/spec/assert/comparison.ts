/** How an expected value and the actual one differ. */
import { type DiffLine, lineDiff } from '../../text/line-diff.ts'
import { type PrintLimits, printHunks } from '../../text/print-hunks.ts'
import { textDiff } from '../../text/text-diff.ts'
import { areEqual } from '../lang/equality.ts'
import { unlimitedMeter } from '../lang/meter.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { indentedJson } from './indented-json.ts'
import { hasLines, shortenedAround, textOf, writingOf, writtenValue } from './written-value.ts'

/** The relation of a value to an expected one, in words. */
export type Relation = 'to equal' | 'to match' | 'to be of the type' | PartRelation

type PartRelation = 'to contain' | 'to start with' | 'to end with'

export interface Comparison {
  readonly lines: readonly string[]
  /** The lines of a diff among them. */
  readonly diff?: readonly string[]
}

export const diffLimits: PrintLimits = { lines: 60, chars: 200 }

/** `what` names the actual value, if it is not the subject itself. */
export function comparison(
  relation: Relation,
  expected: SpecValue,
  actual: SpecValue,
  what = '',
): Comparison {
  const words = what === '' ? relation : `${what} ${relation}`
  const diff = diffOf(relation, expected, actual)
  if (diff.length > 0) {
    const lines = [
      `expected: ${words} these lines (- expected, + actual)`,
      ...diff.map(line => `  ${line}`),
    ]
    return { lines, diff }
  }
  const [wanted, there] = [textOf(expected), textOf(actual)]
  const isWhole = relation === 'to equal' || relation === 'to start with'
  const at = isWhole ? differenceAt(there, wanted) : likelyPlace(there, wanted)
  const lines = [
    ...(hasLines(expected)
      ? writtenValue(`expected: ${words}`, expected)
      : [
          `expected: ${words} ${shortenedAround(wanted, isWhole ? at : undefined, writingOf(expected))}`,
        ]),
    ...writtenValue('actual', actual, at),
    ...(relation === 'to equal' && differInKind(expected, actual) ? [kindsDiffer] : []),
  ]
  return { lines }
}

/** An easy mistake: the comparison fails, but `eq` would hold. */
const differInKind = (expected: SpecValue, actual: SpecValue) =>
  areEqual(expected, actual, unlimitedMeter())

const kindsDiffer = 'only the number types differ: 1.0 is not an integer; eq compares by value'

/** Empty if one line each tells the difference as well. */
function diffOf(relation: Relation, expected: SpecValue, actual: SpecValue): readonly string[] {
  if (relation === 'to equal') {
    if (isContainer(expected) && isContainer(actual)) return jsonDiff(expected, actual)
    if (typeof expected !== 'string' || typeof actual !== 'string') return []
    if (!hasLines(expected) && !hasLines(actual)) return []
    return printHunks(textDiff(expected, actual), diffLimits)
  }
  if (relation === 'to match' || relation === 'to be of the type') return []
  if (!hasLines(expected) || typeof actual !== 'string') return []
  return partDiff(relation, expected, actual)
}

const isContainer = (value: SpecValue) => isList(value) || isMapping(value)

/** A value that fits into a line is easier to read there. */
const jsonCharsMin = 72

function jsonDiff(expected: SpecValue, actual: SpecValue): readonly string[] {
  if (Math.max(textOf(expected).length, textOf(actual).length) < jsonCharsMin) return []
  return printHunks(textDiff(indentedJson(expected), indentedJson(actual)), diffLimits)
}

/**
 * The actual lines before and after the expected ones are no difference. Empty if no line is
 * common: then nothing tells where the text was expected.
 */
function partDiff(relation: PartRelation, expected: string, actual: string): readonly string[] {
  const wanted = expected.split('\n')
  const last = wanted.length - 1
  const diff = (there: readonly string[]) =>
    // The first and the last line may be a part of a line.
    lineDiff(wanted, there, (at, to) => {
      const [one = '', other = ''] = [wanted[at], there[to]]
      if (at === 0 && relation !== 'to start with') return other.endsWith(one)
      return at === last && relation !== 'to end with' ? other.startsWith(one) : other === one
    })
  const there = actual.split('\n')
  const hunks = diff(there)
  const removed = hunks.flatMap(({ lines }) => lines.filter(({ mark }) => mark === '-'))
  const isText = (line: string) => line.trim() !== ''
  const missing = removed.filter(({ line }) => isText(line)).length
  if (missing === wanted.filter(isText).length) return []
  const from = relation === 'to start with' ? 0 : surplus(hunks[0]?.lines ?? [])
  const after = relation === 'to end with' ? 0 : surplus((hunks.at(-1)?.lines ?? []).toReversed())
  const part = diff(there.slice(from, there.length - after))
  const placed = part.map(hunk => ({ ...hunk, actualFrom: hunk.actualFrom + from }))
  return printHunks(placed, diffLimits)
}

/** The added lines at the start that replace no removed line. */
function surplus(lines: readonly DiffLine[]): number {
  const end = lines.findIndex(({ mark }) => mark === ' ')
  const changed = end === -1 ? lines : lines.slice(0, end)
  const count = (mark: DiffLine['mark']) => changed.filter(one => one.mark === mark).length
  return Math.max(0, count('+') - count('-'))
}

/** The offset of the first difference. */
function differenceAt(text: string, wanted: string): number {
  const shared = Math.min(text.length, wanted.length)
  for (let at = 0; at < shared; at++) {
    if (text.charCodeAt(at) !== wanted.charCodeAt(at)) return at
  }
  return shared
}

/** The offset of the longest prefix of the expected text, within a search limit. */
function likelyPlace(text: string, wanted: string): number | undefined {
  let [least, most] = [3, Math.min(wanted.length, 64)]
  while (least < most) {
    const length = (least + most + 1) >> 1
    if (text.includes(wanted.slice(0, length))) least = length
    else most = length - 1
  }
  return least > 3 ? text.indexOf(wanted.slice(0, least)) : undefined
}
