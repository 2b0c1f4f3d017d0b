import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../../cli/run.ts'
import { checkVectors } from '../../project/conformance/conformance-check.ts'
import { readVectors } from '../../project/conformance/conformance-vectors.ts'
import { openContext } from '../../project/context.ts'
import { mustMatchShape } from '../../testing/must-match-shape.ts'
import { simWorld } from '../../testing/sim-world.ts'
import { ConformanceReport } from '../../wire/turn/vector.ts'
import { nodeWorld } from '../../world/node-world.ts'
import { operations } from '../index.ts'

const bindings = [
  'callId',
  'modelRef',
  'executionPattern',
  'normalizerId',
  'mutationPolicyDigest',
  'governancePolicyDigest',
  'toolRenderProtocolDigest',
  'reminderQueuePolicyDigest',
  'stateViewPolicyDigest',
  'decompositionPolicyDigest',
]

/** A turn of one call; `used` closes it. */
const turn = (used = true) => ({
  evidence: {
    callSpec: { actionMode: 'code', ...Object.fromEntries(bindings.map(name => [name, name])) },
    toolRequests: [{ toolCallId: 'call-1', toolName: 'file.read' }],
    toolResults: [{ toolCallId: 'call-1', payload: { lines: 3 } }],
    toolUse: used ? [{ toolCallId: 'call-1', disposition: 'observed' }] : [],
    protocolState: { stopReason: 'end_turn' },
  },
})

const accepted = { schema: 1, result: 'accepted', expectedFailureClasses: [] }
const rejected = {
  schema: 1,
  result: 'rejected',
  expectedFailureClasses: ['tool.use_missing', 'tool.join_incomplete'],
}

function vector(folder: string, vectorId: string, input: unknown, expected: unknown, suite = 's') {
  return {
    [`${folder}/case.json`]: JSON.stringify({ schema: 1, suiteId: suite, vectorId, input }),
    [`${folder}/expect.json`]: JSON.stringify(expected),
  }
}

const closed = vector('/v/golden/closed', 'golden/closed', turn(), accepted)
const open = vector('/v/deep/er/open', 'adversarial/open', turn(false), rejected)

async function run(
  args: readonly string[],
  files: Readonly<Record<string, string | Uint8Array>>,
  columns = 400,
) {
  const world = simWorld({ files, env: { COLUMNS: String(columns) } })
  const exitCode = await runCommand(['conformance', 'run', ...args], operations, world)
  return { exitCode, ...world.printed }
}

test('it prints a line for each vector, then the count', async () => {
  expect(await run(['/v'], { ...closed, ...open })).toEqual({
    exitCode: 0,
    out: 'ok   s/adversarial/open\nok   s/golden/closed\n2 passed, 0 failed\n',
    err: '',
  })
})

test('without a folder it runs the vectors of the package', async () => {
  const files = vector('/package/vectors/turn/golden/x', 'golden/x', turn(), accepted, 'turn')
  expect((await run([], files)).out).toBe('ok   turn/golden/x\n1 passed, 0 failed\n')
})

test('a folder that is itself a vector is run as one', async () => {
  expect((await run(['/v/golden/closed/'], closed)).out).toContain('1 passed')
})

