import { describe, expect, test } from 'vitest'
import type { Outcome } from '../answer.ts'
import { Fault, type FaultCode } from '../fault.ts'
import { type Operation, type Operations, operation } from '../operations/operation.ts'
import { type SimSetup, simWorld } from '../testing/sim-world.ts'
import { any } from '../wire/shape.ts'
import { allCommands } from './commands.ts'
import { runCommand } from './run.ts'

const command =
  (run: () => Promise<Outcome<unknown>>, effect: Operation['effect'] = 'read') =>
  async () =>
    operation({
      group: 'reference',
      summary: 'Test.',
      effect,
      opId: 'op/test.one',
      output: any,
      input: {},
      examples: {},
      run,
    })

const answer = (yes: boolean, effect?: Operation['effect']) =>
  command(
    async () => ({
      output: { b: 1, a: [yes] },
      yes,
      render: page => page.ink('green', `${yes}\n`),
    }),
    effect,
  )

const faulty = (code: FaultCode) =>
  command(async () => {
    throw new Fault(code, `this is ${code}`, { hint: 'try again', detail: { line: 7 } })
  })

async function* pieces() {
  yield 'one\n'
  yield 'two\n'
}

const commands: Operations = allCommands({
  yes: answer(true),
  no: answer(false),
  made: answer(true, 'mutation'),
  refused: answer(false, 'mutation'),
  usage: faulty('usage'),
  invalid: faulty('invalid_input'),
  unavailable: faulty('unavailable'),
  conflict: faulty('conflict'),
  corrupt: faulty('corrupt'),
  bug: command(async () => {
    throw new TypeError('x is not a function')
  }),
  crowded: command(async () => {
    const message = "EMFILE: too many open files, open '/chunks/x.cjs'"
    throw Object.assign(new Error(message), { code: 'EMFILE', syscall: 'open' })
  }),
  stream: command(async () => ({ stream: pieces(), exitCode: () => 1 })),
  rows: command(async () => ({
    stream: pieces(),
    document: () => ({ rows: ['one', 'two'] }),
    exitCode: () => 0,
  })),
})

async function run(argv: readonly string[], setup: SimSetup = {}) {
  const world = simWorld(setup)
  return { exitCode: await runCommand(argv, commands, world), ...world.printed }
}

describe('the exit code is', () => {
  test.each([
    [0, 'yes'],
    [1, 'no'],
    [1, 'stream'],
    [2, 'usage'],
    [2, 'invalid'],
    [2, 'no-such-command'],
    [3, 'unavailable'],
    [3, 'bug'],
    [4, 'conflict'],
    [5, 'corrupt'],
  ])('%i for %s', async (exitCode, name) => {
    expect((await run([name])).exitCode).toBe(exitCode)
    expect((await run([name, '--json'])).exitCode).toBe(exitCode)
  })
})

test('an answer goes to stdout, and nothing to stderr', async () => {
  expect(await run(['no'])).toEqual({ exitCode: 1, out: 'false\n', err: '' })
})

test('--json prints the output with sorted keys for every answer', async () => {
  expect(await run(['no', '--json'])).toEqual({
    exitCode: 1,
    out: '{\n  "a": [\n    false\n  ],\n  "b": 1\n}\n',
    err: '',
  })
})

test('a fault is a message on stderr', async () => {
  expect(await run(['corrupt'])).toEqual({
    exitCode: 5,
    out: '',
    err: 'error: this is corrupt\n  try again\n',
  })
})

test('a message cannot drive the terminal', async () => {
  expect((await run(['yes', '--\u001b[2J\u009b'])).err).toContain(
    'unknown flag --\\u001b[2J\\u009b',
  )
})

test('under --json a fault is printed as JSON', async () => {
  const { out, err } = await run(['conflict', '--json'])
  expect(err).toBe('error: this is conflict\n  try again\n')
  expect(JSON.parse(out)).toEqual({
    error: {
      code: 'conflict',
      message: 'this is conflict',
      hint: 'try again',
      detail: { line: 7 },
    },
    exitCode: 4,
  })
})

