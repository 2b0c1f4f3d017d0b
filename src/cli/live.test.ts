import { describe, expect, test } from 'vitest'
import { Terminal } from '../../test/a-terminal.ts'
import { ManualClock } from '../../test/manual-clock.ts'
import type { Live, LiveEvent } from '../answer.ts'
import { Fault } from '../fault.ts'
import { operation } from '../operations/operation.ts'
import { type SimSetup, simWorld } from '../testing/sim-world.ts'
import { any } from '../wire/shape.ts'
import type { World } from '../world/world.ts'
import { runCommand } from './run.ts'

const watch = (live: Live, argv: readonly string[], world: World) =>
  runCommand(['watch', ...argv], { watch: async () => watching(live) }, world)

const watching = (live: Live) =>
  operation({
    group: 'reference',
    summary: 'Test.',
    effect: 'read',
    opId: 'op/test.one',
    output: any,
    input: {},
    examples: {},
    run: async () => live,
  })

const lineEvent = (text: string): LiveEvent => ({ json: { text }, line: () => text })

async function* three(): AsyncIterable<LiveEvent> {
  yield lineEvent('one')
  yield { line: page => page.ink('green', 'only for people\n') }
  yield { json: { b: [1, { d: 'é', c: null }], a: 'only for programs' } }
  yield {}
  yield lineEvent('two\nlines')
}

const aLive = (live: Partial<Live> = {}): Live => ({
  live: three(),
  screen: () => ['on the screen'],
  summary: () => 'that was all\n',
  exitCode: () => 0,
  ...live,
})

async function run(argv: readonly string[], live: Partial<Live> = {}, setup: SimSetup = {}) {
  const world = simWorld(setup)
  return { exitCode: await watch(aLive(live), argv, world), ...world.printed }
}

/** Events that come when the test says so. */
class Feed implements AsyncIterable<LiveEvent> {
  #take: ((result: IteratorResult<LiveEvent> | Promise<never>) => void) | undefined
  #onAsked = () => {};

