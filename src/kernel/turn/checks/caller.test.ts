import { describe, expect, test } from 'vitest'
import { bound, evidence, judged, kit } from '../../../../test/a-turn.ts'
import { catalogDigest } from './tool-policy.ts'

interface Given {
  /** Parent by call; every call asks for the tool of its own name. */
  readonly edges?: Readonly<Record<string, string>>
  readonly resultEdges?: Readonly<Record<string, string>>
  readonly callerIds?: Readonly<Record<string, string>>
  readonly tools?: readonly object[]
  readonly spec?: object
}

function findingsOf(calls: readonly string[], given: Given): string[] {
  const edge = (parent: string | undefined) =>
    parent === undefined ? {} : { callerEdge: { parentToolCallId: parent } }
  const { findings } = judged({
    evidence: evidence(calls, {
      ...bound({ ...given.spec, ...(given.tools && { toolPolicy: { tools: given.tools } }) }),
      toolRequests: calls.map(id => ({
        ...{ toolCallId: id, toolName: id, callerId: given.callerIds?.[id] ?? null },
        ...edge(given.edges?.[id]),
      })),
      toolResults: calls.map(id => ({
        ...{ toolCallId: id },
        ...edge(given.resultEdges?.[id]),
      })),
    }),
  })
  return findings.map(({ failureClass, at, message }) => `${failureClass} ${at}: ${message}`)
}

const place = (id: string) => `evidence.toolRequests[${id}].callerEdge`
const invalid = (id: string, why: string) =>
  `tool.programmatic_caller_edge_invalid ${place(id)}: ${why}`
const loop = 'the edges lead back to this call'

describe('an edge', () => {
  test.each([
    ['to a call of the turn is fine', { b: 'a' }, []],
    ['to a call of another turn', { b: 'z' }, [invalid('b', 'z is no request of this turn')]],
    ['to itself', { a: 'a' }, [invalid('a', loop)]],
    ['of a cycle of two', { a: 'b', b: 'a' }, [invalid('a', loop), invalid('b', loop)]],
    [
      'that only leads into a cycle is not of it',
      { a: 'b', b: 'c', c: 'b' },
      [invalid('b', loop), invalid('c', loop)],
    ],
    ['of a chain is fine', { a: 'b', b: 'c' }, []],
  ])('%s', (_, edges, messages) => {
    expect(findingsOf(['a', 'b', 'c'], { edges })).toEqual(messages)
  })

  test('starts at a tool that executes code', () => {
    const tools = (codeExecution: boolean) => [{ toolName: 'a', codeExecution }, { toolName: 'b' }]
    expect(findingsOf(['a', 'b'], { edges: { b: 'a' }, tools: tools(true) })).toEqual([])
    expect(findingsOf(['a', 'b'], { edges: { b: 'a' }, tools: tools(false) })).toEqual([
      invalid('b', 'a does not execute code, so it cannot call a tool'),
    ])
  })

  test('has no place in JSON mode', () => {
    expect(findingsOf(['a', 'b'], { edges: { b: 'a' }, spec: { actionMode: 'json' } })).toEqual([
      invalid('b', 'a JSON action has no code that could call'),
    ])
  })

  test('of a result equals that of its request, or is absent', () => {
    const edges = { b: 'a' }
    const other = (id: string) =>
      `tool.programmatic_caller_edge_invalid evidence.toolResults[${id}].callerEdge: the result names another caller than its request does`
    expect(findingsOf(['a', 'b', 'c'], { edges, resultEdges: { b: 'a' } })).toEqual([])
    expect(findingsOf(['a', 'b', 'c'], { edges, resultEdges: { b: 'c' } })).toEqual([other('b')])
    expect(findingsOf(['a', 'b', 'c'], { resultEdges: { b: 'a' } })).toEqual([other('b')])
  })

  test('twenty thousand in a chain are fast', () => {
    const calls = Array.from({ length: 20_000 }, (_, at) => `c${at}`)
    const edges = Object.fromEntries(calls.slice(1).map((id, at) => [calls[at] ?? '', id]))
    expect(findingsOf(calls, { edges })).toEqual([])
  })
})

describe('a tool with allowed callers', () => {
  const code = { toolName: 'code', codeExecution: true }
  const fs = (...allowedCallers: string[]) => [code, { toolName: 'fs', allowedCallers }]
  const refused = (caller: string, admitted: string) => [
    `tool.caller_not_allowed evidence.toolRequests[fs]: ${caller} called fs, which admits ${admitted}`,
  ]

  test.each([
    ['the model where it is admitted', {}, ['model'], []],
    ['the model where it is not', {}, ['code'], refused('model', 'code')],
    ['the model where nobody is', {}, [], refused('model', 'nobody')],
    ['code that is admitted', { edges: { fs: 'code' } }, ['code'], []],
    [
      'code that is not',
      { edges: { fs: 'code' } },
      ['model', 'shell'],
      refused('code', 'model, shell'),
    ],
    ['a named caller', { callerIds: { fs: 'cron' } }, ['cron'], []],
    ['another named caller', { callerIds: { fs: 'cron' } }, ['model'], refused('cron', 'model')],
    [
      'code, whatever caller it names',
      { edges: { fs: 'code' }, callerIds: { fs: 'model' } },
      ['model'],
      refused('code', 'model'),
    ],
  ])('is called by %s', (_, given, allowed, messages) => {
    expect(findingsOf(['code', 'fs'], { ...given, tools: fs(...allowed) })).toEqual(messages)
  })

  test('a bound digest of the callers must recompute', () => {
    const tools = [code, { toolName: 'fs', allowedCallers: ['model'] }]
    const allowedCallersDigest = catalogDigest(tools, 'allowedCallersDigest', kit)
    expect(findingsOf(['fs'], { tools, spec: { allowedCallersDigest } })).toEqual([])
    expect(findingsOf(['fs'], { tools, spec: { allowedCallersDigest: 'x' } })).toEqual([
      `tool.caller_not_allowed evidence.callSpec.allowedCallersDigest: bound is x, but the tool policy comes to ${allowedCallersDigest}`,
    ])
  })
})
