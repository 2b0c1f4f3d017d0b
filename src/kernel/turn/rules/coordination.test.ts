import { describe, expect, test } from 'vitest'
import { bound, evidence, judged, promised } from '../../../../test/a-turn.ts'

const violation = 'coordination.decomposition_policy_violation'

function findingsOf(given: object, claims: object = {}): string[] {
  return judged({ evidence: given, ...claims }).findings.map(({ failureClass, at, message }) => {
    expect(failureClass).toBe(violation)
    return `${at} ${message}`
  })
}

describe('declared constraints', () => {
  const under = (decompositionConstraints: object) =>
    findingsOf(evidence([]), { decompositionConstraints })
  const pattern = 'evidence.callSpec.executionPattern is single; expected is chain'
  const digest = 'evidence.callSpec.decompositionPolicyDigest is pol-decomp; expected is x'

  test.each([
    [
      'are met',
      {
        admissible: true,
        expectedExecutionPattern: ' SINGLE',
        expectedPolicyDigest: ' pol-decomp ',
      },
      [],
    ],
    ['are blank', { expectedExecutionPattern: ' ', expectedPolicyDigest: '' }, []],
    ['ask for another pattern', { expectedExecutionPattern: 'Chain' }, [pattern]],
    ['ask for another policy', { expectedPolicyDigest: 'x' }, [digest]],
    [
      'ask for both',
      { expectedExecutionPattern: 'chain', expectedPolicyDigest: 'x' },
      [digest, pattern],
    ],
    [
      'say no, and ask no further',
      { admissible: false, expectedExecutionPattern: 'chain', expectedPolicyDigest: 'x' },
      ['decompositionConstraints.admissible the split is declared inadmissible'],
    ],
  ])('%s', (_, constraints, messages) => {
    expect(under(constraints)).toEqual(messages)
  })

  test('a digest keeps its case, a pattern does not', () => {
    expect(under({ expectedPolicyDigest: 'POL-DECOMP' })).toHaveLength(1)
  })
})

describe('the policy document', () => {
  const { evidence: turn } = {
    evidence: (spec: object, more: object) =>
      evidence(['a', 'b', 'c'], {
        ...bound(spec),
        toolRequests: [
          { toolCallId: 'a', toolName: 't', groupId: 'g' },
          { toolCallId: 'b', toolName: 't', groupId: 'g' },
          { toolCallId: 'c', toolName: 't' },
        ],
        ...more,
      }),
  }
  const under = (document: object, more: object = {}) => {
    const { spec, policies } = promised({ decompositionPolicyDigest: document })
    return findingsOf(turn(spec, more), { policies })
  }
  const unreadable = (name: string) =>
    `policies.decompositionPolicyDigest.${name} the policy document says this in a form that cannot be read`

  test.each([
    ['says nothing', {}, []],
    ['admits the fan-out', { maxFanOut: 2 }, []],
    [
      'admits less',
      { maxFanOut: 1 },
      ['evidence.toolRequests one action fans out to 2 calls; the policy admits 1'],
    ],
    ['admits the pattern', { patterns: ['chain', 'Single'] }, []],
    [
      'admits others',
      { patterns: ['chain'] },
      ['evidence.callSpec.executionPattern is single; the policy admits chain'],
    ],
    [
      'admits none',
      { patterns: [] },
      ['evidence.callSpec.executionPattern is single; the policy admits none'],
    ],
    ['asks for no trigger', { requireTrigger: false }, []],
    [
      'asks for a trigger',
      { requireTrigger: true },
      ['evidence.escalation the policy asks for a measured trigger, and none is recorded'],
    ],
    [
      'cannot be read',
      { patterns: 'chain', maxFanOut: '2', requireTrigger: 'yes' },
      [unreadable('maxFanOut'), unreadable('patterns'), unreadable('requireTrigger')],
    ],
  ])('%s', (_, document, messages) => {
    expect(under(document)).toEqual(messages)
  })

  test('a recorded trigger is enough', () => {
    const escalation = { metric: 'tokens', value: 0.5, ref: 'r' }
    expect(under({ requireTrigger: true }, { escalation })).toEqual([])
  })

  test('a hundred and fifty thousand calls are counted', () => {
    const { spec, policies } = promised({ decompositionPolicyDigest: { maxFanOut: 1 } })
    const calls = Array.from({ length: 150_000 }, (_, at) => `c${at}`)
    expect(findingsOf(evidence(calls, bound(spec)), { policies })).toEqual([])
  })
})

describe('iterations', () => {
  const at = (iteration: number | null, stopPolicy: object, checkpointRef: string | null = null) =>
    findingsOf(evidence([], { ...bound({ stopPolicy }), iteration, checkpointRef }))

  test.each([
    [1, { maxIterations: 1 }, []],
    [2, { maxIterations: 1 }, ['evidence.iteration is 2; the stop policy admits 1']],
    [null, { maxIterations: 1 }, ['evidence.iteration is missing; the stop policy admits 1']],
    [null, { checkpointEvery: 2 }, []],
    [3, { checkpointEvery: 2 }, []],
    [
      4,
      { checkpointEvery: 2 },
      ['evidence.checkpointRef is missing; every 2 iterations a person looks, and this is 4'],
    ],
    [
      4,
      { maxIterations: 3, checkpointEvery: 4 },
      [
        'evidence.checkpointRef is missing; every 4 iterations a person looks, and this is 4',
        'evidence.iteration is 4; the stop policy admits 3',
      ],
    ],
  ])('%j under %j', (iteration, policy, messages) => {
    expect(at(iteration, policy)).toEqual(messages)
  })

  test('a checkpoint is a ref', () => {
    expect(at(4, { checkpointEvery: 2 }, 'c')).toEqual([])
    expect(at(4, { checkpointEvery: 2 }, ' ')).toHaveLength(1)
  })
})
