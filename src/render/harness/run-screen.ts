/**
 * The live screen of a run: one line per worker, the landing queue and a progress bar, computed from
 * its events only.
 */

import type { Page } from '../../answer.ts'
import type { RunEvent } from '../../kernel/harness/run/run-event.ts'
import { reviewClass } from '../../kernel/harness/step/step-decision.ts'
import { cut, widthOf } from '../../kernel/text/text-width.ts'
import { visible } from '../../kernel/text/visible.ts'
import { instantOf } from '../../kernel/timestamp.ts'
import type { FailedIssue } from '../../wire/run/run-event.ts'
import { spanOf } from '../durations.ts'
import { stateWords } from './run-lines.ts'

interface WorkerLine {
  issueId: string | undefined
  phase: string
  since: bigint
  leaseEnd: bigint | undefined
  output: string
}

type Queued = Pick<Extract<RunEvent, { readonly event: 'queue' }>, 'issueId' | 'state'>

const barColumns = 24

export class RunScreen {
  readonly #workers = new Map<string, WorkerLine>()
  /** By worker, since each has one issue in the queue at most; the first one lands first. */
  readonly #queue = new Map<string, Queued>()
  readonly #closed = new Set<string>()
  readonly #failed = new Set<string>()
  #open = 0
  #began: bigint | undefined
  #steps = ''
  /** Paused or draining. */
  #state = ''

  take(event: RunEvent, at: bigint): void {
    this.#began ??= at
    if (event.event === 'run.started') this.#begin(event, at)
    if (event.event === 'request') {
      this.#state = event.request === 'resume' ? '' : `${stateWords[event.request]}, `
    }
    if (event.event === 'attempt.ended' || event.event === 'recovered') this.#count(event)
    this.#move(event)
    const line = 'workerId' in event ? this.#workers.get(event.workerId ?? '') : undefined
    if (line) move(line, event, at)
  }

  #begin(event: Extract<RunEvent, { readonly event: 'run.started' }>, at: bigint): void {
    this.#open = event.open
    const { maxSteps } = event.budget
    this.#steps = maxSteps === undefined ? '' : `, at most ${maxSteps} steps`
    for (const { workerId } of event.workers) {
      const idle = {
        issueId: undefined,
        phase: 'starting',
        since: at,
        leaseEnd: undefined,
        output: '',
      }
      this.#workers.set(workerId, idle)
    }
  }

  /** An issue keeps its place while its state changes, and leaves when its attempt ends. */
  #move(event: RunEvent): void {
    switch (event.event) {
      case 'queue':
        this.#queue.set(event.workerId, event)
        break
      case 'claimed':
      case 'attempt.ended':
      case 'attempt.dropped':
      case 'worker.ended':
        this.#queue.delete(event.workerId)
    }
  }

  #count({ issueId, resultClass }: Pick<FailedIssue, 'issueId' | 'resultClass'>): void {
    if (resultClass === 'completed') {
      this.#closed.add(issueId)
      this.#failed.delete(issueId)
    } else if (resultClass !== reviewClass) this.#failed.add(issueId)
  }

  lines(page: Page, now: bigint): readonly string[] {
    const all = [...this.#workers].map(([workerId, line]) => workerLine(workerId, line, now, page))
    const queue = this.#queueLines(page)
    const room = Math.max(1, (page.rows ?? Number.POSITIVE_INFINITY) - 3 - queue.length)
    const shown =
      all.length > room ? [...all.slice(0, room - 1), `… and ${all.length - room + 1} more`] : all
    return [...shown, ...queue, this.#bar(now, page)]
  }

  #queueLines(page: Page): readonly string[] {
    // On a page of a few rows the workers and the bar are worth more.
    if (this.#queue.size === 0 || (page.rows ?? Number.POSITIVE_INFINITY) < 5) return []
    const places = [...this.#queue.values()].map(({ issueId, state }) => `${issueId} (${state})`)
    return [cut(visible(`to land, in order: ${places.join(', ')}`), page.columns)]
  }

  #bar(now: bigint, page: Page): string {
    const done = this.#closed.size
    const whole = Math.max(this.#open, done)
    const full = whole === 0 ? 0 : Math.round((done / whole) * barColumns)
    const bar = `${page.ink('green', '━'.repeat(full))}${page.ink('dim', '─'.repeat(barColumns - full))}`
    const failed = this.#failed.size > 0 ? page.ink('red', `, ${this.#failed.size} not closed`) : ''
    const spent = spanOf(milliseconds(now - (this.#began ?? now)))
    const state = this.#state === '' ? '' : page.ink('yellow', this.#state)
    return `${bar} ${state}${done} of ${whole} closed${failed}, ${spent}${this.#steps}`
  }
}

const milliseconds = (span: bigint) => Number(span / 1_000_000n)

function move(line: WorkerLine, event: RunEvent, at: bigint): void {
  switch (event.event) {
    case 'claimed':
      Object.assign(line, { issueId: event.issueId, phase: 'claimed', since: at, output: '' })
      line.leaseEnd = instantOf(event.leaseExpiresAt)
      break
    case 'lease.renewed':
      line.leaseEnd = instantOf(event.leaseExpiresAt)
      break
    case 'phase':
      Object.assign(line, { phase: event.phase, since: at, output: '' })
      break
    case 'output':
      line.output = event.line
      break
    case 'queue':
      // The command that ran before has ended, and the next phase comes with its own event.
      if (event.state !== 'verifying')
        Object.assign(line, { phase: 'queued', since: at, output: '' })
      break
    case 'waiting':
      Object.assign(line, { phase: 'waiting', since: at })
      break
    case 'attempt.ended':
      Object.assign(line, { phase: 'ended', since: at, output: event.resultClass })
      if (!event.resultClass.startsWith('retry_needed')) line.leaseEnd = undefined
      break
    case 'worker.ended':
      Object.assign(line, { issueId: undefined, phase: 'finished', since: at, leaseEnd: undefined })
      line.output = event.message ?? ''
  }
}

function workerLine(workerId: string, line: WorkerLine, now: bigint, page: Page): string {
  const { issueId, phase, since, leaseEnd, output } = line
  const elapsed = spanOf(milliseconds(now - since)).padStart(7)
  const lease = leaseEnd === undefined ? '' : `lease ${spanOf(milliseconds(leaseEnd - now))}`
  const columns = [
    padded(visible(workerId), 10),
    padded(visible(issueId ?? '-'), 10),
    padded(phase, 12),
    elapsed,
    padded(lease, 13),
  ].join(' ')
  const room = page.columns - widthOf(columns) - 2
  if (room <= 0) return cut(columns, page.columns)
  return `${columns}  ${page.ink('dim', cut(visible(output), room))}`
}

const padded = (text: string, columns: number) =>
  `${text}${' '.repeat(Math.max(0, columns - widthOf(text)))}`
