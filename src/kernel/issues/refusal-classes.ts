/** Every reason to refuse a change of issue memory. The reference page lists them. */

interface RefusalClassEntry {
  readonly means: string
  /** Another worker was first; retrying unchanged cannot help. */
  readonly conflict?: true
}

export const refusalClasses = {
  close_proof_failed: { means: 'The checks that prove the issue done failed on this tree.' },
  close_proof_missing: { means: 'No proof shows that the issue is done.' },
  close_proof_stale: {
    means:
      'The files have changed since the proof was made, or the issue or the policy has changed since the check was sent elsewhere.',
  },
  close_reason_missing: { means: 'The close has neither a proof nor a reason.' },
  close_request_invalid: { means: 'The file of a queued close cannot be used.' },
  close_specs_changed: { means: 'The work changed the specs that judge it.' },
  dependency_cycle: { means: 'The edge would make a cycle: issues would wait for themselves.' },
  dependency_exists: { means: 'The edge exists already.' },
  dependency_not_found: { means: 'The edge does not exist.' },
  dependency_not_redundant: {
    means: 'The edge is not redundant: no other path connects the two issues.',
  },
  dependency_self: { means: 'An issue cannot depend on itself.' },
  escalation_attempts_left: { means: 'The retry policy grants another attempt.' },
  escalation_issue_context_ambiguous: {
    means: 'The failure may belong to more than one issue.',
  },
  escalation_issue_context_unbound: { means: 'The failure belongs to no known issue.' },
  escalation_not_allowed: {
    means: 'The instruction does not allow the action that the retry policy prescribes next.',
  },
  'governance.policy_package_mismatch': {
    means: 'The policy or the checks differ from those in force.',
  },
  'governance.policy_package_unpinned': {
    means: 'Governance is claimed, but no policy or no checks were ever put in force.',
  },
  instruction_entry_used: {
    means: 'The change that the instruction allows was made already: each entry allows one change.',
    conflict: true,
  },
  instruction_expired: { means: 'The witness is too old, or its time lies in the future.' },
  instruction_not_accepted: { means: 'The instruction was rejected.' },
  instruction_not_in_force: {
    means:
      'The instruction is not in the commit of the target branch, and no person put it in force.',
  },
  instruction_policy_unknown: {
    means: 'The policy of the instruction is not registered, or the policy folder cannot be read.',
  },
  instruction_scope_exceeded: { means: 'The instruction does not allow this change.' },
  instruction_witness_invalid: { means: 'The witness does not match its digests.' },
  instruction_witness_missing: { means: 'The instruction has no witness.' },
  issue_blocked: { means: 'Issues that this one waits for are not closed.' },
  issue_closed: { means: 'The issue is closed, so nothing can block it.' },
  issue_comment_blank: { means: 'The comment has no text, or its author no name.' },
  issue_comments_invalid: { means: 'The comments in the row of the issue are not a list.' },
  issue_exists: { means: 'Another issue has this id.' },
  issue_id_invalid: { means: 'The id contains characters that are not allowed.' },
  issue_import_conflict: { means: 'The import contains ids that exist with different content.' },
  issue_landing: {
    means: 'The commit of the issue is landing on the target branch, so the issue cannot change.',
    conflict: true,
  },
  issue_not_found: { means: 'No issue has this id.' },
  issue_not_landed: {
    means: 'The issue is not closed with a commit on a target branch, so nothing can be reverted.',
  },
  issue_priority_invalid: { means: 'The priority is not a whole number from 0 to 4.' },
  issue_status_invalid: { means: 'The status is blank, or the project does not know it.' },
  issue_title_missing: { means: 'The title is blank.' },
  issue_type_invalid: { means: 'The issue type is unknown.' },
  issue_update_empty: { means: 'An update names no field.' },
  landing_conflict: { means: 'The work conflicts with the target branch.' },
  landing_invalid: {
    means: 'The landing has no full id of a commit, its base or its tree, or no target branch.',
  },
  landing_not_found: { means: 'The issue is not landing this commit.', conflict: true },
  landing_parked: {
    means: 'The work is verified, but something is in the way of its landing.',
  },
  landing_reverted: {
    means: 'The commit was reverted on the target branch, so it cannot close the issue again.',
  },
  lease_binding_ambiguous: { means: 'The request gives both a duration and an end for the lease.' },
  lease_contention_active: { means: 'Somebody else holds the issue.', conflict: true },
  lease_fence_invalid: {
    means: 'The fence of the issue is not a number, so no next fence exists.',
  },
  lease_fence_stale: {
    means: 'The fence is not the latest: somebody else has held the issue since.',
    conflict: true,
  },
  lease_id_mismatch: {
    means: 'The lease id is missing or belongs to another lease.',
    conflict: true,
  },
  lease_invalid_assignee: { means: 'The request names no holder for the lease.' },
  lease_invalid_expires_at: {
    means: 'The end of the lease is not a time, lies in the past, or is too far in the future.',
  },
  lease_invalid_ttl: { means: 'The duration of the lease is too short or too long.' },
  lease_issue_closed: { means: 'The issue is closed, so nobody can hold it.' },
  lease_missing: { means: 'The issue has no lease, or the lease has ended.' },
  lease_not_found: { means: 'No issue has the id for which a lease was requested.' },
  lease_owner_mismatch: { means: 'Somebody else holds the lease.', conflict: true },
  lease_proof_missing: {
    means: 'The issue is leased, and the change does not show that it comes from the holder.',
    conflict: true,
  },
  lease_stale: { means: 'The lease has expired.', conflict: true },
  'mutation.capability_claim_missing': {
    means: 'The instruction does not claim a capability that the change needs.',
  },
  'mutation.policy_digest_mismatch': { means: 'The turn is bound to another policy.' },
  'mutation.use_evidence_missing': {
    means: 'No witness shows that the turn is closed, or the witness does not match its digest.',
  },
  mutation_not_granted: { means: 'The policy does not allow this caller to change issue memory.' },
  override_declined: { means: 'Nobody confirmed the change at the terminal.' },
  override_needs_terminal: {
    means:
      'The change needs somebody at a terminal, or a policy on the target branch that lets scripts override.',
  },
  protected_path_changed: {
    means:
      'The work changed a file that the configuration protects, and its issue does not allow it.',
  },
  replay_log_empty: { means: 'The event log has no issue, but memory has some.' },
  replay_loses_rows: { means: 'Memory has rows that the event log lacks.' },
  replay_memory_changed: { means: 'Memory changed between the comparison and the replay.' },
  turn_not_closed: { means: 'The turn is open: its failure classes say why.' },
  turn_ref_unresolved: {
    means: 'A session, trajectory or use ref of the turn names no artifact of this project.',
  },
  work_changed_nothing: { means: 'The work changed no file, so there is nothing to land.' },
} as const satisfies Readonly<Record<string, RefusalClassEntry>>

export type RefusalClass = keyof typeof refusalClasses

export function isConflict(refusalClass: RefusalClass): boolean {
  const entry: RefusalClassEntry = refusalClasses[refusalClass]
  return entry.conflict === true
}
