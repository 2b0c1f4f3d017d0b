import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Page } from '../../answer.ts'
import type { RunEvent } from '../../kernel/harness/run/run-event.ts'
import { widthOf } from '../../kernel/text/text-width.ts'
import { withoutInk } from '../inked-text.ts'
import { RunScreen } from './run-screen.ts'

const began = BigInt(Date.parse('2026-02-22T12:00:00Z')) * 1_000_000n
const after = (seconds: number) => began + BigInt(seconds) * 1_000_000_000n

const started = (workers: readonly string[], open = 4, maxSteps?: number): RunEvent => ({
  event: 'run.started',
  runId: 'r',
  workers: workers.map(workerId => ({ workerId, worktree: `/p/${workerId}` })),
  parallel: workers.length,
  open,
  budget: { steps: 0, failures: 0, milliseconds: 0, maxSteps },
})

const claimed = (workerId: string, issueId = 'bd-1'): RunEvent => ({
  event: 'claimed',
  workerId,
  issueId,
  title: 't',
  leaseId: 'l',
  fence: 1,
  leaseExpiresAt: '2026-02-22T12:05:00Z',
})

const ended = (workerId: string, issueId: string, resultClass: string): RunEvent => ({
  event: 'attempt.ended',
  workerId,
  stepId: 's',
  issueId,
  attempt: 1,
  resultClass,
  failureClasses: [],
  summary: '',
  durationMs: 1,
  nextStep: '',
})

const plain: Page = { columns: 80, rows: 24, ink: (_ink, text) => text }

function screenOf(...events: readonly RunEvent[]) {
  const screen = new RunScreen()
  for (const event of events) screen.take(event, began)
  return screen
}

const shown = (screen: RunScreen, seconds: number, page: Partial<Page> = {}) =>
  screen.lines({ ...plain, ...page }, after(seconds))

test('before the start the screen shows no time and no open issues', () => {
  expect(shown(new RunScreen(), 5).at(-1)).toMatch(/ 0 of 0 closed, 0(:00|\.0 s| s)$/)
  const note: RunEvent = { event: 'note', workerId: 'coordinator', message: 'verifies main' }
  expect(shown(screenOf(note), 5).at(-1)).toMatch(/ 0 of 0 closed, .*5/)
  expect(shown(screenOf(note, started(['w1'], 0)), 5).at(-1)).toContain('0 of 0 closed')
})

describe('a worker', () => {
  test('has a line: issue, phase, how long, the lease that is left, and the last output', () => {
    const screen = screenOf(started(['w1']), claimed('w1'), {
      event: 'phase',
      workerId: 'w1',
      phase: 'work',
      command: 'make',
    })
    screen.take({ event: 'output', workerId: 'w1', line: 'compiling' }, after(1))
    expect(shown(screen, 42)[0]?.split(/ {2,}/)).toEqual([
      'w1',
      'bd-1',
      'work',
      '42 s lease 4:18',
      'compiling',
    ])
  })

  test('whose lease was renewed has more of it left', () => {
    const screen = screenOf(started(['w1']), claimed('w1'), {
      event: 'lease.renewed',
      workerId: 'w1',
      issueId: 'bd-1',
      leaseExpiresAt: '2026-02-22T12:10:00Z',
    })
    expect(shown(screen, 60)[0]).toContain('lease 9:00')
  })

  test('that ended has no issue and no lease, and shows the reason', () => {
    const screen = screenOf(started(['w1']), claimed('w1'), {
      event: 'worker.ended',
      workerId: 'w1',
      why: 'quit',
      message: 'its worktree is gone',
    })
    const [line = ''] = shown(screen, 1)
    expect(line).toMatch(/^w1 +- +finished +1\.0 s +its worktree is gone$/)
  })
})

describe('the bar', () => {
  test('counts closed and remaining issues', () => {
    const screen = screenOf(
      started(['w1'], 4, 9),
      ended('w1', 'bd-1', 'completed'),
      ended('w1', 'bd-2', 'check_failed'),
      ended('w1', 'bd-3', 'retry_needed_flaky_execution'),
      ended('w1', 'bd-3', 'completed'),
    )
    expect(shown(screen, 5).at(-1)).toBe(
      `${'━'.repeat(12)}${'─'.repeat(12)} 2 of 4 closed, 1 not closed, 5.0 s, at most 9 steps`,
    )
  })

  test('is full if more issues closed than were open at first, and empty if none was open', () => {
    const more = screenOf(
      started(['w1'], 1),
      ended('w1', 'bd-1', 'completed'),
      ended('w1', 'bd-2', 'completed'),
    )
    expect(shown(more, 1).at(-1)).toContain(`${'━'.repeat(24)} 2 of 2 closed`)
    expect(shown(screenOf(started(['w1'], 0)), 1).at(-1)).toContain('─'.repeat(24))
  })
})

test('the output of a command cannot move the cursor', () => {
  const line = 'ok\u001b[2J\r\u202eevil'
  const screen = screenOf(started(['w1']), claimed('w1'), { event: 'output', workerId: 'w1', line })
  expect(shown(screen, 1, { columns: 200 })[0]).toContain('ok\\u001b[2J\\u000d\\u202eevil')
})

