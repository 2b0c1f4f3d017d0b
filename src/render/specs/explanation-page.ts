/** An explanation as a person reads it. */
import type { Page } from '../../answer.ts'
import { visible, visibleLines } from '../../kernel/text/visible.ts'
import type { Explanation, Ran } from '../../project/specs/explanation.ts'

export function explanationPage(one: Explanation, ran: Ran | undefined, page: Page): string {
  const lines = [
    `${page.ink('bold', visible(one.id))}  ${visible(one.file)}:${one.line}:${one.column}`,
    ...(one.title === '' ? [] : [`  ${visible(one.title)}`]),
    `  type: ${visible(one.type)}`,
    ...chainLines(one),
    ...capabilityLines(one),
    ...budgetLines(one),
    ...one.requests.map(request => `  sends ${visible(request)}`),
    `  looks at: ${one.targets.length === 0 ? 'nothing' : one.targets.join(', ')}`,
    ...one.predicates.flatMap((_, at) => predicateLines(one, at, ran, page)),
    ...(ran ? ranLines(ran, page) : []),
  ]
  return `${lines.join('\n')}\n`
}

function chainLines({ chain, before }: Explanation): readonly string[] {
  if (chain.length === 0) return []
  return [
    `  runs first: ${before.map(visible).join(', ')}`,
    ...chain.map(({ id, runs, exports, allowContinue }) => {
      const taken = exports.map(({ name, from }) => `${name} from ${from}`)
      const takes = taken.length === 0 ? '' : `, takes ${taken.join(', ')}`
      const mayFail = allowContinue ? ', may fail' : ''
      return visible(`    step ${id}: ${runs.join(', ')}${takes}${mayFail}`)
    }),
  ]
}

function capabilityLines({ capabilities }: Explanation): readonly string[] {
  const { required, missing, whenMissing } = capabilities
  if (required.length === 0) return []
  const lacking = missing.length === 0 ? '' : `; missing: ${missing.join(', ')} (${whenMissing})`
  return [visible(`  requires: ${required.join(', ')}${lacking}`)]
}

function budgetLines({ budget }: Explanation): readonly string[] {
  if (budget === null) return []
  const { maxSteps, maxNodes, maxLiteralBytes, timeoutMs, maxDepth, maxSize } = budget
  const time = timeoutMs === 0 ? 'no time limit' : `${timeoutMs} ms`
  return [
    `  budget of a predicate: ${maxSteps} steps, ${time}, ${maxNodes} nodes, ${maxLiteralBytes} literal bytes, depth ${maxDepth}, size ${maxSize}`,
  ]
}

function predicateLines(
  { predicates }: Explanation,
  at: number,
  ran: Ran | undefined,
  page: Page,
): readonly string[] {
  const one = predicates[at]
  if (one === undefined) return []
  const { assertPath, target, expression, joined, doubts } = one
  return [
    `  ${page.ink('cyan', visible(assertPath))}  on ${visible(target)}${verdict(ran?.failures?.[at], page)}`,
    `    ${visible(expression)}`,
    ...detailsOf(ran?.failures?.[at]),
    ...(joined > 1 ? [`    fails only if all ${joined} values of its leaf hold`] : []),
    ...doubts.map(doubt => `    ${page.ink('yellow', 'doubtful')}: ${visible(doubt)}`),
  ]
}

/** Why a predicate does not hold. The head of the message repeats what the page says. */
const detailsOf = (failure: string | null | undefined): readonly string[] =>
  visibleLines(failure ?? '')
    .split('\n')
    .slice(1)
    .map(line => `  ${line}`)

function verdict(failure: string | null | undefined, page: Page): string {
  if (failure === undefined) return ''
  return `  ${failure === null ? page.ink('green', 'holds') : page.ink('red', 'does not hold')}`
}

function ranLines(ran: Ran, page: Page): readonly string[] {
  const { status, category, message, subjects = {}, demands = [], failures = [] } = ran
  const [first, ...more] = message?.split('\n') ?? []
  // The predicates above show the details.
  const shown = failures.some(one => one === message) ? [first] : [first, ...more]
  const why = message === null ? '' : `, ${category}: ${shown.join('\n    ')}`
  return [
    `  ran: ${page.ink(status === 'fail' ? 'red' : 'green', status)}${ran.failedAsExpected ? ', failed as expected' : ''}${visibleLines(why)}`,
    ...demands.map(
      ({ name, expected, actual }) =>
        `    ${visible(name)}: expected ${visible(expected)}, was ${visible(actual)}`,
    ),
    ...Object.entries(subjects).flatMap(([target, text]) => {
      const lines = visibleLines(text).split('\n')
      const name = `    ${visible(target)}:`
      return lines.length === 1
        ? [`${name} ${lines[0]}`]
        : [name, ...lines.map(line => `      ${line}`)]
    }),
  ]
}
