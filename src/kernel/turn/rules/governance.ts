import { guardrailStages } from '../../../wire/turn/turn-evidence.ts'
import { evalViolations, lineageViolations, redTeamViolations } from '../checks/governance-gate.ts'
import { short } from '../evidence/read-row.ts'
import {
  claimIdInvalid,
  governanceClaimed,
  governanceProfileId,
  packageUnpinned,
} from '../governance-claim.ts'
import { policiesOf } from '../policy-class.ts'
import { mismatches } from '../policy-document.ts'
import type { Turn } from '../turn.ts'
import { defineRules, type Kit, none, type Rule, type Violation, when } from './rule.ts'

/** A rule that applies only if the governance profile is claimed. */
function claimed(rule: Omit<Rule, 'gate'>): Rule {
  return {
    ...rule,
    gate: 'governance',
    find: (turn, kit) => (governanceClaimed(turn) ? rule.find(turn, kit) : none),
  }
}

/** A rule about one member of `selfEvolution`. */
function selfEvolution(
  means: string,
  member: 'maxAttempts' | 'terminalEscalation' | 'rollbackRef',
  remedy: string,
): Rule {
  return claimed({
    means,
    remedy,
    find: ({ extension: { selfEvolution: block } }) => {
      const value = block?.[member]
      const lacking = value === undefined || value === 0
      return when(
        block !== undefined && lacking,
        `evidence.selfEvolution.${member}`,
        value === 0 ? 'must be at least 1' : 'is missing',
      )
    },
  })
}

export const governanceRules = defineRules({
  'governance.claim_id_invalid': {
    means: 'The claimed governance profile is unknown.',
    gate: 'governance',
    remedy: `Claim ${governanceProfileId}, or leave claimId out.`,
    find: turn =>
      when(
        claimIdInvalid(turn),
        'governanceProfile.claimId',
        `is ${short(turn.claims.governanceProfile?.claimId ?? '')}; known is ${governanceProfileId}`,
      ),
  },
  'governance.policy_package_unpinned': claimed({
    means: 'Governance is claimed without a pinned policy package.',
    remedy: 'Pin the package in policyProvenance with packageRef, expectedDigest and boundDigest.',
    find: turn =>
      when(
        packageUnpinned(turn),
        'governanceProfile.policyProvenance',
        'no package is pinned with packageRef, expectedDigest and boundDigest',
      ),
  }),
  'governance.policy_package_mismatch': claimed({
    means: 'The policy package in use is not the pinned one.',
    remedy: 'Bind the pinned package, or pin the one in use after review.',
    find: packageMismatch,
  }),
  'governance.guardrail_stage_missing': claimed({
    means: 'A guardrail stage left no decision.',
    remedy: 'Run the guardrails of the stage and record their decision under `guardrails`.',
    find: missingStages,
  }),
  'governance.guardrail_stage_order_invalid': claimed({
    means: 'Guardrail stages did not run in the order pre_flight, input, output.',
    remedy: 'Decide pre_flight before the first call, then input, then output.',
    find: misorderedStages,
  }),
  'governance.eval_gate_unmet': claimed({
    means: 'A measured metric does not reach the threshold of the eval policy.',
    remedy:
      'Improve the measure and run the evals again; the thresholds are the policy document’s.',
    find: evalViolations,
  }),
  'governance.eval_lineage_missing': claimed({
    means: 'A metric does not name its dataset and its grader.',
    remedy: 'Give datasetLineageRef and graderConfigLineageRef with each eval.',
    find: lineageViolations,
  }),
  'governance.redteam_gate_unmet': claimed({
    means: 'Adversarial testing covered too little or found too many problems.',
    remedy: 'Run the probes that the red-team policy requires, and fix the problems they find.',
    find: redTeamViolations,
  }),
  'governance.trace_mode_violation': claimed({
    means: 'The turn was traced in another mode than the bound one.',
    remedy: 'Trace in the bound observabilityMode, and record it as traceMode.',
    find: ({ callSpec: { observabilityMode: bound }, extension: { traceMode } }) =>
      when(
        bound !== undefined && traceMode !== bound,
        'evidence.traceMode',
        `is ${short(traceMode ?? 'missing')}; bound is ${bound}`,
      ),
  }),
  'governance.risk_tier_profile_missing': claimed({
    means: 'A risk tier is bound without the controls that belong to it.',
    remedy: 'Name the control profile of the tier as riskTierProfileRef.',
    find: ({ callSpec: { riskTier }, extension: { riskTierProfileRef } }) =>
      when(
        riskTier !== undefined && riskTierProfileRef === undefined,
        'evidence.riskTierProfileRef',
        `is missing; the turn is of risk tier ${riskTier}`,
      ),
  }),
  'governance.self_evolution_retry_missing': selfEvolution(
    'Self-evolution has no bound on its attempts.',
    'maxAttempts',
    'Give selfEvolution.maxAttempts, at least 1.',
  ),
  'governance.self_evolution_escalation_missing': selfEvolution(
    'Self-evolution names no escalation for failure.',
    'terminalEscalation',
    'Give selfEvolution.terminalEscalation.',
  ),
  'governance.self_evolution_rollback_missing': selfEvolution(
    'Self-evolution has no way back.',
    'rollbackRef',
    'Give selfEvolution.rollbackRef.',
  ),
})

function packageMismatch(turn: Turn, { policyInForce }: Kit): readonly Violation[] {
  if (packageUnpinned(turn)) return none
  const { expectedDigest, boundDigest } = turn.claims.governanceProfile?.policyProvenance ?? {}
  return [
    ...when(
      expectedDigest !== boundDigest,
      'governanceProfile.policyProvenance.boundDigest',
      `is ${short(boundDigest ?? '')}; expected is ${short(expectedDigest ?? '')}`,
    ),
    ...when(
      policyInForce !== undefined && expectedDigest !== policyInForce,
      'governanceProfile.policyProvenance.expectedDigest',
      `is ${short(expectedDigest ?? '')}; in force is ${policyInForce ?? 'none'}`,
    ),
    ...mismatches(turn, policiesOf('governance.policy_package_mismatch')),
  ]
}

const seqsOf = (turn: Turn, stage: string) =>
  (turn.extension.guardrails ?? [])
    .filter(row => row.stage === stage)
    .map(row => row.seq)
    .filter(seq => seq !== undefined)

/** Checks that each guardrail stage decided, and in the right order. */
function missingStages(turn: Turn): readonly Violation[] {
  if (turn.callSpec.guardrailStagePolicyDigest === undefined) return none
  return guardrailStages
    .filter(stage => !turn.extension.guardrails?.some(row => row.stage === stage))
    .map(stage => ({ at: 'evidence.guardrails', message: `the stage ${stage} left no decision` }))
}

function misorderedStages(turn: Turn): readonly Violation[] {
  if (turn.callSpec.guardrailStagePolicyDigest === undefined) return none
  const violations: Violation[] = []
  const [preFlight, input, output] = guardrailStages.map(stage => seqsOf(turn, stage))
  const requests = turn.requests.map(row => row.seq).filter(seq => seq !== undefined)
  const inOrder = [
    [preFlight, input, 'input was decided before pre_flight was'],
    [input, output, 'output was decided before input was'],
    [preFlight, output, 'output was decided before pre_flight was'],
    [preFlight, requests, 'a tool was called before pre_flight was decided'],
  ] as const
  for (const [earlier = [], later = [], message] of inOrder) {
    const last = earlier.reduce((latest, seq) => Math.max(latest, seq), -1)
    if (later.some(seq => seq <= last)) violations.push({ at: 'evidence.guardrails', message })
  }
  return violations
}
