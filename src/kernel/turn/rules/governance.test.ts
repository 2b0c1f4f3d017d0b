import { describe, expect, test } from 'vitest'
import { bound, evidence, found } from '../../../../test/a-turn.ts'

const claimed = {
  governanceProfile: {
    claimed: true,
    policyProvenance: { pinned: true, packageRef: 'p', expectedDigest: 'd', boundDigest: 'd' },
  },
}
const policy = { guardrailStagePolicyDigest: 'g' }

/** Stages as `stage@seq`, and the seq of the one request. */
function findingsOf(
  stages: readonly string[],
  requestSeq: number | null = null,
  claims: object = claimed,
) {
  const guardrails = stages.map(text => {
    const [stage, seq] = text.split('@')
    return { stage, guardrailId: `${stage}-${seq}`, triggered: false, seq: Number(seq) }
  })
  return found(
    evidence(['a'], {
      ...bound(policy),
      guardrails,
      toolRequests: [{ toolCallId: 'a', toolName: 't', seq: requestSeq }],
    }),
    claims,
  )
}

const missing = 'governance.guardrail_stage_missing at evidence.guardrails'
const order = 'governance.guardrail_stage_order_invalid at evidence.guardrails'

describe('guardrail stages', () => {
  test.each([
    ['in order', ['pre_flight@1', 'input@2', 'output@3'], []],
    [
      'of several decisions each',
      ['pre_flight@1', 'pre_flight@2', 'input@3', 'output@4', 'output@5'],
      [],
    ],
    ['without output', ['pre_flight@1', 'input@2'], [missing]],
    ['without any', [], [missing, missing, missing]],
    ['input first', ['pre_flight@2', 'input@1', 'output@3'], [order]],
    ['output before input', ['pre_flight@1', 'input@3', 'output@2'], [order]],
    ['at once', ['pre_flight@1', 'input@1', 'output@2'], [order]],
    ['with a late decision', ['pre_flight@1', 'pre_flight@4', 'input@3', 'output@5'], [order]],
    ['backwards', ['pre_flight@3', 'input@2', 'output@1'], [order, order, order]],
    ['backwards without the middle', ['pre_flight@3', 'output@1'], [missing, order]],
  ])('%s', (_, stages, messages) => {
    expect(findingsOf(stages)).toEqual(messages)
  })

  test('need pre_flight before the first call', () => {
    const stages = ['pre_flight@1', 'input@3', 'output@4']
    expect(findingsOf(stages, 2)).toEqual([])
    expect(findingsOf(stages, 1)).toEqual([order])
    expect(findingsOf(stages, 0)).toEqual([order])
  })

  test('are not required without a governance claim or a bound policy', () => {
    expect(findingsOf([], null, {})).toEqual([])
    expect(found(evidence([]), claimed)).toEqual([])
  })
})
