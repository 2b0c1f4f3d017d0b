/** Renders the events of a run as log lines. */
import type { Page } from '../../answer.ts'
import { shownOutput } from '../../kernel/harness/feedback.ts'
import { shortList } from '../../kernel/harness/run/remaining-work.ts'
import type { RunEvent, RunSummary } from '../../kernel/harness/run/run-event.ts'
import { parkedCount } from '../../kernel/harness/run/run-session.ts'
import { reviewClass } from '../../kernel/harness/step/step-decision.ts'
import { failureClassOf } from '../../kernel/harness/step/step-words.ts'
import { lostWords } from '../../kernel/landing/lacking-work.ts'
import { visible } from '../../kernel/text/visible.ts'
import type { FailedIssue } from '../../wire/run/run-event.ts'
import { clockTime, spanOf } from '../durations.ts'

/** Some events have no line. */
export const hasLine = (event: RunEvent): boolean => wordsOf(event, plain) !== undefined

const plain: Page = { columns: 80, ink: (_ink, text) => text }

export function runLine(event: RunEvent, at: bigint, page: Page): string {
  const text = wordsOf(event, page) ?? ''
  const who = 'workerId' in event && event.workerId !== undefined ? `${event.workerId}  ` : ''
  return `${page.ink('dim', clockTime(at))}  ${visible(who)}${text}`
}

function wordsOf(event: RunEvent, page: Page): string | undefined {
  switch (event.event) {
    case 'run.started': {
      const { workers, open, parallel } = event
      const count = `${workers.length} worker${workers.length === 1 ? '' : 's'}`
      return visible(
        `${count}, ${parallel} in parallel, ${open} open issue${open === 1 ? '' : 's'}`,
      )
    }
    case 'note':
      return visible(event.message)
    case 'recovered':
      return visible(`recovered ${event.stepId}: ${event.how}`)
    case 'claimed':
      return visible(`claims ${event.issueId}: ${event.title}${beforeWords(event)}`)
    case 'phase':
      return page.ink('dim', visible(`${event.phase}: ${event.command}`))
    case 'attempt.ended':
      return endedWords(event, page)
    case 'restacked':
      return visible(`verifies ${event.issueId} again: the commit below it did not land`)
    case 'waiting':
      return visible(`retries ${event.issueId}${delayWords(event.milliseconds)}`)
    case 'attempt.dropped':
      return visible(`does not retry ${event.issueId}: ${event.why}`)
    case 'attention':
      return `${page.ink('yellow', 'Attention')}: ${visible(event.message)}\n    → ${visible(event.next)}`
    case 'request':
      return requestWords[event.request]
    case 'worker.ended':
      return event.message === undefined ? undefined : visible(`ends: ${event.message}`)
    default:
      return undefined
  }
}

const requestWords = {
  pause: 'paused: no step starts until premath run --resume',
  drain: 'draining: no step starts any more, and the run ends after the running ones',
  resume: 'resumed',
} as const

function beforeWords({ fence, takenOverFrom }: Extract<RunEvent, { readonly event: 'claimed' }>) {
  if (takenOverFrom !== undefined) return ` (taken over from ${takenOverFrom})`
  const times = fence === 2 ? 'once' : `${fence - 1} times`
  return fence > 1 ? ` (attempted ${times} before)` : ''
}

const delayWords = (milliseconds: number) =>
  milliseconds === 0 ? '' : ` in ${spanOf(milliseconds)}`

function endedWords(
  event: Extract<RunEvent, { readonly event: 'attempt.ended' }>,
  page: Page,
): string {
  const { issueId, resultClass, failureClasses, summary, durationMs } = event
  const took = spanOf(durationMs)
  if (resultClass === 'completed')
    return `${page.ink('green', 'closed')} ${visible(issueId)} in ${took}${landedWords(event)}`
  if (resultClass === reviewClass)
    return `${page.ink('green', 'verified')} ${visible(issueId)} in ${took}, in review`
  const others = failureClasses.filter(name => !resultClass.includes(name))
  const also = others.length > 0 ? ` (${shortList(others)})` : ''
  const head = `${page.ink('red', visible(failureClassOf(resultClass)))} on ${visible(`${issueId}${also} after ${took}: ${summary}`)}`
  return [head, ...shownOutput(event).map(line => page.ink('dim', `    ${line}`))].join('\n')
}

function landedWords({ landed }: Extract<RunEvent, { readonly event: 'attempt.ended' }>): string {
  return landed ? visible(`, landed on ${landed.target} as ${landed.commit.slice(0, 9)}`) : ''
}

/** Delivers the events of a run to one reader, in order and without loss. */
export class RunFeed<T> implements AsyncIterable<T> {
  readonly #ready: T[] = []
  #wake: () => void = () => {}
  #isOver = false

  push(event: T): void {
    this.#ready.push(event)
    this.#wake()
  }

  end(): void {
    this.#isOver = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (;;) {
      const next = this.#ready.shift()
      if (next !== undefined) yield next
      else if (this.#isOver) return
      else {
        await new Promise<void>(settle => {
          this.#wake = settle
        })
      }
    }
  }
}

const whyWords = {
  done: 'every issue is closed',
  idle: 'no open issue can be claimed',
  budget: 'the budget is used up',
  stopped: 'it was stopped',
  drained: 'it was draining, and its last step has ended',
  cycle: 'active issues form a dependency cycle',
  environment: 'a command could not run',
  failed: 'no worker could continue',
} as const

/** The state of a run that was asked for it. */
export const stateWords = { pause: 'paused', drain: 'draining' } as const

/** Renders the summary at the end of a run. */
export function summaryPage(summary: RunSummary, page: Page): string {
  const {
    why,
    closed,
    inReview = [],
    failed,
    parked = [],
    refused,
    lost,
    lacking,
    steps,
    milliseconds,
    attention,
    nextStep,
    request,
  } = summary
  const left = summary.left ?? 'unknown'
  const isLacking = why === 'done' && lacking !== undefined
  const word =
    failed.length + parked.length + refused.length + lost.length > 0 ||
    why === 'failed' ||
    why === 'environment' ||
    why === 'cycle' ||
    isLacking
      ? 'red'
      : 'green'
  return [
    `${page.ink(word, 'Run ended')}: ${isLacking ? lostWords(lacking.issues, lacking.target) : whyWords[why]}${request && why !== 'drained' ? ` (${stateWords[request]})` : ''}`,
    `  ${closed.length} closed, ${inReview.length > 0 ? `${inReview.length} in review, ` : ''}${failed.length} failed, ${refused.length} refused, ${parkedCount(parked)}${lost.length > 0 ? `${lost.length} lost, ` : ''}${left} left; ${steps} step${steps === 1 ? '' : 's'} in ${spanOf(milliseconds)}`,
    ...failed.flatMap(issue => issueLines('failed', issue)),
    ...parked.flatMap(issue => issueLines('waits to land:', issue)),
    ...refused.flatMap(issue => issueLines('refused', issue)),
    ...lost.flatMap(issue => issueLines('lost', issue)),
    ...(attention > 0
      ? [
          `  ${attention} ${attention === 1 ? 'event needs' : 'events need'} attention: .premath/harness_attention.jsonl`,
        ]
      : []),
    page.ink('dim', `  Next: ${visible(nextStep)}`),
    '',
  ].join('\n')
}

const issueLines = (word: string, { issueId, failureClasses, summary }: FailedIssue) => [
  visible(`  ${word} ${issueId}: ${shortList(failureClasses)}`),
  visible(`    ${summary}`),
]