test('[memory.5.descriptors] too few file descriptors are no bug', async () => {
  const hint = 'Let this shell open more files: ulimit -n 4096.'
  expect(await run(['crowded'])).toMatchObject({
    exitCode: 3,
    err: `error: EMFILE: too many open files\n  ${hint}\n`,
  })
  expect(JSON.parse((await run(['crowded', '--json'])).out).error).toMatchObject({
    code: 'unavailable',
    hint,
  })
})

test('a bug is one line without a stack, and says how to get the stack', async () => {
  expect((await run(['bug'])).err).toBe(
    'premath hit a bug: x is not a function; set PREMATH_DEBUG=1 for the stack\n',
  )
  expect((await run(['bug'], { env: { PREMATH_DEBUG: '1' } })).err).toContain('run.test.ts')
  expect(JSON.parse((await run(['bug', '--json'])).out)).toEqual({
    error: { code: 'bug', message: 'x is not a function' },
    exitCode: 3,
  })
})

describe('colour', () => {
  const green = '\u001b[32mtrue\n\u001b[39m'

  test.each([
    ['a terminal', { columns: 80 }, green],
    ['a pipe', {}, 'true\n'],
    ['a terminal under NO_COLOR', { columns: 80, env: { NO_COLOR: '1' } }, 'true\n'],
    ['a dumb terminal', { columns: 80, env: { TERM: 'dumb' } }, 'true\n'],
    ['a pipe under FORCE_COLOR', { env: { FORCE_COLOR: '1' } }, green],
    ['NO_COLOR and FORCE_COLOR', { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, 'true\n'],
    ['FORCE_COLOR=0', { columns: 80, env: { FORCE_COLOR: '0' } }, 'true\n'],
  ])('on %s', async (_, setup, out) => {
    expect((await run(['yes'], setup)).out).toBe(out)
  })

  test('is never in JSON', async () => {
    expect((await run(['yes', '--json'], { columns: 80 })).out).not.toContain('\u001b')
  })
})

test('a stream that has a document is one under --json', async () => {
  expect((await run(['rows'])).out).toBe('one\ntwo\n')
  expect(JSON.parse((await run(['rows', '--json'])).out)).toEqual({ rows: ['one', 'two'] })
  expect((await run(['stream', '--json'])).out).toBe('one\ntwo\n')
})

describe('a reader that leaves early', () => {
  test('does not change the answer', async () => {
    expect(await run(['yes'], { readerLeavesAfter: 0 })).toEqual({ exitCode: 0, out: '', err: '' })
    expect((await run(['no'], { readerLeavesAfter: 0 })).exitCode).toBe(1)
  })

  test('ends a stream silently, but not with exit code 0', async () => {
    expect(await run(['stream'], { readerLeavesAfter: 1 })).toEqual({
      exitCode: 3,
      out: 'one\n',
      err: '',
    })
  })
})

test('a failed write of the output is an environment failure', async () => {
  expect(await run(['yes', '--json'], { outputBroken: true })).toEqual({
    exitCode: 3,
    out: '',
    err: 'error: could not write standard output\n',
  })
})

test('a failed write of the answer still reports that the change was made', async () => {
  const broken = { outputBroken: true }
  const { exitCode, err } = await run(['made', '--json'], broken)
  expect({ exitCode, err }).toEqual({
    exitCode: 3,
    err: expect.stringMatching(
      /could not write standard output\n {2}The change was made and is kept/,
    ),
  })
  expect((await run(['refused'], broken)).err).not.toContain('was made')
})

test.each(['--version', '-V', 'version'])('%s prints the version alone', async argument => {
  expect((await run([argument])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('the version comes as JSON too', async () => {
  expect(JSON.parse((await run(['--version', '--json'])).out)).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
  })
})