test('an event of an unknown worker adds no line', () => {
  const screen = screenOf(started(['w1']), claimed('stranger', 'bd-9'))
  expect(shown(screen, 1).join('\n')).not.toContain('bd-9')
})

describe('the screen fits its page', () => {
  test.each([3, 4, 10, 24])('of %i rows, with the bar in the last of them', rows => {
    const names = Array.from({ length: 40 }, (_, at) => `w${at}`)
    const lines = shown(screenOf(started(names)), 1, { rows })
    // The cursor needs the row below.
    expect(lines.length).toBeLessThanOrEqual(rows - 1)
    expect(lines.at(-1)).toContain('of 4 closed')
    const eventLines = lines.slice(0, -2).length
    expect(lines.at(-2)).toBe(`… and ${40 - eventLines} more`)
  })

  test('even if it has no height limit', () => {
    const names = Array.from({ length: 40 }, (_, at) => `w${at}`)
    const { rows: _rows, ...endless } = plain
    expect(screenOf(started(names)).lines(endless, began)).toHaveLength(41)
  })

  test('with names and output of any width', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '日', '😀', 'e\u0301', ' '),
      maxLength: 60,
      size: 'max',
    })
    const red: Page['ink'] = (_ink, inked) => `\u001b[31m${inked}\u001b[39m`
    fc.assert(
      fc.property(text, text, text, fc.integer({ min: 80, max: 200 }), (...given) => {
        const [workerId, issueId, line, columns] = given
        const screen = screenOf(
          started([workerId]),
          claimed(workerId, issueId),
          { event: 'output', workerId, line },
          { event: 'worker.ended', workerId, why: 'quit', message: line },
        )
        for (const one of screen.lines({ columns, rows: 24, ink: red }, after(1))) {
          expect(widthOf(withoutInk(one))).toBeLessThanOrEqual(columns)
        }
      }),
    )
  })

  test('with aligned columns for wide characters too', () => {
    const screen = screenOf(started(['日本', 'w2']), claimed('日本'), claimed('w2'))
    const places = shown(screen, 1)
      .slice(0, 2)
      .map(line => widthOf(line.slice(0, line.indexOf('bd-1'))))
    expect(places).toEqual([11, 11])
  })
})

test('a run that is paused or draining says so until it resumes', () => {
  const barAfter = (...requests: readonly ('pause' | 'drain' | 'resume')[]) => {
    const events = requests.map(request => ({ event: 'request', request }) as const)
    return shown(screenOf(started(['w1']), ...events), 1).at(-1)
  }
  expect(barAfter('pause')).toContain(' paused, 0 of 4 closed')
  expect(barAfter('drain')).toContain(' draining, 0 of 4 closed')
  expect(barAfter('pause', 'resume')).toMatch(/─ 0 of 4 closed/)
})

describe('the landing queue', () => {
  const queued = (
    workerId: string,
    issueId: string,
    state: Extract<RunEvent, { readonly event: 'queue' }>['state'],
  ): RunEvent => ({ event: 'queue', workerId, issueId, state })

  const start = started(['w1', 'w2', 'w3'])
  const queueOf = (...events: readonly RunEvent[]) =>
    shown(screenOf(start, ...events), 1).find(line => line.startsWith('to land'))

  test('is shown in the order in which it lands, with what is verified', () => {
    expect(
      queueOf(
        queued('w2', 'bd-2', 'waiting'),
        queued('w1', 'bd-1', 'waiting'),
        queued('w3', 'bd-3', 'waiting'),
        queued('w1', 'bd-1', 'verified'),
        queued('w2', 'bd-2', 'verifying'),
      ),
    ).toBe('to land, in order: bd-2 (verifying), bd-1 (verified), bd-3 (waiting)')
  })

  test('is left by an issue whose attempt ended, and joined at its end by the next one', () => {
    const both = [queued('w1', 'bd-1', 'verified'), queued('w2', 'bd-2', 'waiting')]
    expect(queueOf(...both, ended('w1', 'bd-1', 'completed'))).toBe(
      'to land, in order: bd-2 (waiting)',
    )
    const again = [
      ended('w1', 'bd-1', 'retry_needed_check_failed'),
      queued('w1', 'bd-1', 'waiting'),
    ]
    expect(queueOf(...both, ...again)).toBe('to land, in order: bd-2 (waiting), bd-1 (waiting)')
    expect(queueOf(queued('w1', 'bd-1', 'verified'), claimed('w1', 'bd-5'))).toBeUndefined()
    expect(queueOf()).toBeUndefined()
  })

  test.each([3, 4, 5, 10])('leaves the screen in a page of %i rows', rows => {
    const names = Array.from({ length: 40 }, (_, at) => `w${at}`)
    const waiting = names.map(name => queued(name, `bd-${name}`, 'waiting'))
    const lines = shown(screenOf(started(names), ...waiting), 1, { rows })
    expect(lines.length).toBeLessThanOrEqual(rows - 1)
    expect(lines.filter(line => widthOf(line) > plain.columns)).toEqual([])
    expect(lines.some(line => line.startsWith('to land'))).toBe(rows >= 5)
  })
})
