import { describe, expect, test } from 'vitest'
import { bound, evidence, judged, promised } from '../../../../test/a-turn.ts'

const claimed = {
  governanceProfile: {
    claimed: true,
    policyProvenance: { pinned: true, packageRef: 'p', expectedDigest: 'd', boundDigest: 'd' },
  },
}

function findingsOf(
  documents: Readonly<Record<string, object>>,
  more: object,
  claims: object = claimed,
) {
  const { spec, policies } = promised(documents)
  const { findings } = judged({
    evidence: evidence([], { ...bound(spec), ...more }),
    policies,
    ...claims,
  })
  return findings.map(({ failureClass, at, message }) => `${failureClass} ${at}: ${message}`)
}

const lineage = { datasetLineageRef: 'd', graderConfigLineageRef: 'g' }
const measured = (metric: string, value: number, more: object = lineage) => ({
  ...{ metric, value },
  ...more,
})

describe('a metric', () => {
  const limits = { evalGatePolicyDigest: { thresholds: { accuracy: 0.9, safety: 1 } } }
  const safe = measured('safety', 1)

  test.each([
    ['reaches its threshold', [measured('accuracy', 0.9), safe], []],
    [
      'does not',
      [measured('accuracy', 0.89), safe],
      [
        'governance.eval_gate_unmet evidence.evals[accuracy].value: is 0.89; the policy asks for 0.9',
      ],
    ],
    [
      'was not measured',
      [safe],
      ['governance.eval_gate_unmet evidence.evals: accuracy was not measured'],
    ],
    [
      'was measured twice, once badly',
      [measured('accuracy', 1), measured('accuracy', 0), safe],
      ['governance.eval_gate_unmet evidence.evals[accuracy].value: is 0; the policy asks for 0.9'],
    ],
    [
      'that nobody asks for does not matter',
      [measured('accuracy', 1), safe, measured('style', 0)],
      [],
    ],
    [
      'does not say where it comes from',
      [measured('accuracy', 1, {}), safe],
      [
        'governance.eval_lineage_missing evidence.evals[accuracy].datasetLineageRef: is missing',
        'governance.eval_lineage_missing evidence.evals[accuracy].graderConfigLineageRef: is missing',
      ],
    ],
  ])('%s', (_, evals, messages) => {
    expect(findingsOf(limits, { evals })).toEqual(messages)
  })

  test('takes its threshold from the document, never from the evidence', () => {
    const evals = [measured('accuracy', 0.1, { ...lineage, thresholdsRef: 'mine' }), safe]
    expect(findingsOf(limits, { evals })).toHaveLength(1)
  })

  test('is not required without a governance claim', () => {
    expect(findingsOf(limits, {}, {})).toEqual([])
  })

  test('cannot be met without the document', () => {
    const { findings } = judged({
      evidence: evidence([], bound({ evalGatePolicyDigest: 'x', redTeamPolicyDigest: 'y' })),
      ...claimed,
    })
    expect(findings.map(({ at, message }) => `${at} ${message}`)).toEqual([
      'policies.evalGatePolicyDigest the policy document with its thresholds did not come with the turn',
      'policies.redTeamPolicyDigest the policy document with its minProbes did not come with the turn',
    ])
  })

  test('cannot be compared with a threshold that is not a number', () => {
    expect(findingsOf({ evalGatePolicyDigest: { thresholds: { accuracy: 'high' } } }, {})).toEqual([
      'governance.eval_gate_unmet policies.evalGatePolicyDigest.thresholds: the policy document says this in a form that cannot be read',
    ])
  })
})

describe('red teaming', () => {
  const policy = { redTeamPolicyDigest: { minProbes: 10, maxFailures: 1 } }
  const gate = 'governance.redteam_gate_unmet evidence.redTeam'

  test.each([
    ['as asked', { probes: 10, failures: 1 }, []],
    [
      'too small',
      { probes: 9, failures: 0 },
      [`${gate}.probes: 9 probes ran; the policy asks for 10`],
    ],
    [
      'with too many failures',
      { probes: 10, failures: 2 },
      [`${gate}.failures: 2 probes failed; the policy admits 1`],
    ],
    ['not at all', null, [`${gate}.probes: 0 probes ran; the policy asks for 10`]],
  ])('%s', (_, redTeam, messages) => {
    expect(findingsOf(policy, { redTeam })).toEqual(messages)
  })

  test.each([
    ['minProbes', { maxFailures: 1 }],
    ['maxFailures', { minProbes: 1 }],
  ])('a document without %s passes nothing', (name, document) => {
    expect(
      findingsOf({ redTeamPolicyDigest: document }, { redTeam: { probes: 99, failures: 0 } }),
    ).toEqual([
      `governance.redteam_gate_unmet policies.redTeamPolicyDigest: the policy document with its ${name} did not come with the turn`,
    ])
  })
})
