import { describe, expect, test } from 'vitest'
import type { Page } from '../../answer.ts'
import type { RunEvent, RunSummary } from '../../kernel/harness/run/run-event.ts'
import { hasLine, runLine, summaryPage } from './run-lines.ts'

const at = BigInt(new Date(2026, 1, 22, 14, 3, 59).getTime()) * 1_000_000n
const page: Page = { columns: 80, ink: (_ink, text) => text }
const line = (event: RunEvent) => runLine(event, at, page)

const ended = {
  event: 'attempt.ended',
  workerId: 'w',
  stepId: 'w.bd-1.1.1',
  issueId: 'bd-1',
  attempt: 1,
  durationMs: 1200,
  nextStep: '',
} as const

const claimed = {
  event: 'claimed',
  workerId: 'w',
  issueId: 'bd-1',
  title: 'Mend the login',
  leaseId: 'l',
  fence: 1,
  leaseExpiresAt: '2026-02-22T15:00:00Z',
} as const

describe('a line has the time, the worker and the event', () => {
  test.each<[RunEvent, string]>([
    [
      {
        event: 'run.started',
        runId: 'r',
        workers: [{ workerId: 'w', worktree: '/p' }],
        parallel: 1,
        open: 3,
        budget: { steps: 0, failures: 0, milliseconds: 0 },
      },
      '1 worker, 1 in parallel, 3 open issues',
    ],
    [{ event: 'note', workerId: 'w', message: 'so it is' }, 'w  so it is'],
    [
      {
        event: 'recovered',
        workerId: 'w',
        stepId: 's',
        issueId: 'bd-1',
        how: 'undone',
        resultClass: 'x',
      },
      'w  recovered s: undone',
    ],
    [claimed, 'w  claims bd-1: Mend the login'],
    [{ ...claimed, takenOverFrom: 'ann' }, 'w  claims bd-1: Mend the login (taken over from ann)'],
    [{ event: 'phase', workerId: 'w', phase: 'work', command: 'make' }, 'w  work: make'],
    [
      { ...ended, resultClass: 'completed', failureClasses: [], summary: 'done' },
      'w  closed bd-1 in 1.2 s',
    ],
    [
      {
        ...ended,
        resultClass: 'retry_needed_check_failed',
        failureClasses: ['check_failed'],
        summary: 'no',
      },
      'w  check_failed on bd-1 after 1.2 s: no',
    ],
    [
      {
        ...ended,
        resultClass: 'check_failed',
        failureClasses: ['check_failed', 'lease_lost'],
        summary: 'no',
      },
      'w  check_failed on bd-1 (lease_lost) after 1.2 s: no',
    ],
    [
      {
        ...ended,
        resultClass: 'check_failed',
        failureClasses: ['check_failed'],
        summary: 'no',
        lastLines: ['1 failed', '', '\tat b.ts'],
        outputRef: 'artifacts/steps/s',
      },
      [
        'w  check_failed on bd-1 after 1.2 s: no',
        '    | 1 failed',
        '    |',
        '    |   at b.ts',
        '    whole output: artifacts/steps/s',
      ].join('\n'),
    ],
    [
      { event: 'waiting', workerId: 'w', issueId: 'bd-1', milliseconds: 2000 },
      'w  retries bd-1 in 2.0 s',
    ],
    [{ event: 'waiting', workerId: 'w', issueId: 'bd-1', milliseconds: 0 }, 'w  retries bd-1'],
    [
      { event: 'attention', about: 'work_blocked', message: 'no issue is ready', next: 'See.' },
      'Attention: no issue is ready\n    → See.',
    ],
    [{ event: 'request', request: 'pause' }, 'paused: no step starts until premath run --resume'],
    [{ event: 'request', request: 'resume' }, 'resumed'],
    [
      { event: 'request', request: 'drain' },
      'draining: no step starts any more, and the run ends after the running ones',
    ],
    [
      { event: 'worker.ended', workerId: 'w', why: 'quit', message: 'it is gone' },
      'w  ends: it is gone',
    ],
  ])('%#', (event, text) => {
    expect(hasLine(event)).toBe(true)
    expect(line(event)).toBe(`14:03:59  ${text}`)
  })
})

test.each<RunEvent>([
  { event: 'pass', pass: 1, sent: ['w'] },
  { event: 'output', workerId: 'w', line: 'compiling' },
  { event: 'quiet', workerId: 'w', phase: 'work', seconds: 600 },
  { event: 'lease.renewed', workerId: 'w', issueId: 'bd-1', leaseExpiresAt: '' },
  { event: 'lease.ending', workerId: 'w', issueId: 'bd-1', leaseExpiresAt: '' },
  { event: 'worker.ended', workerId: 'w', why: 'sent_home' },
])('$event has no line of its own', event => {
  expect(hasLine(event)).toBe(false)
})

describe('control characters from outside are escaped', () => {
  const hostile = 'a\u001b[2J\r\nb\u202ec'
  const spelled = 'a\\u001b[2J\\u000d\\u000ab\\u202ec'

  test.each<[string, RunEvent]>([
    ['a title', { ...claimed, title: hostile }],
    ['an issue', { ...claimed, issueId: hostile }],
    ['a worker', { ...claimed, workerId: hostile }],
    ['who had it', { ...claimed, takenOverFrom: hostile }],
    ['a command', { event: 'phase', workerId: 'w', phase: 'work', command: hostile }],
    ['a class', { ...ended, resultClass: hostile, failureClasses: [hostile], summary: 'no' }],
    ['another class', { ...ended, resultClass: 'x', failureClasses: [hostile], summary: 'no' }],
    ['a summary', { ...ended, resultClass: 'x', failureClasses: [], summary: hostile }],
    [
      'an issue that was closed',
      { ...ended, issueId: hostile, resultClass: 'completed', failureClasses: [], summary: '' },
    ],
    ['a matter', { event: 'attention', about: 'work_blocked', message: hostile, next: 'n' }],
    ['what to do', { event: 'attention', about: 'work_blocked', message: 'm', next: hostile }],
    ['a note', { event: 'note', workerId: 'w', message: hostile }],
    ['why somebody left', { event: 'worker.ended', workerId: 'w', why: 'quit', message: hostile }],
  ])('%s', (_, event) => {
    expect(line(event)).toContain(spelled)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this asks that there are none.
    expect(line(event).replace('\n    → ', '')).not.toMatch(/[\x00-\x1f\u202e]/)
  })
})

test.each([
  ['stopped', 'pause', 'Run ended: it was stopped (paused)'],
  ['budget', 'drain', 'Run ended: the budget is used up (draining)'],
  ['drained', 'drain', 'Run ended: it was draining, and its last step has ended'],
  ['stopped', undefined, 'Run ended: it was stopped'],
] as const)('the summary of a run that was %s, asked to %s', (why, request, first) => {
  const summary: RunSummary = {
    ...{ runId: 'r', why, closed: [], failed: [], refused: [], lost: [], steps: 0, left: 1 },
    ...{ budget: { steps: 0, failures: 0, milliseconds: 0 }, attention: 0, milliseconds: 1 },
    ...{ nextStep: 'n', ...(request && { request }) },
  }
  expect(summaryPage(summary, { columns: 80, ink: (_ink, text) => text }).split('\n')[0]).toBe(
    first,
  )
})
