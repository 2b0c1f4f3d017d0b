import { describe, expect, test } from 'vitest'
import { bound, callSpec, evidence, found, judged, kit, read } from '../../../test/a-turn.ts'
import { Fault } from '../../fault.ts'
import { canonicalJson } from '../canonical.ts'
import type { Json } from '../json.ts'
import { normalizeTurn } from './normalize.ts'

const digest = (text: string) => `sha256:${kit.sha256(text)}`

function refusal(input: Json) {
  try {
    normalizeTurn(input, kit)
  } catch (error) {
    if (error instanceof Fault && error.code === 'invalid_input') return error.message
    throw error
  }
  throw new Error('was taken for a turn')
}

describe('a value that is not a turn is bad input, with its place', () => {
  const turn = { evidence: evidence([]) }

  test.each([
    [null, 'the input must be an object, not null'],
    [[], 'the input must be an object, not a list'],
    ['"x"', 'the input must be an object, not text'],
    [{}, 'evidence is missing'],
    [{ evidence: null }, 'evidence must be an object, not null'],
    [{ evidence: [] }, 'evidence must be an object, not a list'],
    [{ ...turn, governanceProfile: {} }, 'governanceProfile.claimed is missing'],
    [
      { ...turn, governanceProfile: { claimed: 'yes' } },
      'governanceProfile.claimed must be true or false, not text',
    ],
    [
      { ...turn, governanceProfile: { claimed: true, policyProvenance: {} } },
      'governanceProfile.policyProvenance.pinned is missing',
    ],
    [{ ...turn, governanceProfile: [] }, 'governanceProfile must be an object, not a list'],
    [
      { ...turn, protocolConstraints: { parallelTransportOrderValid: 1 } },
      'protocolConstraints.parallelTransportOrderValid must be true or false, not the number 1',
    ],
    [
      { ...turn, truncationConstraints: { required: null } },
      'truncationConstraints.required must be true or false, not null',
    ],
    [
      { ...turn, handoffConstraints: { allowedTargets: 'a' } },
      'handoffConstraints.allowedTargets must be a list of text, not text',
    ],
    [
      { ...turn, decompositionConstraints: { expectedPolicyDigest: 1 } },
      'decompositionConstraints.expectedPolicyDigest must be text, not the number 1',
    ],
    [{ ...turn, mutation: { kind: 'issue' } }, 'mutation.action is missing'],
    [{ ...turn, mutation: 'close' }, 'mutation must be an object, not text'],
    [{ ...turn, policies: [] }, 'policies must be an object, not a list'],
    [
      { ...turn, policies: { mutationPolicyDigest: 'x' } },
      'policies.mutationPolicyDigest must be an object, not text',
    ],
  ])('%j', (input, message) => {
    expect(refusal(read(input))).toBe(`not a turn to judge: ${message}`)
  })

  test('null in place of a block means no block', () => {
    const blocks = ['governanceProfile', 'protocolConstraints', 'handoffConstraints', 'mutation']
    const claims = Object.fromEntries(blocks.map(name => [name, null]))
    expect(found(evidence([]), claims)).toEqual([])
  })
})

describe('departure (c): a list in place of an object breaks the contract of its place', () => {
  test.each(['callSpec', 'protocolState', 'handoff'])('%s', name => {
    expect(found(evidence([], { [name]: [] }))).toContain(`tool.schema_invalid at evidence.${name}`)
  })

  test.each([
    'toolRequests',
    'toolResults',
    'toolUse',
    'toolRender',
    'reminderQueue',
    'stateViews',
  ])('a row of %s', name => {
    expect(found(evidence([], { [name]: [[]] }))).toEqual([
      `tool.schema_invalid at evidence.${name}[0]`,
    ])
  })

  test('a constraint block is bad input', () => {
    const claims = { evidence: evidence([]), truncationConstraints: [true, true] }
    expect(refusal(read(claims))).toContain('truncationConstraints must be an object, not a list')
  })
})

describe('departure (d): a key given twice', () => {
  const turn = (row: string) =>
    `{"evidence":{"callSpec":${JSON.stringify(callSpec)},"protocolState":{"stopReason":"end_turn"},` +
    `"toolRequests":[{"toolCallId":"a","toolName":"t"${row}}]}}`

  test('in a row is bad input', () => {
    expect(() => read(turn(',"toolName":"u"'))).toThrow('the key "toolName" is given twice')
  })

  test('in an unknown value of a row is bad input', () => {
    expect(() => read(turn(',"more":{"x":1,"x":2}'))).toThrow('the key "x" is given twice')
  })

  test('in a value of the same name elsewhere is bad input', () => {
    for (const name of ['payload', 'rawError']) {
      expect(() => read(turn(`,"${name}":{"x":1,"x":2}`))).toThrow('the key "x" is given twice')
    }
  })

  test('inside payload, rawError and arguments the last one wins', () => {
    const result = (name: string) =>
      turn(`}],"toolResults":[{"toolCallId":"a","${name}":{"x":1,"x":2}`)
    expect(() => [result('payload'), result('rawError')].map(read)).not.toThrow()
    const { requests } = normalizeTurn(read(turn(',"arguments":{"x":1,"x":2}')), kit)
    expect(requests[0]?.argumentsDigest).toBe(digest('{"x":2}'))
  })
})

test('departure (e): an unknown action mode is refused and stays in the call spec', () => {
  const report = judged({ evidence: evidence(['a'], bound({ actionMode: ' Telepathy ' })) })
  expect(report.findings).toMatchObject([
    {
      failureClass: 'tool.schema_invalid',
      at: 'evidence.callSpec.actionMode',
      message: 'is telepathy, which is none of code, json, text',
    },
  ])
  expect(report.normalized.callSpec['actionMode']).toBe('telepathy')
})

