import { describe, expect, test } from 'vitest'
import { bound, evidence, found } from '../../../../test/a-turn.ts'

/** Calls by name, as `name` alone or `name@group`, under a call spec. */
function under(spec: object, ...calls: string[]): string[] {
  const names = calls.map(call => call.split('@'))
  const ids = names.map(([id = '']) => id)
  const toolRequests = names.map(([toolCallId, groupId = null]) => ({
    ...{ toolCallId, groupId, toolName: 't' },
  }))
  return found(evidence(ids, { ...bound(spec), toolRequests }))
}

const refused = (id: string) => [`tool.parallel_policy_violation at evidence.toolRequests[${id}]`]
const never = { parallelPolicy: { allowed: false } }
const noTransport = { toolTransportPolicy: { parallelToolCalls: false } }
const two = { parallelPolicy: { allowed: true, maxBranches: 2 } }
const json = { actionMode: 'json' }

test.each([
  ['without a policy anything runs side by side', {}, ['a', 'b@g', 'c@g'], []],
  ['one call is not side by side', never, ['a'], []],
  ['one call a group is not side by side', never, ['a@g', 'b@h', 'c'], []],
  ['calls without a group are one group', never, ['a', 'b'], refused('a')],
  ['calls of one group', never, ['a', 'b@g', 'c@g'], refused('b')],
  ['a transport that takes one call', noTransport, ['a@g', 'b@g'], refused('a')],
  ['as many branches as may run', two, ['a', 'b', 'c@g', 'd@g'], []],
  ['more branches than may run', two, ['a@g', 'b@g', 'c@g'], refused('a')],
  ['no branch may run', { parallelPolicy: { allowed: true, maxBranches: 0 } }, ['a'], refused('a')],
  ['one JSON action, one call', json, ['a@g', 'b@g'], refused('a')],
  ['JSON actions one after the other', json, ['a', 'b', 'c@g'], []],
])('%s', (_, spec, calls, messages) => {
  expect(under(spec, ...calls)).toEqual(messages)
})

describe('under strict ordering', () => {
  type Seq = number | null
  const order = (
    ordering: string,
    requests: readonly Seq[],
    results: readonly (Seq | undefined)[],
  ) => {
    const ids = requests.map((_, at) => `c${at}`)
    const present = ids.filter((_, at) => results[at] !== undefined)
    return found(
      evidence(present, {
        ...bound({ toolTransportPolicy: { ordering } }),
        toolRequests: ids.map((toolCallId, at) => ({
          ...{ toolCallId, toolName: 't', groupId: 'g', seq: requests[at] ?? null },
        })),
        toolResults: present.map(toolCallId => ({
          ...{ toolCallId, seq: results[ids.indexOf(toolCallId)] ?? null },
        })),
      }),
    ).filter(failureClass => failureClass.startsWith('protocol.'))
  }
  const invalid = ['protocol.parallel_transport_order_invalid at evidence.toolRequests[c0]']

  test.each([
    ['results in request order', [1, 2, 3], [10, 11, 12], []],
    ['results in another order', [1, 2, 3], [10, 12, 11], invalid],
    ['requests listed in another order', [2, 1], [11, 10], []],
    ['a request without seq', [1, null], [10, 11], invalid],
    ['a result without seq', [1, 2], [10, null], invalid],
    ['a seq of requests twice', [1, 1], [10, 11], invalid],
    ['a seq of results twice', [1, 2], [10, 10], invalid],
    ['an open branch is left to the join', [1, 2, 3], [10, undefined, 12], []],
    ['a result may carry the seq of its request', [1, 2], [1, 2], []],
    ['one call needs no seq', [null], [null], []],
  ])('%s', (_, requests, results, messages) => {
    expect(order('strict', requests, results)).toEqual(messages)
    expect(order('any', requests, results)).toEqual([])
  })

  test('calls without a group are actions of their own', () => {
    const spec = bound({ toolTransportPolicy: { ordering: 'strict' } })
    expect(found(evidence(['a', 'b'], spec))).toEqual([])
  })
})
