import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bound, callSpec, evidence, governanceProfileId } from '../../../test/a-turn.ts'
import { allCommands } from '../../cli/commands.ts'
import { runCommand } from '../../cli/run.ts'
import { mustMatchShape } from '../../testing/must-match-shape.ts'
import { type SimSetup, simWorld } from '../../testing/sim-world.ts'
import { JoinReport, UnreadableLine } from '../../wire/turn/join-report.ts'
import { nodeWorld } from '../../world/node-world.ts'
import { operations } from '../index.ts'

const commands = allCommands(operations)
const closed = JSON.stringify({ evidence: evidence(['a']) })
const open = JSON.stringify({ evidence: evidence(['a'], { toolUse: [] }) })

async function run(flags: readonly string[], setup: SimSetup = {}) {
  const world = simWorld(setup)
  const exitCode = await runCommand(['harness-join-check', ...flags], commands, world)
  return { exitCode, ...world.printed }
}

/** Checks a file `/turn.json` with this content. */
const check = (content: string | Uint8Array, ...flags: string[]) =>
  run(['--input', '/turn.json', ...flags], { files: { '/turn.json': content } })

describe('departure (h): the exit code is the verdict', () => {
  test.each([
    [0, 'closed', closed],
    [1, 'open', open],
    [2, 'no turn', '{}'],
  ])('%i for a turn that is %s', async (exitCode, _, content) => {
    for (const flags of [[], ['--json'], ['--explain'], ['--ndjson']]) {
      expect((await check(content, ...flags)).exitCode).toBe(exitCode)
    }
  })
})

test('the text verdict names turn, file, class, place and remedy', async () => {
  expect(await check(open)).toEqual({
    exitCode: 1,
    err: '',
    out: `rejected  turn turn-1 (/turn.json): 2 failure classes

tool.join_incomplete
  evidence: the turn is open: 1 answered but not used
  → Close each open call named beside this finding.

tool.use_missing
  evidence.toolResults[a]: the result of a has no use disposition
  → Record the use of the result: consumed, observed, discarded or
  retry_scheduled.
`,
  })
})

test('stdin is an input like any other', async () => {
  const { exitCode, out } = await run(['--input', '-'], { input: closed })
  expect(exitCode).toBe(0)
  expect(out).toContain('accepted  turn turn-1 (standard input)')
})

test('--json prints the published report', async () => {
  for (const content of [closed, open]) {
    const { out } = await check(content, '--json')
    mustMatchShape(JoinReport, JSON.parse(out))
  }
})

test('--explain and --ndjson exclude each other', async () => {
  const { exitCode, err } = await check(closed, '--explain', '--ndjson')
  expect(exitCode).toBe(2)
  expect(err).toContain('--explain and --ndjson exclude each other')
})

test('the registry of the project claims governance for every input', async () => {
  const registry = JSON.stringify({ profileOverlayClaims: [governanceProfileId] })
  const input = JSON.stringify({ evidence: evidence([]), governanceProfile: { claimed: false } })
  const files = { '/turn.json': input, '/.premath/capability-registry.json': registry }
  for (const flags of [['--json'], ['--ndjson']]) {
    const { out } = await run(['--input', '/turn.json', ...flags], { files })
    expect(JSON.parse(out).failureClasses).toEqual(['governance.policy_package_unpinned'])
  }
})

describe('the schema checker is loaded when a turn needs it', () => {
  const tools = [{ toolName: 'fs.read', inputSchema: { type: 'object', required: ['path'] } }]
  const turn = (given: object) =>
    JSON.stringify({
      evidence: evidence(['a'], {
        ...bound({ toolPolicy: { tools } }),
        toolRequests: [{ toolCallId: 'a', toolName: 'fs.read', arguments: given }],
      }),
    })

  test('for one document and for each line', async () => {
    const results = async (content: string, flag: string) =>
      (await check(content, flag)).out
        .trim()
        .split(flag === '--json' ? '\0' : '\n')
        .map(text => JSON.parse(text).result)
    expect(await results(turn({ path: 'x' }), '--json')).toEqual(['accepted'])
    expect(await results(turn({}), '--json')).toEqual(['rejected'])
    const lines = [turn({}), turn({ path: 'x' }), turn({}), closed].join('\n')
    expect(await results(lines, '--ndjson')).toEqual([
      'rejected',
      'accepted',
      'rejected',
      'accepted',
    ])
  })
})

const deep = (depth: number) => `{"evidence":${'['.repeat(depth)}`