describe('departure (f): a row that breaks its contract is a finding', () => {
  test('each field of the call spec is required', () => {
    expect(found(evidence([], { callSpec: {} }))).toEqual(
      Object.keys(callSpec)
        .map(name => `tool.schema_invalid at evidence.callSpec.${name}`)
        .toSorted(),
    )
  })

  test('a broken call spec or protocol state is a finding', () => {
    expect(found({})).toEqual([
      'protocol.stop_reason_unhandled at evidence.protocolState.stopReason',
      'tool.schema_invalid at evidence.callSpec',
      'tool.schema_invalid at evidence.protocolState',
    ])
  })

  test('a refused row with a readable id still counts', () => {
    expect(found(evidence(['a'], { toolRequests: [{ toolCallId: 'a' }] }))).toEqual([
      'tool.schema_invalid at evidence.toolRequests[a].toolName',
    ])
  })

  test('a surface that is null is refused and read as empty', () => {
    expect(found(evidence(['a'], { toolUse: null }))).toEqual([
      'tool.join_incomplete at evidence',
      'tool.schema_invalid at evidence.toolUse',
      'tool.use_missing at evidence.toolResults[a]',
    ])
  })
})

test('a null handoff is absent, and an unreadable one is present without content', () => {
  const handoff = (value: unknown) => judged({ evidence: evidence([], { handoff: value }) })
  expect(handoff(null).normalized.handoff).toBeUndefined()
  expect(handoff(null).witness.digests.handoffDigest).toBeUndefined()
  expect(handoff({}).normalized.handoff).toEqual({})
  expect(handoff({}).witness.digests.handoffDigest).toBe(digest('{}'))
})

describe('extended fields change only the digests of their rows', () => {
  const digests = (more: object) => judged({ evidence: evidence(['a'], more) }).normalized.digests
  const base = digests({})

  test('a turn without them has no extension digest', () => {
    expect(base.extensionSetDigest).toBeUndefined()
    expect(digests({ compaction: null, traceMode: ' ', unknown: 1 })).toEqual(base)
  })

  test('an extended field of a row changes that set and the join', () => {
    const toolUse = [{ toolCallId: 'a', disposition: 'observed', summaryRef: 's' }]
    const changed = digests({ toolUse })
    expect(
      Object.keys(base).filter(name => Reflect.get(changed, name) !== Reflect.get(base, name)),
    ).toEqual(['joinSetDigest', 'useSetDigest'])
  })

  test('extended evidence has a digest of its own, which is in the join', () => {
    const { extensionSetDigest, joinSetDigest, ...rest } = digests({ traceMode: ' Dashboard' })
    const { joinSetDigest: baseJoin, ...others } = base
    expect(extensionSetDigest).toBe(digest('{"traceMode":"dashboard"}'))
    expect(joinSetDigest).not.toBe(baseJoin)
    expect(rest).toEqual(others)
  })

  test('rows of extended sets are sorted by their text, each once', () => {
    const row = (ref: string) => ({ role: 'orchestrator', ref, mode: 'Read' })
    const { normalized } = judged({
      evidence: evidence([], { contextAccess: [row('b'), row('a'), row(' b ')] }),
    })
    expect(normalized.extension).toEqual({
      contextAccess: [
        { mode: 'read', ref: 'a', role: 'orchestrator' },
        { mode: 'read', ref: 'b', role: 'orchestrator' },
      ],
    })
  })

  test('numbers keep their canonical text', () => {
    const escalation = '{"metric":"m","value":1E2,"ref":"r"}'
    const text = JSON.stringify({ evidence: evidence([]) }).replace(
      '"toolRequests"',
      `"escalation":${escalation},"toolRequests"`,
    )
    const { extension } = normalizeTurn(read(text), kit)
    expect(canonicalJson(extension as Json)).toBe(
      '{"escalation":{"metric":"m","ref":"r","value":100.0}}',
    )
  })
})

test('keys that nothing reads are listed with their place, sorted', () => {
  const input = {
    zed: 1,
    evidence: evidence([], {
      extra: 1,
      toolRequests: [
        { toolCallId: 'a', toolName: 't', ['__proto__x']: 1 },
        { toolCallId: 'b', toolName: 't', note: {} },
      ],
      ...bound({ temperature: 1 }),
    }),
    truncationConstraints: { why: 'x' },
  }
  expect(judged(input).ignoredKeys).toEqual([
    'evidence.callSpec.temperature',
    'evidence.extra',
    'evidence.toolRequests[].__proto__x',
    'evidence.toolRequests[].note',
    'truncationConstraints.why',
    'zed',
  ])
})

test('inherited property names are ignored keys', () => {
  const text = `{"__proto__":{"evidence":{}},"constructor":1,"evidence":${JSON.stringify(
    evidence(['a']),
  ).replace('{', '{"__proto__":{"toolUse":[]},"toString":2,')}}`
  const report = judged(read(text) as object)
  expect(report.result).toBe('accepted')
  expect(report.ignoredKeys).toEqual([
    '__proto__',
    'constructor',
    'evidence.__proto__',
    'evidence.toString',
  ])
})

test('an input that was not read by premath is judged alike', () => {
  const input = { evidence: evidence(['a'], { iteration: 1 }) }
  expect(normalizeTurn(input as unknown as Json, kit).digests).toEqual(
    normalizeTurn(read(input), kit).digests,
  )
  expect(normalizeTurn({ evidence: { iteration: 1.5 } }, kit).defects).toContainEqual({
    at: 'evidence.iteration',
    message: 'must be a whole number from 1, not the number 1.5',
  })
})
