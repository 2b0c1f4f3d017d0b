import { describe, expect, test } from 'vitest'
import { bound, evidence, found, judged, kit } from '../../../../test/a-turn.ts'
import { digestOf } from '../../canonical.ts'
import { catalogDigest } from './tool-policy.ts'

const calling = (toolName: string, spec: object, request: object = {}) =>
  found(
    evidence(['a'], { ...bound(spec), toolRequests: [{ toolCallId: 'a', toolName, ...request }] }),
  )
const disallowed = ['tool.unknown_or_disallowed at evidence.toolRequests[a]']
const listing = (...tools: object[]) => ({ toolPolicy: { tools } })

describe('the list of tools', () => {
  test('is checked only if there is one', () => {
    expect(calling('t', {})).toEqual([])
    expect(calling('t', listing({ toolName: ' t ' }))).toEqual([])
    expect(calling('t', listing({ toolName: 'T' }))).toEqual(disallowed)
    expect(calling('t', listing())).toEqual(disallowed)
  })

  test('that breaks its contract allows nothing', () => {
    expect(calling('t', { toolPolicy: {} })).toEqual([
      'tool.schema_invalid at evidence.callSpec.toolPolicy.tools',
      ...disallowed,
    ])
  })

  test('a request without a name is not on the list', () => {
    expect(calling('', listing({ toolName: 't' }))).toEqual([
      'tool.schema_invalid at evidence.toolRequests[a].toolName',
      ...disallowed,
    ])
  })
})

describe('the tool choice', () => {
  test.each([
    ['auto', []],
    ['any', []],
    ['required', []],
    ['none', disallowed],
    ['t', []],
    ['u', disallowed],
    [{ type: 'auto' }, []],
    [{ type: 'none' }, disallowed],
    [{ type: 'tool', name: 't' }, []],
    [{ type: 'tool', name: 'u' }, disallowed],
    [{ type: 'function', function: { name: 't' } }, []],
    [{ type: 'function', function: { name: 'u' } }, disallowed],
    [{ toolName: 'u' }, disallowed],
    [7, []],
  ])('%j', (toolChoice, messages) => {
    expect(calling('t', { toolChoice })).toEqual(messages)
  })
})

describe('the schema of a tool', () => {
  const inputSchema = { type: 'object' }
  const asking = (complaints: readonly string[], given: object, toolName = 't') => {
    const seen: unknown[] = []
    const findings = found(
      evidence(['a'], {
        ...bound(listing({ toolName: 't', inputSchema })),
        toolRequests: [{ toolCallId: 'a', toolName, ...given }],
      }),
      {},
      {
        schemaComplaints: (schema, value) => {
          seen.push(JSON.parse(JSON.stringify([schema, value])))
          return complaints
        },
      },
    )
    return { seen, findings }
  }

  test('is checked against the arguments, and each violation is a finding', () => {
    expect(asking(['one', 'two'], { arguments: { a: 1 } })).toEqual({
      seen: [[inputSchema, { a: 1 }]],
      findings: Array(2).fill('tool.schema_invalid at evidence.toolRequests[a].arguments'),
    })
    expect(asking([], { arguments: {} }).findings).toEqual([])
  })

  test('is not checked without arguments', () => {
    expect(asking(['one'], {})).toEqual({ seen: [], findings: [] })
    expect(asking(['one'], { arguments: null })).toEqual({ seen: [], findings: [] })
  })

  test('is bound by its digest if the policy has one', () => {
    const refused = ['tool.schema_invalid at evidence.toolRequests[a].schemaDigest']
    const policy = listing({ toolName: 't', schemaDigest: 'd' })
    expect(calling('t', policy, { schemaDigest: 'd' })).toEqual([])
    expect(calling('t', policy, { schemaDigest: 'e' })).toEqual(refused)
    expect(calling('t', policy)).toEqual(refused)
    expect(calling('t', listing({ toolName: 't' }), { schemaDigest: 'e' })).toEqual([])
  })
})

test('the examples of a call are those of the policy', () => {
  const refused = ['tool.example_digest_mismatch at evidence.toolRequests[a].exampleDigest']
  const policy = listing({ toolName: 't', examplesDigest: 'd' })
  expect(calling('t', policy, { exampleDigest: 'd' })).toEqual([])
  expect(calling('t', policy)).toEqual([])
  expect(calling('t', policy, { exampleDigest: 'e' })).toEqual(refused)
  expect(calling('t', listing({ toolName: 't' }), { exampleDigest: 'e' })).toEqual(refused)
})

describe('a catalog digest', () => {
  const tools = [
    { toolName: '😀', schemaDigest: 's1', deferred: true },
    { toolName: '\uffff', schemaDigest: 's2' },
    { toolName: 'b', allowedCallers: ['model'] },
    { toolName: 'a', examplesDigest: 'e' },
  ]

  test('covers name and one member, by name in code-point order', () => {
    expect(catalogDigest(tools, 'toolCatalogDigest', kit)).toBe(
      digestOf(
        [
          { toolName: 'a' },
          { toolName: 'b' },
          { toolName: '\uffff', schemaDigest: 's2' },
          { toolName: '😀', schemaDigest: 's1' },
        ],
        kit.sha256,
      ),
    )
    expect(catalogDigest([], 'deferPolicyDigest', kit)).toBe(digestOf([], kit.sha256))
  })

  test('does not depend on the order of the tools', () => {
    for (const field of ['toolCatalogDigest', 'deferPolicyDigest', 'toolExampleDigest'] as const) {
      expect(catalogDigest(tools.toReversed(), field, kit)).toBe(catalogDigest(tools, field, kit))
    }
  })

  test('of the examples must recompute', () => {
    const policy = listing(...tools)
    const right = catalogDigest(tools, 'toolExampleDigest', kit)
    expect(calling('a', { ...policy, toolExampleDigest: right })).toEqual([])
    expect(calling('a', { ...policy, toolExampleDigest: 'x' })).toEqual([
      'tool.example_digest_mismatch at evidence.callSpec.toolExampleDigest',
    ])
  })

  test('without a policy to recompute it from is not verified', () => {
    const given = (spec: object) => judged({ evidence: evidence([], bound(spec)) })
    expect(given({ toolExampleDigest: 'x' }).unverifiedBindings).toContain('toolExampleDigest')
    const right = catalogDigest(tools, 'toolExampleDigest', kit)
    const recomputed = given({ ...listing(...tools), toolExampleDigest: right })
    expect(recomputed.unverifiedBindings).not.toContain('toolExampleDigest')
  })
})