describe('a file of vectors', () => {
  const entry = (changes: readonly object[], expected: Readonly<Record<string, unknown>>) => {
    const { schema: _, ...expect } = expected
    return { changes, expect }
  }
  const unused = { op: 'replace', path: '/evidence/toolUse', value: [] }
  const file = (more: object = {}) =>
    JSON.stringify({
      schema: 1,
      suiteId: 's',
      base: turn(),
      vectors: {
        'golden/of-file': { about: 'The base itself.', ...entry([], accepted) },
        'adversarial/of-file': entry([unused], rejected),
      },
      ...more,
    })

  test('is run beside folders, in the order of the names', async () => {
    const { exitCode, out } = await run(['/v'], { '/v/deep/a.vectors.json': file(), ...closed })
    expect({ exitCode, out }).toEqual({
      exitCode: 0,
      out: 'ok   s/adversarial/of-file\nok   s/golden/closed\nok   s/golden/of-file\n3 passed, 0 failed\n',
    })
  })

  test('can be named itself', async () => {
    expect((await run(['/v/a.vectors.json'], { '/v/a.vectors.json': file() })).out).toContain(
      '2 passed, 0 failed',
    )
  })

  test('changes the input', async () => {
    const vectors = { x: entry([unused], accepted), y: entry([unused], rejected) }
    const { exitCode, out } = await run(['/v'], { '/v/a.vectors.json': file({ vectors }) })
    expect(exitCode).toBe(1)
    expect(out).toContain('FAIL s/x\n     result: expected accepted, came rejected')
    expect(out).toContain('ok   s/y')
  })

  test('keeps the spelling of numbers', async () => {
    const digest = { resultSetDigest: `sha256:${'0'.repeat(64)}` }
    const came = async (lines: string) => {
      const path = '/evidence/toolResults/0/payload/lines'
      const change = { op: 'replace', path, value: 'LINES' }
      const vectors = { x: entry([change], { ...accepted, expectedDigests: digest }) }
      const text = file({ vectors }).replace('"LINES"', lines)
      return /came (sha256:\w+)/.exec((await run(['/v'], { '/v/a.vectors.json': text })).out)?.[1]
    }
    expect(await came('4.0')).toMatch(/^sha256:/)
    expect(await came('4.0')).not.toBe(await came('4'))
  })

  const x = (changes: readonly object[], more: object = {}) => ({
    vectors: { x: { ...entry(changes, accepted), ...more } },
  })

  test.each<[string, object, string]>([
    [
      'an unknown operation',
      x([{ op: 'move', path: '/a', from: '/b' }]),
      'vectors["x"].changes[0].op: ',
    ],
    [
      'an operation without a value',
      x([{ op: 'add', path: '/a' }]),
      'vectors["x"].changes[0].value: ',
    ],
    [
      'a path that leads nowhere',
      x([{ op: 'remove', path: '/evidence/a' }]),
      'x: cannot remove "/evidence/a": there is no member "a"',
    ],
    ['an unknown member', x([], { input: {} }), 'vectors["x"]: has an unknown member "input"'],
    ['an unknown result', x([], { expect: { result: 'maybe' } }), 'vectors["x"].expect.result: '],
    ['no base', { base: undefined }, 'base: '],
    [
      'a base that is no turn',
      { base: {}, ...x([]) },
      'x: not a turn to judge: evidence is missing',
    ],
  ])('is reported by name if it cannot be read: %s', async (_, more, message) => {
    const { exitCode, out, err } = await run(['/v'], { '/v/a.vectors.json': file(more) })
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
    expect(err).toContain(`/v/a.vectors.json: ${message}`)
  })
})

