import { expect, test } from 'vitest'
import { promotion } from '../../../test/a-promotion.ts'
import { mustMatchShape } from '../../testing/must-match-shape.ts'
import { GovernancePromotion } from '../../wire/policy/governance-promotion.ts'
import type { Json, JsonObject } from '../json.ts'
import { governanceProfileId } from '../turn/governance-claim.ts'
import { promotionClasses, promotionFindings } from './promotion.ts'

const classesOf = (evidence: Json | undefined, setup: object = {}) =>
  promotionClasses(
    promotionFindings({
      evidence,
      required: false,
      registryClaims: [governanceProfileId],
      ...setup,
    }),
  )

const profile: JsonObject = promotion.governanceProfile
const withProfile = (change: JsonObject): JsonObject => ({
  ...promotion,
  governanceProfile: { ...profile, ...change },
})

test('complete evidence is enough', () => {
  expect(classesOf(promotion)).toEqual([])
  expect(mustMatchShape(GovernancePromotion, promotion)).toBeTruthy()
})

test('a promotion needs no evidence unless governance is claimed', () => {
  expect(classesOf({ promotionIntent: true }, { registryClaims: ['profile.other'] })).toEqual([])
})

test('without a promotion no evidence is required', () => {
  expect(classesOf(undefined)).toEqual([])
  expect(classesOf({ promotionIntent: false })).toEqual([])
})

test.each<[string, Json | undefined]>([
  ['no evidence', undefined],
  ['evidence without intent', {}],
])('a required promotion is missing: %s', (_, evidence) => {
  expect(classesOf(evidence, { required: true })).toEqual(['governance.eval_lineage_missing'])
})

const provenance = profile['policyProvenance'] as JsonObject
const evolution = profile['selfEvolution'] as JsonObject

test.each<[string, JsonObject]>([
  ['governance.claim_id_invalid', withProfile({ claimId: 'profile.other' })],
  ['governance.policy_package_unpinned', withProfile({ claimed: false })],
  [
    'governance.policy_package_unpinned',
    withProfile({ policyProvenance: { ...provenance, pinned: false } }),
  ],
  [
    'governance.policy_package_mismatch',
    withProfile({ policyProvenance: { ...provenance, boundDigest: 'sha256:other' } }),
  ],
  ['governance.guardrail_stage_missing', withProfile({ guardrailStages: ['input', 'output'] })],
  [
    'governance.guardrail_stage_order_invalid',
    withProfile({ guardrailStages: ['input', 'pre_flight', 'output'] }),
  ],
  [
    'governance.guardrail_stage_order_invalid',
    withProfile({ guardrailStages: ['pre_flight', 'input', 'output', 'output'] }),
  ],
  ['governance.eval_gate_unmet', withProfile({ evalGate: { passed: false } })],
  [
    'governance.eval_gate_unmet',
    { ...promotion, workflowTrace: { ...promotion.workflowTrace, score: 0 } },
  ],
  [
    'governance.eval_gate_unmet',
    { ...promotion, workflowTrace: { ...promotion.workflowTrace, grade: 'Failed' } },
  ],
  ['governance.eval_gate_unmet', { ...promotion, workflowTrace: { traceRef: 'trace://1' } }],
  ['governance.eval_lineage_missing', withProfile({ evalEvidence: {} })],
  [
    'governance.eval_lineage_missing',
    { ...promotion, workflowTrace: { ...promotion.workflowTrace, traceRef: ' ' } },
  ],
  ['governance.redteam_gate_unmet', { ...promotion, adversarialGate: { passed: true } }],
  [
    'governance.redteam_gate_unmet',
    { ...promotion, adversarialGate: { passed: false, reportRef: 'report://1' } },
  ],
  ['governance.trace_mode_violation', withProfile({ observabilityMode: 'loud' })],
  ['governance.risk_tier_profile_missing', withProfile({ riskTier: { tier: 'high' } })],
  [
    'governance.risk_tier_profile_missing',
    withProfile({ riskTier: { tier: 'huge', controlProfileBound: true } }),
  ],
  [
    'governance.self_evolution_retry_missing',
    withProfile({ selfEvolution: { ...evolution, maxAttempts: 0 } }),
  ],
  [
    'governance.self_evolution_escalation_missing',
    withProfile({ selfEvolution: { ...evolution, terminalEscalation: '' } }),
  ],
  [
    'governance.self_evolution_rollback_missing',
    withProfile({ selfEvolution: { ...evolution, rollbackRef: null } }),
  ],
])('%s is the only failure class', (failureClass, evidence) => {
  expect(classesOf(evidence)).toEqual([failureClass])
})

test('the profile that the evidence claims for itself changes nothing', () => {
  expect(classesOf({ promotionIntent: true })).toContain('governance.redteam_gate_unmet')
  expect(classesOf({ promotionIntent: true })).toContain('governance.eval_gate_unmet')
})

test('evidence bound to another document is refused', () => {
  expect(classesOf(promotion, { boundTo: 'sha256:one' })).toEqual([])
  expect(classesOf(promotion, { boundTo: 'sha256:two' })).toEqual([
    'governance.policy_package_mismatch',
  ])
})
