/** The routes and host actions of the contracts, and the claims that a project can make. */

/** HARNESS-RUNTIME §8. */
export const routes = [
  'op/harness.session_read',
  'op/harness.session_write',
  'op/harness.session_bootstrap',
  'op/mcp.issue_claim',
  'op/mcp.issue_lease_renew',
  'op/mcp.issue_lease_release',
  'op/mcp.issue_lease_projection',
  'op/mcp.dep_diagnostics',
] as const

interface HostAction {
  readonly opId: string
  /** TUSK-HARNESS-CONTRACT §14.2 demands an instruction for it. */
  readonly changes: boolean
}

const reads = (opId: string): HostAction => ({ opId, changes: false })
const changes = (opId: string): HostAction => ({ opId, changes: true })

/** TUSK-HARNESS-CONTRACT §14.2, with the operation of each. */
export const hostActions: Readonly<Record<string, HostAction>> = {
  'issue.list': reads('op/mcp.issue_list'),
  'issue.ready': reads('op/mcp.issue_ready'),
  'issue.blocked': reads('op/mcp.issue_blocked'),
  'issue.check': reads('op/mcp.issue_check'),
  'issue.backend_status': reads('op/mcp.issue_backend_status'),
  'dep.diagnostics': reads('op/mcp.dep_diagnostics'),
  'observe.latest': reads('op/mcp.observe_latest'),
  'observe.needs_attention': reads('op/mcp.observe_needs_attention'),
  'observe.instruction': reads('op/mcp.observe_instruction'),
  'observe.projection': reads('op/mcp.observe_projection'),
  'instruction.check': reads('op/mcp.instruction_check'),
  'coherence.check': reads('op/ci.coherence_check'),
  'required.projection': reads('op/ci.required_projection'),
  'required.delta': reads('op/ci.required_delta'),
  'required.gate_ref': reads('op/ci.required_gate_ref'),
  'required.witness_verify': reads('op/ci.verify_required_witness'),
  'required.decision_verify': reads('op/ci.verify_required_decision'),
  'harness.session.read': reads('op/harness.session_read'),
  'harness.session.bootstrap': reads('op/harness.session_bootstrap'),
  'harness.feature.read': reads('op/harness.feature_read'),
  'harness.feature.check': reads('op/harness.feature_check'),
  'harness.feature.next': reads('op/harness.feature_next'),
  'harness.trajectory.query': reads('op/harness.trajectory_query'),
  'issue.claim': changes('op/mcp.issue_claim'),
  'issue.claim_next': changes('op/transport.issue_claim_next'),
  'issue.update': changes('op/mcp.issue_update'),
  'issue.discover': changes('op/mcp.issue_discover'),
  'issue.lease_renew': changes('op/mcp.issue_lease_renew'),
  'issue.lease_release': changes('op/mcp.issue_lease_release'),
  'dep.add': changes('op/mcp.dep_add'),
  'dep.remove': changes('op/mcp.dep_remove'),
  'dep.replace': changes('op/mcp.dep_replace'),
  'instruction.run': changes('op/mcp.instruction_run'),
  'harness.session.write': changes('op/harness.session_write'),
  'harness.feature.write': changes('op/harness.feature_write'),
  'harness.trajectory.append': changes('op/harness.trajectory_append'),
}

/** Claims that `.premath/capability-registry.json` can make, with the commands that serve each. */
export const knownClaims: Readonly<Record<string, readonly string[]>> = {
  'profile.doctrine_inf_governance.v0': ['governance-promotion-check', 'policy set', 'policy show'],
  'capabilities.change_morphisms': ['issue update', 'dep add'],
  'capabilities.ci_witnesses': ['witness verify'],
  'capabilities.instruction_typing': ['instruction-check', 'proposal-check'],
}