/** Each invalid input with the expected message. */
const badInputs: readonly (readonly [string, string | Uint8Array, string])[] = [
  [
    'nothing',
    '',
    'not readable as JSON: the end of the text where a value should be, at line 1, column 1',
  ],
  [
    'no JSON',
    '{"evidence":\n  nope}',
    'not readable as JSON: "n" where a value should be, at line 2, column 3',
  ],
  [
    'a byte-order mark',
    `\ufeff${closed}`,
    'not readable as JSON: U+FEFF where a value should be, at line 1, column 1',
  ],
  [
    'bytes that are not UTF-8',
    Buffer.from('7b0a2022ff', 'hex'),
    'is not valid UTF-8, at line 2, byte 3 of it',
  ],
  [
    'another kind of document',
    '[1]',
    'not a turn to judge: the input must be an object, not a list',
  ],
  ['no evidence', '{}', 'not a turn to judge: evidence is missing'],
  [
    'evidence of the wrong kind',
    '{"evidence":7}',
    'not a turn to judge: evidence must be an object, not the number 7',
  ],
  [
    'a malformed block',
    `{"evidence":{},"mutation":[]}`,
    'not a turn to judge: mutation must be an object, not a list',
  ],
  [
    'too deep nesting',
    deep(200),
    'not readable as JSON: nested more than 127 levels deep, at line 1, column 139',
  ],
  [
    'a key given twice',
    '{"evidence":{},"evidence":{}}',
    'not readable as JSON: the key "evidence" is given twice, at line 1, column 16',
  ],
  [
    'half a surrogate pair',
    '{"evidence":"\\ud800"}',
    'not readable as JSON: a string with half of a surrogate pair, at line 1, column 13',
  ],
  [
    'a number out of range',
    '{"evidence":1e999}',
    'not readable as JSON: the number 1e999 is out of range, at line 1, column 13',
  ],
]

describe('bad input is reported with file, place and remedy, and exits 2', () => {
  test.each(badInputs)('%s', async (_, content, message) => {
    const { exitCode, out, err } = await check(content)
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
    expect(err.split('\n')).toEqual([
      `error: /turn.json: ${message}`,
      expect.stringMatching(/^ {2}\S.*\.$/),
      '',
    ])
  })

  test('under --json bad input is printed as JSON, with its place', async () => {
    const { exitCode, out } = await check('{"evidence":\n  nope}', '--json')
    expect(JSON.parse(out)).toEqual({
      error: {
        code: 'invalid_input',
        detail: { source: '/turn.json', line: 2, column: 3 },
        hint: 'Fix the document at that place and run again.',
        message:
          '/turn.json: not readable as JSON: "n" where a value should be, at line 2, column 3',
      },
      exitCode: 2,
    })
    expect(exitCode).toBe(2)
  })

  test.each([
    ['a missing file', '/nope.json', 'there is no file or folder /nope.json'],
    ['a folder', '/folder', '/folder is a folder, not a file'],
  ])('%s', async (_, path, message) => {
    const setup = { files: { '/folder/x': '' } }
    for (const flags of [[], ['--ndjson']]) {
      expect(await run(['--input', path, ...flags], setup)).toEqual({
        ...{ exitCode: 2, out: '', err: `error: ${message}\n` },
      })
    }
  })

  test('a file with a one-letter name is named too', async () => {
    const { err } = await run(['--input', 't'], { files: { '/t': '{}' } })
    expect(err).toMatch(/^error: t: not a turn to judge: evidence is missing\n/)
  })

  test('stdin is named as such', async () => {
    const { err } = await run(['--input', '-'], { input: '{' })
    expect(err).toContain('error: standard input: not readable as JSON')
  })
})

