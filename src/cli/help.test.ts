import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { widthOf } from '../kernel/text/text-width.ts'
import { operations } from '../operations/index.ts'
import { operation } from '../operations/operation.ts'
import { simWorld } from '../testing/sim-world.ts'
import { any } from '../wire/shape.ts'
import { allCommands } from './commands.ts'
import { runCommand } from './run.ts'

const commands = allCommands({
  'turn judge': async () =>
    operation({
      group: 'gate',
      summary: 'Judge one turn.',
      description: 'Reads the turn, decides, and says why. Nothing is written anywhere.',
      effect: 'read',
      opId: 'op/test.one',
      output: any,
      input: {
        input: { type: 'text', describe: 'The turn.', placeholder: 'file', required: true },
        format: { type: 'choice', values: ['a', 'b'], describe: 'Its format.', default: 'a' },
        tag: { type: 'text', describe: 'A tag.', many: true },
        strict: { type: 'flag', describe: 'No mercy.', also: ['severe'] },
        era: { type: 'text', describe: 'Has no effect.', noEffect: 'there is one' },
      },
      examples: { 'premath turn judge --input turn.json': 'a verdict' },
      run: async () => ({ output: {}, yes: true, render: () => '' }),
    }),
})

async function run(argv: readonly string[], columns = 80, from = commands) {
  const world = simWorld({ columns, env: { NO_COLOR: '1' } })
  return { exitCode: await runCommand(argv, from, world), ...world.printed }
}

test('a command is explained in full', async () => {
  expect((await run(['help', 'turn', 'judge'])).out).toMatchInlineSnapshot(`
    "Judge one turn.

    Usage: premath turn judge --input <file> [--format <format>] [--tag <tag>…]
      [--strict] [--json]

    Reads the turn, decides, and says why. Nothing is written anywhere.

    Takes
      --input <file>     The turn. (required)
      --format <format>  Its format. (one of a, b; default a)
      --tag <tag>        A tag. (may be repeated)
      --strict           No mercy. (also --severe)
      --era <era>        Has no effect.
      --json             Print the result as JSON on standard output.
      --help             Show help; -h does the same.

    Examples
      premath turn judge --input turn.json
          a verdict

    Exit codes
      0  yes, or done
      1  the answer is no: a turn rejected, a change refused, a check not passed
      2  bad usage, or input that could not be read
      3  the environment failed: a disk, a stream, or premath itself
      4  conflict: somebody else got there first
      5  integrity: stored data is not what it must be
    "
  `)
})

test('without arguments the help lists the commands by task', async () => {
  const { exitCode, out } = await run([])
  expect(exitCode).toBe(0)
  const order = ['Judge a turn', 'turn judge', 'Look things up', 'completion', 'Exit codes']
  expect(order.map(text => out.indexOf(text)).toSorted((a, b) => a - b)).toEqual(
    order.map(text => out.indexOf(text)),
  )
})

test.each([[['--help']], [['-h']], [['help']], [[]]])('%j is the same page', async argv => {
  expect(await run(argv)).toEqual(await run(['help']))
})

test.each([
  [['turn', 'judge', '--help']],
  [['turn', 'judge', '-h']],
  [['-h', 'turn', 'judge']],
  [['help', 'turn judge']],
  [['help', ' turn  judge ']],
])('%j is the page of the command', async argv => {
  expect(await run(argv)).toEqual(await run(['help', 'turn', 'judge']))
})

test.each([[['help', 'turn']], [['turn', '--help']], [['-h', 'turn']]])(
  '%j lists the commands that begin so',
  async argv => {
    const { exitCode, out, err } = await run(argv)
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })
    expect(out).toContain('turn judge')
    expect(out).not.toContain('completion')
  },
)

test.each([[['help', 'harness-kpi']], [['harness-kpi', '--help']], [['-h', 'harness-kpi']]])(
  '%j is the page of a command that begins another one too',
  async argv => {
    const { out } = await run(argv, 80, allCommands(operations))
    expect(out).toContain('Usage: premath harness-kpi [--window-hours <n>]')
    expect(out).toContain('premath harness-kpi remediate --reason')
  },
)

test('the longer command has a page of its own', async () => {
  const { out } = await run(['help', 'harness-kpi', 'remediate'], 80, allCommands(operations))
  expect(out).toContain('Usage: premath harness-kpi remediate --reason <text>')
})

describe.each([20, 40, 60, 80, 100])('on a terminal of %i columns', columns => {
  const tooWide = (out: string) => out.split('\n').filter(line => widthOf(line) > columns)

  test('the overview fits', async () => {
    expect(tooWide((await run(['help'], columns, allCommands(operations))).out)).toEqual([])
  })

  test.each(Object.keys(operations))('the help of %s fits', async command => {
    const { out } = await run(['help', ...command.split(' ')], columns, allCommands(operations))
    expect(out).toContain('Exit codes')
    expect(tooWide(out)).toEqual([])
  })
})

test('an example that is too long can still be pasted into a shell', async () => {
  const { out } = await run(['help', 'issue', 'add'], 60, allCommands(operations))
  expect(out).toContain(
    [
      '  premath issue add "Ship it" --type epic --label \\',
      '    release --spec specs/ship.spec.md\n',
    ].join('\n'),
  )
})

test('help for a program names every command and field', async () => {
  const { commands, exitCodes } = JSON.parse((await run(['help', '--json'])).out)
  expect(commands.map(({ command }: { command: string }) => command)).toEqual([
    'turn judge',
    'completion',
    'help',
    'version',
  ])
  expect(commands[0].fields[1]).toEqual({
    name: 'format',
    flag: '--format',
    type: 'choice',
    values: ['a', 'b'],
    describe: 'Its format.',
    default: 'a',
  })
  expect(Object.keys(exitCodes)).toEqual(['0', '1', '2', '3', '4', '5'])
})

test('help for an unknown command suggests the nearest', async () => {
  const { exitCode, err } = await run(['help', 'versoin'])
  expect(exitCode).toBe(2)
  expect(err).toContain('did you mean: premath version')
})

test('[spec.9.trust] help and security notes say whom specs are trusted by', async () => {
  const { out } = await run(['help', 'spec', 'run'], 80, allCommands(operations))
  const help = out.replace(/\s+/g, ' ')
  const notes = readFileSync('SECURITY.md', 'utf8')
  for (const words of [
    /\bspecs are trusted\b|\btrust their specs\b/i,
    /SPEC_RUNNER_SAFE_MODE=1/,
    /SPEC_RUNNER_ENV_ALLOWLIST=/,
    /inherits? (?:your|the) environment/,
  ]) {
    expect(help).toMatch(words)
    expect(notes).toMatch(words)
  }
  expect(help).toContain('Read specs of others before you run them.')
  expect(notes).toContain('specs from a source that you do not trust is unsafe')
})