describe('a mismatch', () => {
  test('is printed with the expected and the actual value', async () => {
    const files = vector('/v/x', 'x', turn(false), accepted)
    const { exitCode, out } = await run(['/v'], { ...files, ...closed })
    expect(exitCode).toBe(1)
    expect(out.split('\n')).toEqual([
      'ok   s/golden/closed',
      'FAIL s/x',
      '     result: expected accepted, came rejected',
      '     failure classes: expected none, came tool.join_incomplete, tool.use_missing',
      '     tool.join_incomplete came at evidence: the turn is open: 1 answered but not used',
      '     tool.use_missing came at evidence.toolResults[call-1]: the result of call-1 has no use disposition',
      '1 passed, 1 failed',
      '',
    ])
  })

  test('fits a narrow page', async () => {
    const name = `golden/${'long-'.repeat(9)}name`
    const { out } = await run(['/v'], vector('/v/x', name, turn(false), accepted), 40)
    expect(out.split('\n').slice(0, 5)).toEqual([
      'FAIL s/golden/long-long-long-long-long-l',
      '     ong-long-long-long-name',
      '     result: expected accepted, came',
      '     rejected',
      '     failure classes: expected none,',
    ])
  })

  test('is in the report', async () => {
    const { exitCode, out } = await run(
      ['/v', '--json'],
      vector('/v/x', 'x', turn(), { ...accepted, expectedMutationReady: true }),
    )
    expect(exitCode).toBe(1)
    expect(mustMatchShape(ConformanceReport, JSON.parse(out))).toEqual({
      action: 'conformance-run',
      result: 'rejected',
      passed: 0,
      failed: 1,
      failureClasses: [],
      vectors: [
        {
          suiteId: 's',
          vectorId: 'x',
          result: 'accepted',
          mismatches: ['mutationReady: expected true, came false'],
        },
      ],
    })
  })

  const wrong = `sha256:${'0'.repeat(64)}`
  const empty = 'sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945'

  test('may be one class of several', async () => {
    const expected = { ...rejected, expectedFailureClasses: ['tool.use_missing'] }
    const { out } = await run(['/v'], vector('/v/x', 'x', turn(false), expected))
    expect(out).toContain(
      'failure classes: expected tool.use_missing, came tool.join_incomplete, tool.use_missing',
    )
  })

  test('may be joinClosed', async () => {
    const expected = { ...accepted, expectedJoinClosed: false }
    const { exitCode, out } = await run(['/v'], vector('/v/x', 'x', turn(), expected))
    expect(exitCode).toBe(1)
    expect(out).toContain('joinClosed: expected false, came true')
  })

  test('may be an expected digest', async () => {
    const expectedDigests = { toolRenderSetDigest: wrong, stateViewSetDigest: empty }
    const expected = { ...accepted, expectedDigests }
    const { exitCode, out } = await run(['/v'], vector('/v/x', 'x', turn(), expected))
    expect(exitCode).toBe(1)
    expect(out).toContain(`toolRenderSetDigest: expected ${wrong}, came ${empty}`)
    expect(out).not.toContain('stateViewSetDigest')
  })

  test('may be a vector that should have the digests of another', async () => {
    const other = turn()
    other.evidence.toolRequests = [{ toolCallId: 'call-1', toolName: 'file.write' }]
    const expected = { ...accepted, sameDigestsAs: 'golden/closed' }
    const { exitCode, out } = await run(['/v'], {
      ...vector('/v/a', 'a', other, expected),
      ...vector('/v/b', 'b', turn(), expected),
      ...closed,
    })
    expect(exitCode).toBe(1)
    expect(out).toMatch(
      /FAIL s\/a\n(?: {5}.*\n)* {5}requestSetDigest of golden\/closed: expected sha256:/,
    )
    expect(out).toContain('ok   s/b')
  })

  test('may be in digests.json, where an absent digest means that there is none', async () => {
    const input = { evidence: { ...turn().evidence, iteration: 1 } }
    const digests = await digestsOf(input)
    const { extensionSetDigest: _, ...fewer } = digests
    const files = (known: unknown) => ({
      ...vector('/v/x', 'x', input, accepted),
      '/v/digests.json': JSON.stringify({ x: { digests: known, expected: 'not read' } }),
    })
    expect((await run(['/v'], files(digests))).exitCode).toBe(0)
    const { exitCode, out } = await run(['/v'], files(fewer))
    expect(exitCode).toBe(1)
    expect(out).toContain('extensionSetDigest of digests.json: expected none, came sha256:')
  })

  test('may be an answer that depends on the order of rows', async () => {
    const context = openContext(simWorld({ files: closed }))
    let calls = 0
    // A hash that is no function stands for whatever could make an answer move.
    const fickle = { ...context, sha256: () => `${++calls}`.padStart(64, '0') }
    const report = await checkVectors([await readVectors('/v', context)], fickle)
    expect(report.failed).toBe(1)
    expect(report.vectors[0]?.mismatches).toContainEqual(
      expect.stringMatching(/^with rows reversed: callSpecDigest of the rows in order: expected/),
    )
  })
})

