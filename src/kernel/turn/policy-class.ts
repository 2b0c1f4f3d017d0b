/** The failure class for each call-spec digest whose document does not match. */
export const classByPolicy = {
  mutationPolicyDigest: 'mutation.policy_digest_mismatch',
  decompositionPolicyDigest: 'coordination.decomposition_policy_violation',
  toolRenderProtocolDigest: 'context.queue_policy_violation',
  reminderQueuePolicyDigest: 'context.queue_policy_violation',
  stateViewPolicyDigest: 'context.queue_policy_violation',
  contextScopeDigest: 'context.scope_violation',
  compactionPolicyDigest: 'runtime.compaction_state_invalid',
  governancePolicyDigest: 'governance.policy_package_mismatch',
  guardrailStagePolicyDigest: 'governance.policy_package_mismatch',
  evalGatePolicyDigest: 'governance.policy_package_mismatch',
  redTeamPolicyDigest: 'governance.policy_package_mismatch',
} as const

const fieldsByClass = new Map<string, string[]>()
for (const [field, owner] of Object.entries(classByPolicy)) {
  fieldsByClass.set(owner, [...(fieldsByClass.get(owner) ?? []), field])
}

/** The call-spec fields a class covers. */
export const policiesOf = (failureClass: string): readonly string[] =>
  fieldsByClass.get(failureClass) ?? []
