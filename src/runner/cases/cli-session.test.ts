import { describe, expect, test } from 'vitest'
import { aSpecRun, block } from '../../../test/a-spec-run.ts'
import type { CommandSpec } from '../../world/world.ts'

/** The results of commands, as a shell that ran the session prints them. */
type Outputs = readonly (readonly [output: string, exitCode: number])[]

const markOf = ({ command }: CommandSpec) => /'([0-9a-f]{16}) 0 /.exec(command.at(-1) ?? '')?.[1]

async function ran(document: string, outputs: Outputs, exitCode = 0) {
  const { outcomes, started } = await aSpecRun(
    { 'a.spec.md': document },
    {
      script: command => ({
        stdout: outputs
          .map(([output, code], at) =>
            code < 0 ? output : `${output}\n${markOf(command)} ${at} ${code}\n`,
          )
          .join(''),
        exitCode,
      }),
    },
  )
  const { status, failure } = outcomes[0]?.outcome ?? {}
  return { started, failure, verdict: failure ? `${failure.category}: ${failure.message}` : status }
}

const session = (...lines: readonly string[]) =>
  ['# A', '```console', ...lines, '```', ''].join('\n')

describe('the commands of a case', () => {
  test('run in one shell in the contract root, with both outputs in one pipe', async () => {
    const { started, verdict } = await ran(session('$ one', 'a', '$ two', '[exit 3]'), [
      ['a\n', 0],
      ['', 3],
    ])
    expect(verdict).toBe('pass')
    expect(started).toMatchObject([{ cwd: '/r', stdin: '', joinsOutputs: true, timeoutMs: 30_000 }])
    expect(started[0]?.command.slice(0, 2)).toEqual(['sh', '-c'])
  })

  test('run in the shell and the folder that the block names', async () => {
    const { started } = await ran(
      '```console {harness: {entrypoint: bash -u, cwd: temp, timeout_ms: 50}}\n$ one\n```\n',
      [['', 0]],
    )
    expect(started[0]?.command.slice(0, 3)).toEqual(['bash', '-u', '-c'])
    expect(started[0]).toMatchObject({ timeoutMs: 50 })
    expect(started[0]?.cwd).not.toBe('/r')
  })

  test('fail at the line of the command whose exit code differs', async () => {
    const { failure } = await ran(session('$ one', '$ two', '[exit 3]'), [
      ['', 0],
      ['no\n', 1],
    ])
    expect(failure).toMatchObject({ category: 'assertion', path: 'commands[1].exit_code' })
    expect(failure?.message).toContain('exit_code expected=3 actual=1')
  })

  test('fail at the command whose output differs', async () => {
    const { failure } = await ran(session('$ one', 'a', '$ two', 'b'), [
      ['a\n', 0],
      ['c\n', 0],
    ])
    expect(failure).toMatchObject({ category: 'assertion', target: 'output[1]' })
  })

  test('fail if the shell ends before the last one', async () => {
    const document = session('$ one', '$ exit 3', '[exit 3]', '$ three')
    expect(
      (
        await ran(
          document,
          [
            ['', 0],
            ['', -1],
          ],
          3,
        )
      ).verdict,
    ).toBe('runtime: the shell ended in command 2 of 3, so the others did not run')
    expect(
      (
        await ran(
          document,
          [
            ['', 0],
            ['', -1],
          ],
          4,
        )
      ).failure?.message,
    ).toContain('exit_code expected=3 actual=4')
  })

  test('show the command and the output until they take too long', async () => {
    const { outcomes } = await aSpecRun(
      { 'a.spec.md': session('$ one', 'a', '$ two', '$ three') },
      {
        script: command => ({
          stdout: `a\n\n${markOf(command)} 0 0\nb\n`,
          takesMs: 10_000_000,
        }),
      },
    )
    expect(outcomes[0]?.outcome?.failure).toMatchObject({
      path: 'commands[1]',
      message: 'cli.run timed out after 30000 ms: sh\n  output:\n    | a\n    | b',
    })
  })

  test('can be written in YAML too, with the whole output and that of each command', async () => {
    const yaml = block(
      ...['id: A', 'type: cli.run', 'harness: {entrypoint: sh}'],
      ...['commands: [one, {run: two, exit_code: 1}]', 'assert:'],
      ...['- {target: output, must: [{equal: "a\\nb\\n"}]}'],
      ...['- {target: "output[1]", must: [{lines: b}]}'],
    )
    const outputs: Outputs = [
      ['a\n', 0],
      ['b\n', 1],
    ]
    expect((await ran(yaml, outputs)).verdict).toBe('pass')
    expect((await ran(yaml.replace('[1]"', '[2]"'), outputs)).verdict).toContain(
      'unknown assert target for cli.run: output[2]',
    )
    expect(
      (await ran(yaml.replace('type:', 'argv: [a]\nexit_code: 1\ntype:'), outputs)).verdict,
    ).toBe(
      'schema: argv cannot be combined with commands; exit_code cannot be combined with commands',
    )
  })
})
