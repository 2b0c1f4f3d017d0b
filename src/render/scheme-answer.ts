/** The answer of a program. */
import type { Answer } from '../answer.ts'
import { type HostRefusal, stageOf } from '../kernel/scheme/host/host-refusal.ts'
import { visible, visibleLines } from '../kernel/text/visible.ts'
import type { SchemeResult } from '../wire/scheme/scheme-result.ts'

interface Evaluated {
  readonly refusal?: HostRefusal
  readonly failedAction?: string | undefined
  readonly value?: unknown
  readonly valueText?: string
}

type Unjudged = Omit<SchemeResult, 'result' | 'failureClasses' | 'value' | 'valueText'>

/** Exits 2 if nothing of the program could run, because it cannot be read. */
export function schemeAnswer(
  result: Unjudged,
  { refusal, failedAction, value, valueText }: Evaluated,
): Answer<SchemeResult> {
  const judged = {
    ...result,
    result: refusal ? ('rejected' as const) : ('accepted' as const),
    failureClasses: [...new Set(refusal?.failureClasses ?? [])].sort(),
    ...(value !== undefined && { value }),
    ...(valueText !== undefined && { valueText }),
  }
  if (refusal === undefined) {
    return { output: judged, yes: true, render: () => valuePage(judged) }
  }
  const { failureClasses, message, hint } = refusal
  const code = failureClasses[0] ?? 'rejected'
  const isUnread = code === 'scheme_eval.invalid_program' && result.executedCallCount === 0
  return {
    output: judged,
    yes: false,
    error: { code, message, hint },
    exitCode: isUnread ? 2 : 1,
    message: failureLines(refusal, failedAction),
    render: () => '',
  }
}

function valuePage({ valueText, effects, replayedRows }: SchemeResult): string {
  const value = valueText === undefined ? '' : `${visibleLines(valueText)}\n`
  if (replayedRows !== undefined) {
    return `${value}Replayed ${calls(replayedRows)} without a difference\n`
  }
  const lines = effects.map(({ action, resultClass }) => `  ${visible(action)}: ${resultClass}`)
  return [
    value,
    ...(effects.length > 0 ? [`${calls(effects.length)}\n`] : []),
    ...lines.map(line => `${line}\n`),
  ].join('')
}

const calls = (count: number) => `${count} host ${count === 1 ? 'call' : 'calls'}`

/** The class and the stage tell who can help: the author of the program, or a person with a policy. */
function failureLines({ failureClasses, message, hint }: HostRefusal, action?: string): string {
  const failureClass = failureClasses[0] ?? 'rejected'
  const lines = [
    ['Failure class', failureClass],
    ['Failure stage', stageOf(failureClass)],
    ...(action === undefined ? [] : [['Failed action', action]]),
    ['Diagnostic', message],
    ['Hint', hint],
  ]
  const listed = lines.map(([name, text = '']) => `  ${name}: ${visible(text)}`)
  return [`error: the program was stopped (${failureClass})`, ...listed].join('\n')
}