test('fifty megabytes of nesting are refused by place', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'premath-deep-'))
  try {
    const path = join(folder, 'deep.json')
    writeFileSync(path, Buffer.alloc(50_000_000, '['))
    const { files } = nodeWorld()
    const world = { ...simWorld(), files }
    const exitCode = await runCommand(['harness-join-check', '--input', path], commands, world)
    expect(exitCode).toBe(2)
    expect(world.printed).toMatchObject({
      out: '',
      err: expect.stringContaining(
        `${path}: not readable as JSON: nested more than 127 levels deep, at line 1, column 128`,
      ),
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

describe('odd input is judged', () => {
  const findings = async (content: string) => {
    const { out } = await check(content, '--json')
    expect(out.length).toBeLessThan(20_000)
    return (JSON.parse(out).findings as { at: string; message: string }[]).map(
      ({ at, message }) => `${at} ${message}`,
    )
  }

  test('an id of a megabyte', async () => {
    const id = 'i'.repeat(1_000_000)
    expect(
      await findings(
        JSON.stringify({
          evidence: evidence([], { toolUse: [{ toolCallId: id, disposition: 'observed' }] }),
        }),
      ),
    ).toEqual([
      `evidence.toolUse["${'i'.repeat(40)}…"].toolCallId is 1000000 characters long; the most is 4096`,
    ])
  })

  test('an unknown action mode', async () => {
    const input = { evidence: evidence([], bound({ actionMode: 'dance' })) }
    expect(await findings(JSON.stringify(input))).toEqual([
      'evidence.callSpec.actionMode is dance, which is none of code, json, text',
    ])
  })

  test('keys that every object inherits', async () => {
    const text = closed.replace(
      '{"evidence":{',
      '{"__proto__":{"a":1},"evidence":{"__proto__":null,',
    )
    const { exitCode, out } = await check(text, '--json')
    expect(exitCode).toBe(0)
    expect(JSON.parse(out).ignoredKeys).toEqual(['__proto__', 'evidence.__proto__'])
  })
})

describe('a stream', () => {
  const stream = async (input: string | Uint8Array) => {
    const { exitCode, out, err } = await run(['--input', '-', '--ndjson'], { input })
    expect(err).toBe('')
    const reports = out.split('\n')
    expect(reports.pop()).toBe('')
    return { exitCode, reports: reports.map(text => JSON.parse(text)) }
  }
  const brief = ({
    line,
    result,
    error,
  }: {
    line: number
    result: string
    error?: { message: string }
  }) => (error ? `${line} ${result}: ${error.message}` : `${line} ${result}`)

  test('has a report a line, in order, as if each were judged alone', async () => {
    const { exitCode, reports } = await stream(`${closed}\n${open}\n${closed}\n`)
    expect(exitCode).toBe(1)
    expect(reports.map(brief)).toEqual(['1 accepted', '2 rejected', '3 accepted'])
    const alone = JSON.parse((await check(open, '--json')).out)
    expect(reports[1]).toEqual({ ...alone, line: 2 })
  })

  test('exits 0 if every turn is accepted', async () => {
    expect((await stream(`${closed}\n${closed}`)).exitCode).toBe(0)
  })

  test('continues after a bad line, and exits 2', async () => {
    const bad = [closed, '{"evidence":', open, '', ' \t\r', '[]', `${closed}\r`, 'é{}', closed]
    const { exitCode, reports } = await stream(bad.join('\n'))
    expect(exitCode).toBe(2)
    expect(reports.map(brief)).toEqual([
      '1 accepted',
      '2 rejected: line 2: not readable as JSON: the end of the text where a value should be, at line 2, column 13',
      '3 rejected',
      '6 rejected: line 6: not a turn to judge: the input must be an object, not a list',
      '7 accepted',
      '8 rejected: line 8: not readable as JSON: U+00E9 where a value should be, at line 8, column 1',
      '9 accepted',
    ])
    expect(reports[1]).toEqual({
      action: 'harness-join-check',
      error: {
        code: 'invalid_input',
        detail: { source: 'line 2', line: 2, column: 13 },
        hint: 'Fix the document at that place and run again.',
        message: expect.any(String),
      },
      failureClasses: [],
      findings: [],
      joinClosed: false,
      line: 2,
      mutationReady: false,
      result: 'rejected',
    })
  })

  test.each(
    badInputs.filter(([, content]) => content !== '' && !content.toString().includes('\n')),
  )('of %s has a rejected result of the published shape', async (_, content, message) => {
    const input = Buffer.concat([Buffer.from(`${closed}\n`), Buffer.from(content)])
    const { exitCode, reports } = await stream(input)
    expect(exitCode).toBe(2)
    expect(brief(reports[1])).toBe(
      `2 rejected: line 2: ${message.replace('at line 1', 'at line 2')}`,
    )
    mustMatchShape(UnreadableLine, reports[1])
  })

  test('with a byte-order mark has a bad first line only', async () => {
    const { reports } = await stream(`\ufeff${closed}\n${closed}\n`)
    expect(reports.map(report => report.result)).toEqual(['rejected', 'accepted'])
  })

  test('with bytes that are not UTF-8 has a bad line only', async () => {
    const input = Buffer.concat([
      Buffer.from(`${closed}\n{"`),
      Buffer.from([0xff]),
      Buffer.from(`"}\n${closed}`),
    ])
    const { exitCode, reports } = await stream(input)
    expect(exitCode).toBe(2)
    expect(reports.map(brief)).toEqual([
      '1 accepted',
      '2 rejected: line 2: is not valid UTF-8, at line 2, byte 3 of it',
      '3 accepted',
    ])
  })

  test('prints each report immediately, even if the next line never comes', async () => {
    let printed = ''
    const world = simWorld()
    async function* slow() {
      yield Buffer.from(`${closed}\n{"half":`)
      printed = world.printed.out
    }
    const exitCode = await runCommand(
      ['harness-join-check', '--input', '-', '--ndjson'],
      commands,
      {
        ...world,
        input: slow(),
      },
    )
    expect(exitCode).toBe(2)
    expect(JSON.parse(printed)).toMatchObject({ line: 1, result: 'accepted' })
  })
})

test('an input leaves no state for the next one', async () => {
  const other = JSON.stringify({
    evidence: evidence(['a'], { callSpec: { ...callSpec, callId: 'other' } }),
  })
  const { out } = await run(['--input', '-', '--ndjson'], {
    input: `${closed}\n${other}\n${closed}`,
  })
  const [first, second, third] = out
    .trim()
    .split('\n')
    .map(text => JSON.parse(text))
  expect(third).toEqual({ ...first, line: 3 })
  expect(second.normalized.callSpec.callId).toBe('other')
})
