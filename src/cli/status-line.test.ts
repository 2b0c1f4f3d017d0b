import { describe, expect, test } from 'vitest'
import { Terminal } from '../../test/a-terminal.ts'
import { ManualClock } from '../../test/manual-clock.ts'
import { Fault } from '../fault.ts'
import { operation } from '../operations/operation.ts'
import { simWorld } from '../testing/sim-world.ts'
import { any } from '../wire/shape.ts'
import type { Output } from '../world/world.ts'
import { runCommand } from './run.ts'

/** A command that shows a line until the test ends it. */
function waiting(
  setup: { env?: Readonly<Record<string, string>>; argv?: readonly string[]; err?: Output } = {},
) {
  const { env = {}, argv = [], err } = setup
  const terminal = new Terminal(30, 8)
  terminal.write('$ premath wait\n')
  const clock = new ManualClock()
  const world = { ...simWorld({ env }), err: err ?? terminal, clock }
  let end = (_answer: string | Error) => {}
  let asked = 0
  const wait = operation({
    group: 'reference',
    summary: 'Test.',
    effect: 'read',
    opId: 'op/test.one',
    output: any,
    input: {},
    examples: {},
    async run(_input, context) {
      const answer = await context.withStatusLine(
        page => `asked ${++asked} times, ${page.ink('red', `${page.columns} columns`)} wide`,
        () =>
          new Promise<string>((resolve, reject) => {
            end = one => (one instanceof Error ? reject(one) : resolve(one))
          }),
      )
      return { output: answer, yes: true, render: () => `${answer}\n` }
    },
  })
  const exit = runCommand(['wait', ...argv], { wait: async () => wait }, world)
  return {
    terminal,
    clock,
    out: () => world.printed.out,
    asked: () => asked,
    async ended(answer: string | Error) {
      end(answer)
      return await exit
    },
  }
}

/** The command has begun, and loaded all it needs, once it sleeps. */
const begun = async ({ clock, asked }: ReturnType<typeof waiting>) => {
  while (asked() === 0) await clock.pass(100)
}

describe('the status line', () => {
  test('is redrawn in place, cut to the window, and erased at the end', async () => {
    const command = waiting()
    await begun(command)
    const { terminal, clock } = command
    expect(terminal.screen()).toEqual(['$ premath wait', 'asked 1 times, 30 columns wide', ''])
    await clock.pass(100)
    expect(terminal.screen()[1]).toBe('asked 2 times, 30 columns wide')
    terminal.resize(20, 8)
    await clock.pass(100)
    expect(terminal.screen().slice(-2)).toEqual(['asked 3 times, 20 c…', ''])
    expect(await command.ended('done')).toBe(0)
    expect(terminal.screen()).toEqual(['$ premath wait', ''])
    expect(command.out()).toBe('done\n')
  })

  test('is drawn ten times a second at most', async () => {
    const command = waiting()
    await begun(command)
    for (let passed = 0; passed < 1000; passed += 10) await command.clock.pass(10)
    expect(command.asked()).toBe(11)
    await command.ended('done')
  })

  test('is not drawn for short work', async () => {
    const command = waiting()
    await command.clock.pass(99)
    await command.ended('done')
    await command.clock.pass(1000)
    expect([command.asked(), command.terminal.writes.length]).toEqual([0, 1])
  })

  test('is erased before an error is printed', async () => {
    const command = waiting()
    await begun(command)
    expect(await command.ended(new Fault('conflict', 'no luck'))).toBe(4)
    expect(command.terminal.screen()).toEqual(['$ premath wait', 'error: no luck', ''])
  })

  test.each([
    ['on a dumb terminal', { env: { TERM: 'dumb' } }],
    ['in CI', { env: { CI: '1' } }],
    ['under --json', { argv: ['--json'] }],
    ['where standard error is no terminal', { err: simWorld().err }],
  ])('is never drawn for %s', async (_, setup) => {
    const command = waiting(setup)
    for (let turn = 0; turn < 5; turn++) await command.clock.pass(100)
    await command.ended('done')
    expect([command.asked(), command.terminal.writes.length]).toEqual([0, 1])
  })

  test('that cannot be written does not stop the work', async () => {
    let writes = 0
    const broken: Output = {
      ...simWorld().err,
      isTerminal: () => true,
      write() {
        writes++
        throw new Fault('unavailable', 'the terminal is gone')
      },
    }
    const command = waiting({ err: broken })
    await begun(command)
    await command.clock.pass(100)
    expect(await command.ended('done')).toBe(0)
    expect([command.out(), writes]).toEqual(['done\n', 1])
  })
})