async function digestsOf(input: unknown): Promise<Record<string, string>> {
  const world = simWorld({ files: { '/t.json': JSON.stringify(input) } })
  await runCommand(['harness-join-check', '--input', '/t.json', '--json'], operations, world)
  return JSON.parse(world.printed.out).witness.digests
}

describe('suites', () => {
  const files = { ...closed, ...vector('/v/other', 'other', turn(), accepted, 'z') }

  test('can be chosen by name', async () => {
    expect((await run(['/v', '--suite', 'z'], files)).out).toBe(
      'ok   z/other\n1 passed, 0 failed\n',
    )
  })

  test('that are unknown are refused with the known names', async () => {
    expect(await run(['/v', '--suite', 'y'], files)).toEqual({
      exitCode: 2,
      out: '',
      err: 'error: no vector belongs to the suite "y"\n  available: s, z\n',
    })
  })

  test('have one folder each, even with equal names', async () => {
    const copy = vector('/w/golden/closed', 'golden/closed', turn(), accepted)
    const { exitCode, out } = await run(['/v', '/w'], { ...closed, ...copy })
    expect({ exitCode, out }).toEqual({
      exitCode: 0,
      out: 'ok   s/golden/closed\nok   s/golden/closed\n2 passed, 0 failed\n',
    })
  })
})

describe('an unreadable vector is reported with file and place', () => {
  const text = (path: string, content: string | Uint8Array) => ({ ...closed, [path]: content })
  const casePath = '/v/golden/closed/case.json'
  const expectPath = '/v/golden/closed/expect.json'
  const named = (member: object) =>
    text(casePath, JSON.stringify({ schema: 1, suiteId: 's', vectorId: 'x', input: {}, ...member }))

  test.each<[string, Record<string, string | Uint8Array>, string]>([
    [
      'a case that is not JSON',
      text(casePath, '{"schema":\n1,,'),
      `${casePath}: not readable as JSON`,
    ],
    ['its place', text(casePath, '{"schema":\n1,,'), 'at line 2, column 3'],
    [
      'a case that is not UTF-8',
      text(casePath, new Uint8Array([0x7b, 0xff])),
      'is not valid UTF-8',
    ],
    ['a case without a suite', named({ suiteId: ' ' }), `${casePath}: suiteId: `],
    [
      'a case with an unknown member',
      named({ inputs: 1 }),
      'has an unknown member "inputs"; did you mean input?',
    ],
    [
      'a case without input',
      text(casePath, '{"schema":1,"suiteId":"s","vectorId":"x"}'),
      `${casePath}: input: `,
    ],
    [
      'an input that is no turn',
      named({}),
      `${casePath}: not a turn to judge: evidence is missing`,
    ],
    [
      'a key given twice',
      text(casePath, '{"schema":1,"schema":1}'),
      'the key "schema" is given twice',
    ],
    ['an expectation that is no object', text(expectPath, '[]'), `${expectPath}: the document: `],
    [
      'an unknown result',
      text(expectPath, '{"schema":1,"result":"maybe","expectedFailureClasses":[]}'),
      `${expectPath}: result: `,
    ],
    [
      'a class that is not text',
      text(expectPath, '{"schema":1,"result":"rejected","expectedFailureClasses":["a",1]}'),
      'expectedFailureClasses[1]: ',
    ],
    [
      'a digest of the wrong form',
      text(expectPath, JSON.stringify({ ...accepted, expectedDigests: { useSetDigest: 'x' } })),
      'expectedDigests.useSetDigest: ',
    ],
    [
      'a twin that is not there',
      text(expectPath, JSON.stringify({ ...accepted, sameDigestsAs: 'golden/none' })),
      'sameDigestsAs: golden/none is not here',
    ],
    [
      'a case alone',
      { ...closed, '/v/half/case.json': '{}' },
      '/v/half: case.json: has no expect.json beside it',
    ],
    [
      'an expectation alone',
      { ...closed, '/v/half/expect.json': '{}' },
      '/v/half: expect.json: has no case.json beside it',
    ],
    [
      'an id given twice',
      { ...closed, ...vector('/v/z', 'golden/closed', turn(), accepted) },
      `vectorId: is s/golden/closed, which ${casePath} is too`,
    ],
    [
      'digests that are no object',
      text('/v/digests.json', '[]'),
      '/v/digests.json: the document: ',
    ],
    [
      'digests that are incomplete',
      text('/v/digests.json', '{"golden/closed":{"digests":{}}}'),
      '/v/digests.json: golden/closed.digests.',
    ],
    [
      'digests of no vector',
      text('/v/digests.json', `{"golden/none":{"digests":${JSON.stringify(someDigests())}}}`),
      '"golden/none": is no vector of this folder',
    ],
    ['a folder that is not there', {}, 'there is no file or folder /v'],
    ['a folder without vectors', { '/v/a/b.txt': '' }, 'there is no vector in /v'],
    [
      'a folder that is too deep',
      vector(`/v${'/a'.repeat(40)}`, 'x', turn(), accepted),
      'too deep to be a folder of vectors',
    ],
  ])('%s', async (_, files, message) => {
    const { exitCode, out, err } = await run(['/v'], files)
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
    expect(err).toContain(message)
    expect(err).not.toContain('    at ')
  })

  test('a folder without a name', async () => {
    const { exitCode, err } = await run([''], vector('/v/z', 'golden/closed', turn(), accepted))
    expect(exitCode).toBe(2)
    expect(err).toContain('the name of a folder is empty')
  })
})

