/** Pairs the lines of a text with the expected lines, with as few differences as possible. */
import { type ExpectedLine, lineFits, type PatternTest, type TextLine } from './expected-lines.ts'

export interface LineStep {
  /** `undefined` for a line that is not expected. */
  readonly expected?: ExpectedLine
  /** `undefined` for an expected line that is missing, and for an `(any*)` without a line. */
  readonly actual?: TextLine
}

/** A pair with a line that says nothing is the last choice before a difference. */
const difference = 4
const pairCost = ({ kind }: ExpectedLine) => (kind === 'any' || kind === 'any*' ? 1 : 0)

/** Beyond this many comparisons, all lines in the middle count as different. */
const cellsMax = 2_000_000

/** In order. A line for which an `(any*)` stands is a step of its own. */
export function alignLines(
  expected: readonly ExpectedLine[],
  actual: readonly TextLine[],
  test: PatternTest<object>,
): readonly LineStep[] {
  const fits = (one: ExpectedLine | undefined, line: TextLine | undefined) =>
    one !== undefined && line !== undefined && lineFits(line, one, test) === true
  const isPair = (want: number, at: number) =>
    !expected[want]?.kind.startsWith('any') && fits(expected[want], actual[at])
  let head = 0
  while (isPair(head, head)) head++
  const most = Math.min(expected.length, actual.length) - head
  let tail = 0
  while (tail < most && isPair(expected.length - 1 - tail, actual.length - 1 - tail)) tail++
  const pairs = (from: number, to: number, shift: number) =>
    expected.slice(from, to).map((one, at) => step(one, actual[from + at + shift]))
  const shift = actual.length - expected.length
  return [
    ...pairs(0, head, 0),
    ...middle(
      expected.slice(head, expected.length - tail),
      actual.slice(head, actual.length - tail),
      fits,
    ),
    ...pairs(expected.length - tail, expected.length, shift),
  ]
}

const step = (expected: ExpectedLine | undefined, actual: TextLine | undefined): LineStep => ({
  ...(expected && { expected }),
  ...(actual && { actual }),
})

type Fits = (one: ExpectedLine | undefined, line: TextLine | undefined) => boolean

function middle(
  expected: readonly ExpectedLine[],
  actual: readonly TextLine[],
  fits: Fits,
): readonly LineStep[] {
  const width = actual.length + 1
  if ((expected.length + 1) * width > cellsMax) {
    return [
      ...expected.map(one => step(one, undefined)),
      ...actual.map(one => step(undefined, one)),
    ]
  }
  const costs = costsOf(expected, actual, fits)
  const cost = (want: number, at: number) => costs[want * width + at] ?? 0
  const steps: LineStep[] = []
  let [want, at] = [0, 0]
  while (want < expected.length || at < actual.length) {
    const [one, line] = [expected[want], actual[at]]
    const here = cost(want, at)
    if (one?.kind === 'any*') {
      if (want < expected.length && cost(want + 1, at) === here) {
        if (steps.at(-1)?.expected !== one) steps.push(step(one, undefined))
        want++
      } else {
        steps.push(step(one, line))
        at++
      }
    } else if (one && fits(one, line) && cost(want + 1, at + 1) + pairCost(one) === here) {
      steps.push(step(one, line))
      want++
      at++
    } else if (one !== undefined && cost(want + 1, at) + difference === here) {
      steps.push(step(one, undefined))
      want++
    } else {
      steps.push(step(undefined, line))
      at++
    }
  }
  return steps
}

/** The least cost from each pair of places to the end. */
function costsOf(expected: readonly ExpectedLine[], actual: readonly TextLine[], fits: Fits) {
  const width = actual.length + 1
  const costs = new Uint32Array((expected.length + 1) * width)
  const cost = (want: number, at: number) => costs[want * width + at] ?? 0
  for (let want = expected.length; want >= 0; want--) {
    for (let at = actual.length; at >= 0; at--) {
      const [one, line] = [expected[want], actual[at]]
      const here = want * width + at
      if (one === undefined) costs[here] = (actual.length - at) * difference
      else if (one.kind === 'any*') {
        const absorbed = cost(want, at + 1) + pairCost(one)
        const none = cost(want + 1, at)
        costs[here] = fits(one, line) ? Math.min(none, absorbed) : none
      } else if (line === undefined) costs[here] = cost(want + 1, at) + difference
      else {
        const unpaired = Math.min(cost(want + 1, at), cost(want, at + 1)) + difference
        const paired = cost(want + 1, at + 1) + pairCost(one)
        costs[here] = fits(one, line) ? Math.min(paired, unpaired) : unpaired
      }
    }
  }
  return costs
}