  [Symbol.asyncIterator]() {
    return { next: () => this.#next() }
  }

  #next(): Promise<IteratorResult<LiveEvent>> {
    if (this.#take) throw new Error('the next event was asked for before the last one came')
    return new Promise(resolve => {
      this.#take = resolve
      this.#onAsked()
    })
  }

  /** Until the next event is waited for: all before it were printed. */
  async isAsked(): Promise<void> {
    if (this.#take) return
    await new Promise<void>(resolve => {
      this.#onAsked = resolve
    })
  }

  async #give(result: IteratorResult<LiveEvent> | Promise<never>): Promise<void> {
    await this.isAsked()
    const take = this.#take
    this.#take = undefined
    take?.(result)
  }

  async tell(...events: readonly LiveEvent[]): Promise<void> {
    for (const value of events) await this.#give({ done: false, value })
    await this.isAsked()
  }

  end = () => this.#give({ done: true, value: undefined })
  fail = (error: Error) => this.#give(Promise.reject(error))
}

/** Watched by a person, whose prompt is above. */
async function watched(live: Partial<Live> = {}, { columns = 40, rows = 8, env = {} } = {}) {
  const terminal = new Terminal(columns, rows)
  terminal.write('$ premath watch\n')
  const feed = new Feed()
  const clock = new ManualClock()
  const world = { ...simWorld({ env }), out: terminal, clock }
  const exit = watch(aLive({ live: feed, ...live }), [], world)
  await feed.isAsked()
  return { terminal, feed, clock, exit, printed: world.printed }
}

const prompt = '$ premath watch'

describe('under --json', () => {
  const lines = [
    '{"text":"one"}',
    '{"a":"only for programs","b":[1,{"c":null,"d":"é"}]}',
    '{"text":"two\\nlines"}',
    '',
  ].join('\n')

  test('each event is a line, and nothing else is printed, on a terminal too', async () => {
    const all = { exitCode: 0, out: lines, err: '' }
    expect(await run(['--json'])).toEqual(all)
    expect(await run(['--json'], {}, { columns: 80 })).toEqual(all)
  })

  test('a line is written when its event comes', async () => {
    const feed = new Feed()
    const world = simWorld()
    const exit = watch(aLive({ live: feed }), ['--json'], world)
    await feed.tell(lineEvent('one'))
    expect(world.printed.out).toBe('{"text":"one"}\n')
    await feed.end()
    expect(await exit).toBe(0)
  })

  test('a fault is the last line', async () => {
    async function* broken() {
      yield lineEvent('one')
      throw new Fault('corrupt', 'a row is gone', { hint: 'look' })
    }
    expect(await run(['--json'], { live: broken() })).toEqual({
      exitCode: 5,
      out: '{"text":"one"}\n{"error":{"code":"corrupt","detail":{},"hint":"look","message":"a row is gone"},"exitCode":5}\n',
      err: 'error: a row is gone\n  look\n',
    })
  })
})

describe('without a terminal to draw on', () => {
  test.each([
    ['a pipe', {}],
    ['a dumb terminal', { columns: 80, env: { TERM: 'dumb' } }],
    ['the terminal of a CI', { columns: 80, env: { CI: 'true', NO_COLOR: '1' } }],
  ])('%s gets the lines that stay, then the summary', async (_, setup) => {
    expect(await run([], {}, setup)).toEqual({
      exitCode: 0,
      out: 'one\nonly for people\ntwo\nlines\nthat was all\n',
      err: '',
    })
  })

  test('a line is written when its event comes', async () => {
    const feed = new Feed()
    const world = simWorld()
    const exit = watch(aLive({ live: feed }), [], world)
    await feed.tell(lineEvent('one'))
    expect(world.printed.out).toBe('one\n')
    await feed.end()
    await exit
    expect(world.printed.out).toBe('one\nthat was all\n')
  })

  test('a page has no end', async () => {
    const { out } = await run([], { summary: ({ rows }) => `rows: ${rows}` })
    expect(out).toContain('rows: undefined\n')
  })
})

test('the exit code is computed once, after the last event', async () => {
  const asked: string[] = []
  async function* events() {
    yield lineEvent('one')
    asked.push('events are over')
  }
  const exitCode = () => {
    asked.push('exit code')
    return 4 as const
  }
  expect((await run([], { live: events(), exitCode })).exitCode).toBe(4)
  expect(asked).toEqual(['events are over', 'exit code'])
})

test('the message comes first, on stderr', async () => {
  expect((await run(['--json'], { message: 'two workers' })).err).toBe('two workers\n')
})

describe('on a terminal', () => {
  test('the screen is drawn before the first event', async () => {
    const { terminal } = await watched()
    expect(terminal.screen()).toEqual([prompt, 'on the screen', ''])
  })

  test('lines stay above the screen, and scroll away in order', async () => {
    let count = 0
    const { terminal, feed } = await watched({ screen: () => ['---', `count: ${count}`] })
    for (count = 1; count <= 12; count++) await feed.tell(lineEvent(`line ${count}`))
    const lines = Array.from({ length: 12 }, (_, at) => `line ${at + 1}`)
    expect(terminal.all()).toEqual([prompt, ...lines, '---', 'count: 12', ''])
    expect(terminal.screen()).toEqual([...lines.slice(-5), '---', 'count: 12', ''])
  })

  test('more lines than the terminal has rows scroll through in one go', async () => {
    const { terminal, feed } = await watched()
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`)
    await feed.tell(lineEvent(lines.join('\n')), lineEvent('one more'))
    expect(terminal.all()).toEqual([prompt, ...lines, 'one more', 'on the screen', ''])
  })

  test('a line that stays is as long as it is', async () => {
    const { terminal, feed } = await watched({}, { columns: 20 })
    await feed.tell(lineEvent(`${'x'.repeat(20)}${'y'.repeat(20)}z`), lineEvent('next'))
    expect(terminal.all()).toEqual([
      prompt,
      'x'.repeat(20),
      'y'.repeat(20),
      'z',
      'next',
      'on the screen',
      '',
    ])
  })

  test('a screen that gets shorter leaves nothing behind', async () => {
    let lines = ['a', 'b', 'c', 'd']
    const { terminal, feed } = await watched({ screen: () => lines })
    lines = ['A']
    await feed.tell({})
    expect(terminal.screen()).toEqual([prompt, 'A', ''])
    lines = []
    await feed.tell(lineEvent('kept'))
    expect(terminal.screen()).toEqual([prompt, 'kept', ''])
    lines = ['a', 'b']
    await feed.tell({})
    expect(terminal.screen()).toEqual([prompt, 'kept', 'a', 'b', ''])
  })

  test('the screen is redrawn every 200 ms', async () => {
    const { terminal, clock } = await watched({ screen: (_, now) => [`${now / 1_000_000n} ms`] })
    await clock.pass(199)
    expect(terminal.screen()).toEqual([prompt, '0 ms', ''])
    await clock.pass(1)
    expect(terminal.screen()).toEqual([prompt, '200 ms', ''])
    await clock.pass(200)
    expect(terminal.screen()).toEqual([prompt, '400 ms', ''])
  })

  test('events do not delay the redraw', async () => {
    let state = 'a'
    const { terminal, clock, feed } = await watched({ screen: () => [state] })
    await clock.pass(150)
    await feed.tell({})
    state = 'b'
    await clock.pass(50)
    expect(terminal.screen()).toEqual([prompt, 'b', ''])
  })

  test('a frame is one write, shown at once', async () => {
    const { terminal, feed } = await watched()
    const before = terminal.writes.length
    await feed.tell(lineEvent('one\ntwo'))
    expect(terminal.writes.slice(before)).toEqual([
      '\u001b[?2026h\u001b[1A\r\u001b[Jone\ntwo\n\u001b[?7lon the screen\n\u001b[?7h\u001b[?2026l',
    ])
  })

  test('a frame that equals the last one is not written', async () => {
    const { terminal, clock, feed } = await watched()
    const before = terminal.writes.length
    await clock.pass(200)
    await feed.tell({}, { json: 'only for programs' })
    expect(terminal.writes.length).toBe(before)
  })

  test('a screen without lines writes nothing', async () => {
    const { terminal, clock, feed, exit } = await watched({ screen: () => [], summary: () => '' })
    await clock.pass(200)
    await feed.end()
    await exit
    expect(terminal.writes).toEqual([`${prompt}\n`])
  })

  test('the next frame erases typed characters', async () => {
    const { terminal, feed } = await watched()
    terminal.write('^C')
    await feed.tell(lineEvent('stopping'))
    expect(terminal.screen()).toEqual([prompt, 'stopping', 'on the screen', ''])
  })

  test('at the end the screen is gone and the summary stands there', async () => {
    const { terminal, clock, feed, exit, printed } = await watched({ summary: () => 'all\ndone' })
    await feed.tell(lineEvent('one'))
    await feed.end()
    expect(await exit).toBe(0)
    await clock.pass(1000)
    expect(terminal.screen()).toEqual([prompt, 'one', 'all', 'done', ''])
    expect(printed.err).toBe('')
  })

  test('the cursor is never hidden, and the terminal is left as it was', async () => {
    const { terminal, feed, exit } = await watched()
    await feed.tell(lineEvent('one'))
    await feed.end()
    await exit
    const modes = terminal.writes
      .join('')
      .split('\u001b[?')
      .slice(1)
      .map(text => text.split(/(?<=[hl])/)[0] ?? '')
    expect(new Set(modes)).toEqual(new Set(['2026h', '7l', '7h', '2026l']))
    expect(modes.slice(-4)).toEqual(['2026h', '7l', '7h', '2026l'])
  })

  test('a fault of the events is reported after the screen is erased', async () => {
    const { terminal, clock, feed, exit, printed } = await watched()
    await feed.tell(lineEvent('one'))
    await feed.fail(new Fault('conflict', 'somebody else', { hint: 'wait' }))
    expect(await exit).toBe(4)
    await clock.pass(1000)
    expect(terminal.screen()).toEqual([prompt, 'one', ''])
    expect(printed.err).toBe('error: somebody else\n  wait\n')
  })

  test('without colour the screen is drawn all the same', async () => {
    const screen: Live['screen'] = page => [page.ink('red', 'plain')]
    const { terminal } = await watched({ screen }, { env: { NO_COLOR: '1' } })
    expect(terminal.screen()).toEqual([prompt, 'plain', ''])
    expect(terminal.writes.join('')).not.toContain('[31m')
  })
})

describe('a screen fits its terminal', () => {
  test('in width, with wide characters and ink', async () => {
    const screen: Live['screen'] = page => [
      `${page.ink('bold', '日本語の題名')} ${page.ink('red', 'and a long title that goes on')}`,
      page.ink('dim', 'x'.repeat(20)),
      `${'x'.repeat(18)}日本`,
      'e\u0301'.repeat(20),
    ]
    const { terminal } = await watched({ screen }, { columns: 20 })
    expect(terminal.screen()).toEqual([
      prompt,
      '日本語の題名 and a …',
      'x'.repeat(20),
      `${'x'.repeat(18)}…`,
      'e\u0301'.repeat(20),
      '',
    ])
    expect(terminal.writes[1]).toContain('\u001b[31mand a …\u001b[39m\n')
  })

  test('also with pictures that are wider than they were counted', async () => {
    const screen = () => ['⚠\ufe0f'.repeat(20), 'below']
    const { terminal, feed } = await watched({ screen }, { columns: 20 })
    await feed.tell(lineEvent('one'), lineEvent('two'))
    const [first, second, third, pictures, ...rest] = terminal.screen()
    expect([first, second, third]).toEqual([prompt, 'one', 'two'])
    expect(pictures).toMatch(/^⚠/)
    expect(rest).toEqual(['below', ''])
  })

  test('in height, with a row left for the cursor', async () => {
    const pages: (number | undefined)[] = []
    const screen: Live['screen'] = ({ rows }) => {
      pages.push(rows)
      return Array.from({ length: 30 }, (_, at) => `row ${at}`)
    }
    const { terminal, feed } = await watched({ screen }, { rows: 5 })
    await feed.tell(lineEvent('one'), lineEvent('two'))
    expect(terminal.screen()).toEqual(['row 0', 'row 1', 'row 2', 'row 3', ''])
    expect(terminal.all()).toEqual([prompt, 'one', 'two', 'row 0', 'row 1', 'row 2', 'row 3', ''])
    expect(new Set(pages)).toEqual(new Set([5]))
  })

  test('even if the terminal has one row', async () => {
    const { terminal, feed } = await watched({}, { rows: 1 })
    await feed.tell(lineEvent('one'))
    expect(terminal.all()).toEqual([prompt, 'one', ''])
  })

  test('narrower than any page', async () => {
    const { terminal, feed } = await watched({ screen: () => ['x'.repeat(20)] }, { columns: 16 })
    await feed.tell(lineEvent('one'))
    expect(terminal.all()).toEqual([prompt, 'one', `${'x'.repeat(15)}…`, ''])
  })

  test('that does not say its size, as if it had the usual one', async () => {
    const screen = () => Array.from({ length: 30 }, () => 'x'.repeat(100))
    const { out } = await run([], { screen }, { columns: 0, rows: 0, clock: new ManualClock() })
    const [frame = ''] = out.split('\u001b[?2026l')
    expect(frame.match(/x+…/g)).toEqual(Array.from({ length: 23 }, () => `${'x'.repeat(79)}…`))
  })

  test('when the window gets narrower, wider, lower and higher', async () => {
    const screen: Live['screen'] = ({ columns, rows }) => [
      `${columns} by ${rows} `.padEnd(columns, '.'),
      'x'.repeat(100),
    ]
    const { terminal, feed, clock } = await watched({ screen })
    await feed.tell(lineEvent('one'))
    const sizes = [
      [25, 8],
      [60, 8],
      [60, 5],
      [30, 12],
    ] as const
    for (const [columns, rows] of sizes) {
      terminal.resize(columns, rows)
      await clock.pass(200)
      expect(terminal.all()).toEqual([
        prompt,
        'one',
        `${columns} by ${rows} `.padEnd(columns, '.'),
        `${'x'.repeat(columns - 1)}…`,
        '',
      ])
    }
  })
})

describe('when the output fails', () => {
  async function outlived(argv: readonly string[], setup: SimSetup, live: Partial<Live> = {}) {
    let ended = false
    async function* events() {
      yield* three()
      ended = true
    }
    const clock = new ManualClock()
    const result = await run(argv, { live: events(), ...live }, { clock, ...setup })
    return { ended, ...result }
  }

  const ways = [
    ['JSON', ['--json'], {}],
    ['plain lines', [], {}],
    ['a screen', [], { columns: 80 }],
  ] as const

  test.each(ways)('a reader of %s that leaves stops nothing', async (_, argv, setup) => {
    for (const exitCode of [0, 1, 4] as const) {
      const left = { ...setup, readerLeavesAfter: 1 }
      const { ended, err, ...result } = await outlived(argv, left, { exitCode: () => exitCode })
      expect({ ended, err, exitCode: result.exitCode }).toEqual({ ended: true, err: '', exitCode })
      const first = await outlived(argv, { ...setup, readerLeavesAfter: 0 })
      expect({ ended: first.ended, out: first.out }).toEqual({ ended: true, out: '' })
    }
  })

  test.each(ways)('a full disk under %s stops nothing, and is reported', async (_, argv, setup) => {
    for (const [own, exitCode] of [
      [0, 3],
      [1, 3],
      [5, 5],
    ] as const) {
      const broken = { ...setup, outputBroken: true }
      expect(await outlived(argv, broken, { exitCode: () => own })).toEqual({
        ended: true,
        exitCode,
        out: '',
        err: 'error: could not write standard output\n  The command ran to its end. Only its output could not be printed.\n',
      })
    }
  })

  test('a bug in the drawing stops nothing, and is reported', async () => {
    const screen = () => {
      throw new TypeError('no such worker')
    }
    expect(await outlived([], { columns: 80 }, { screen })).toMatchObject({
      ended: true,
      exitCode: 3,
      err: 'premath hit a bug: no such worker; set PREMATH_DEBUG=1 for the stack\n',
    })
  })
})
