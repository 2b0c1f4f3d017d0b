/** Renders the events of a run as log lines. */

import type { Page } from '../../answer.ts'
import { few } from '../../kernel/harness/run/left-work.ts'
import type { RunEvent } from '../../kernel/harness/run/run-event.ts'
import { visible } from '../../kernel/text/visible.ts'
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
    case 'worktree':
      return visible(`worktree ${event.path}: ${event.state}`)
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
    case 'waiting':
      return visible(`retries ${event.issueId} in ${spanOf(event.milliseconds)}`)
    case 'attempt.dropped':
      return visible(`does not retry ${event.issueId}: ${event.why}`)
    case 'attention':
      return `${page.ink('yellow', 'Attention')}: ${visible(event.message)}\n    → ${visible(event.next)}`
    case 'worker.ended':
      return event.message === undefined ? undefined : visible(`ends: ${event.message}`)
    default:
      return undefined
  }
}

function beforeWords({ fence, takenOverFrom }: Extract<RunEvent, { readonly event: 'claimed' }>) {
  if (takenOverFrom !== undefined) return ` (taken over from ${takenOverFrom})`
  const times = fence === 2 ? 'once' : `${fence - 1} times`
  return fence > 1 ? ` (attempted ${times} before)` : ''
}

function endedWords(
  event: Extract<RunEvent, { readonly event: 'attempt.ended' }>,
  page: Page,
): string {
  const { issueId, resultClass, failureClasses, summary, durationMs } = event
  const took = spanOf(durationMs)
  if (resultClass === 'completed')
    return `${page.ink('green', 'closed')} ${visible(issueId)} in ${took}`
  const others = failureClasses.filter(name => !resultClass.includes(name))
  const also = others.length > 0 ? ` (${few(others)})` : ''
  return `${page.ink('red', visible(resultClass))} on ${visible(`${issueId}${also} after ${took}: ${summary}`)}`
}
