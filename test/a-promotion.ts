/** Complete evidence for the promotion of a policy; tests remove one member. */
export const promotion = {
  promotionIntent: true,
  governanceProfile: {
    claimId: 'profile.doctrine_inf_governance.v0',
    claimed: true,
    policyProvenance: {
      pinned: true,
      packageRef: 'package://governance/1',
      expectedDigest: 'sha256:one',
      boundDigest: 'sha256:one',
    },
    guardrailStages: ['pre_flight', 'input', 'output'],
    evalGate: { passed: true },
    evalEvidence: {
      datasetLineageRef: 'dataset://1',
      graderConfigLineageRef: 'grader://1',
      metricThresholdsRef: 'thresholds://1',
    },
    observabilityMode: 'dashboard',
    riskTier: { tier: 'moderate', controlProfileBound: true },
    selfEvolution: { maxAttempts: 2, terminalEscalation: 'stop', rollbackRef: 'commit://1' },
  },
  workflowTrace: { traceRef: 'trace://1', score: 0.9, threshold: 0.8, grade: 'pass' },
  adversarialGate: { passed: true, reportRef: 'report://1' },
}

/** The same evidence, bound to the digest of a policy. */
export const promotionOf = (digest: string) => ({
  ...promotion,
  governanceProfile: {
    ...promotion.governanceProfile,
    policyProvenance: {
      ...promotion.governanceProfile.policyProvenance,
      expectedDigest: digest,
      boundDigest: digest,
    },
  },
})
