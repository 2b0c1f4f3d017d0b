/** Every reason to refuse a change of issue memory. The reference page lists them. */

interface RefusalClassEntry {
  readonly means: string
  /** Another worker was first; retrying unchanged cannot help. */
  readonly conflict?: true
}

export const refusalClasses = {
  close_proof_failed: { means: 'What says that the issue is done failed on this tree.' },
  close_proof_missing: { means: 'Nothing shows that the issue is done.' },
  close_proof_stale: {
    means:
      'Files have changed since the issue was seen to be done; or the issue or the policy have, since it was sent to be checked elsewhere.',
  },
  close_reason_missing: { means: 'Somebody closes without proof, and does not say why.' },
  dependency_cycle: { means: 'With the edge, issues would wait for themselves.' },
  dependency_exists: { means: 'The edge is there already.' },
  dependency_not_found: { means: 'There is no such edge.' },
  dependency_not_redundant: {
    means: 'An edge was to go as redundant, and no other path stands for it.',
  },
  dependency_self: { means: 'An issue cannot depend on itself.' },
  escalation_attempts_left: { means: 'The retry policy grants another attempt.' },
  escalation_issue_context_ambiguous: {
    means: 'More than one issue may be the one that a failure is about.',
  },
  escalation_issue_context_unbound: { means: 'Nothing says which issue a failure is about.' },
  escalation_not_allowed: {
    means: 'The instruction does not let an agent do what the retry policy says is left to do.',
  },
  'governance.policy_package_mismatch': {
    means: 'Policy or checks are not those that were put in force.',
  },
  'governance.policy_package_unpinned': {
    means: 'Governance is claimed, and policy or checks were never put in force.',
  },
  instruction_entry_used: {
    means: 'What the instruction allows was done already: each entry is good for one change.',
    conflict: true,
  },
  instruction_expired: { means: 'The witness is too old, or from a time that has not come.' },
  instruction_not_accepted: { means: 'The instruction was rejected.' },
  instruction_policy_unknown: {
    means: 'The policy of the instruction is not registered, or the folder of policies is bad.',
  },
  instruction_scope_exceeded: { means: 'The instruction does not allow this change.' },
  instruction_witness_invalid: { means: 'The witness is not what its digests say.' },
  instruction_witness_missing: { means: 'The instruction has no witness.' },
  issue_closed: { means: 'The issue is closed, so nothing can block it.' },
  issue_exists: { means: 'The id is taken.' },
  issue_id_invalid: { means: 'The text cannot be an id.' },
  issue_import_conflict: { means: 'Ids of the import exist with another content.' },
  issue_not_found: { means: 'No issue has this id.' },
  issue_priority_invalid: { means: 'The priority is no whole number, or too large for one.' },
  issue_status_invalid: { means: 'The status is blank.' },
  issue_title_missing: { means: 'The title is blank.' },
  issue_type_invalid: { means: 'The type is none of those there are.' },
  issue_update_empty: { means: 'An update names no field.' },
  lease_binding_ambiguous: { means: 'A lease was asked for with a term and with an end.' },
  lease_contention_active: { means: 'Somebody else holds the issue.', conflict: true },
  lease_fence_invalid: { means: 'The fence of the issue is no number to count on from.' },
  lease_fence_stale: {
    means: 'The fence is not the last one given out: somebody else has held the issue since.',
    conflict: true,
  },
  lease_id_mismatch: {
    means: 'The lease id is missing, or is not that of the lease.',
    conflict: true,
  },
  lease_invalid_assignee: { means: 'Nobody is named to hold the lease.' },
  lease_invalid_expires_at: { means: 'The end is no time, is over, or is too far away.' },
  lease_invalid_ttl: { means: 'The term is too short or too long.' },
  lease_issue_closed: { means: 'The issue is closed, so nobody can hold it.' },
  lease_missing: { means: 'The issue is not leased, or not any more.' },
  lease_not_found: { means: 'No issue has the id that was to be leased.' },
  lease_owner_mismatch: { means: 'Somebody else holds the lease.', conflict: true },
  lease_proof_missing: {
    means: 'The issue is leased, and the change does not show that it comes from the holder.',
    conflict: true,
  },
  lease_stale: { means: 'The lease ran out.', conflict: true },
  'mutation.capability_claim_missing': {
    means: 'The instruction does not claim what the change needs.',
  },
  'mutation.policy_digest_mismatch': { means: 'The turn is bound to another policy.' },
  'mutation.use_evidence_missing': {
    means: 'No witness shows that the turn is closed, or it is not what its digest says.',
  },
  mutation_not_granted: { means: 'The policy does not let whoever asks change issue memory.' },
  replay_log_empty: { means: 'The log has no issue, and memory has some.' },
  replay_loses_rows: { means: 'The log does not know all that memory has.' },
  replay_memory_changed: { means: 'Memory changed between the comparison and the replay.' },
  turn_not_closed: { means: 'The turn is open: its failure classes say why.' },
} as const satisfies Readonly<Record<string, RefusalClassEntry>>

export type RefusalClass = keyof typeof refusalClasses

export function isConflict(refusalClass: RefusalClass): boolean {
  const entry: RefusalClassEntry = refusalClasses[refusalClass]
  return entry.conflict === true
}