function someDigests() {
  const names = [
    'callSpec',
    'joinSet',
    'protocolState',
    'reminderQueueSet',
    'requestSet',
    'resultSet',
  ]
  return Object.fromEntries(
    [...names, 'stateViewSet', 'toolRenderSet', 'useSet'].map(name => [
      `${name}Digest`,
      `sha256:${'0'.repeat(64)}`,
    ]),
  )
}

test('numbers keep their spelling, and in a payload the last duplicate key wins', async () => {
  const document = JSON.stringify({ schema: 1, suiteId: 's', vectorId: 'x', input: turn() })
  const resultSetDigest = `sha256:${'0'.repeat(64)}`
  const came = async (payload: string) => {
    const { out } = await run(['/v'], {
      '/v/x/case.json': document.replace('{"lines":3}', payload),
      '/v/x/expect.json': JSON.stringify({ ...accepted, expectedDigests: { resultSetDigest } }),
    })
    return /came (sha256:\w+)/.exec(out)?.[1]
  }
  expect(await came('{"lines":3.0}')).not.toBe(await came('{"lines":3}'))
  expect(await came('{"lines":1,"lines":3}')).toBe(await came('{"lines":3}'))
})

test('the claims of the surrounding project do not affect a vector', async () => {
  const registry = JSON.stringify({ profileOverlayClaims: ['profile.doctrine_inf_governance.v0'] })
  const files = { ...closed, '/.premath/capability-registry.json': registry }
  expect((await run(['/v'], files)).exitCode).toBe(0)
})

test('an id cannot control the terminal', async () => {
  const { out } = await run(['/v'], vector('/v/x', 'a\u001b[2J\nok   s/forged', turn(), accepted))
  expect(out).toBe('ok   s/a\\u001b[2J\\u000aok   s/forged\n1 passed, 0 failed\n')
})

test('a link that leads back into its own folder is harmless', async () => {
  const root = mkdtempSync(join(tmpdir(), 'premath-vectors-'))
  try {
    mkdirSync(join(root, 'x'))
    for (const [path, content] of Object.entries(vector('x', 'x', turn(), accepted))) {
      writeFileSync(join(root, path), content)
    }
    symlinkSync(root, join(root, 'x/loop'))
    const context = openContext(nodeWorld())
    expect((await readVectors(root, context)).map(({ vectorId }) => vectorId)).toEqual(['x'])
  } finally {
    rmSync(root, { recursive: true })
  }
})
