/**
 * The operations that surfaces beside the command line offer: tools of the MCP server and host
 * functions of programs. One line per tool. Its schemas come from the operation.
 */
import type { JsonObject } from '../kernel/json.ts'
import type { CallNames } from './call-arguments.ts'

export interface Exposed {
  /** The name of the tool. */
  readonly tool: string
  /** The name of the host function. */
  readonly action: string
  /** The words of the command. */
  readonly command: string
  /** Input that the tool sets, which callers cannot. */
  readonly fixed?: JsonObject
  /** Given where the contracts name one mode of a command as an operation of its own. */
  readonly opId?: string
  /** By field of the operation: the name that callers know it by. */
  readonly names?: Readonly<Record<string, string>>
}

/** The contracts' names for fields that most tools share. */
const shared = { issues: 'issuesPath', instruction: 'instructionId' } as const
const content = { ...shared, type: 'issueType' } as const
const edge = { ...shared, issue: 'issueId', dependsOn: 'dependsOnId', type: 'depType' } as const
const observed = { surface: 'surfacePath' } as const
const instruction = { instruction: 'instructionPath', repoRoot: 'repoRoot' } as const

export const exposed: readonly Exposed[] = [
  { tool: 'prime', action: 'prime', command: 'prime' },
  { tool: 'status', action: 'status', command: 'status' },
  { tool: 'issue_ready', action: 'issue.ready', command: 'issue ready' },
  { tool: 'issue_list', action: 'issue.list', command: 'issue list' },
  { tool: 'issue_show', action: 'issue.show', command: 'issue show' },
  { tool: 'issue_check', action: 'issue.check', command: 'issue check' },
  {
    tool: 'issue_backend_status',
    action: 'issue.backend_status',
    command: 'issue backend-status',
  },
  { tool: 'issue_blocked', action: 'issue.blocked', command: 'issue blocked' },
  { tool: 'issue_add', action: 'issue.add', command: 'issue add', names: content },
  { tool: 'issue_claim', action: 'issue.claim', command: 'issue claim' },
  { tool: 'issue_claim_next', action: 'issue.claim_next', command: 'issue claim-next' },
  { tool: 'issue_lease_renew', action: 'issue.lease_renew', command: 'issue lease-renew' },
  { tool: 'issue_lease_release', action: 'issue.lease_release', command: 'issue lease-release' },
  {
    tool: 'issue_lease_projection',
    action: 'issue.lease_projection',
    command: 'issue lease-projection',
  },
  {
    tool: 'issue_discover',
    action: 'issue.discover',
    command: 'issue discover',
    names: { ...content, parent: 'parentIssueId' },
  },
  { tool: 'issue_update', action: 'issue.update', command: 'issue update', names: content },
  {
    tool: 'issue_close',
    action: 'issue.close',
    command: 'issue close',
    fixed: { queue: true },
  },
  { tool: 'issue_comment', action: 'issue.comment', command: 'issue comment' },
  { tool: 'dep_add', action: 'dep.add', command: 'dep add', names: edge },
  { tool: 'dep_remove', action: 'dep.remove', command: 'dep remove', names: edge },
  {
    tool: 'dep_replace',
    action: 'dep.replace',
    command: 'dep replace',
    names: { ...edge, fromType: 'fromDepType', toType: 'toDepType' },
  },
  { tool: 'dep_diagnostics', action: 'dep.diagnostics', command: 'dep diagnostics' },
  { tool: 'init_tool', action: 'init', command: 'init', names: { folder: 'rootPath' } },
  {
    tool: 'observe_latest',
    action: 'observe.latest',
    command: 'observe',
    fixed: { mode: 'latest' },
    names: observed,
  },
  {
    tool: 'observe_needs_attention',
    action: 'observe.needs_attention',
    command: 'observe',
    fixed: { mode: 'needs_attention' },
    opId: 'op/mcp.observe_needs_attention',
    names: observed,
  },
  {
    tool: 'observe_instruction',
    action: 'observe.instruction',
    command: 'observe',
    fixed: { mode: 'instruction' },
    opId: 'op/mcp.observe_instruction',
    names: observed,
  },
  {
    tool: 'observe_projection',
    action: 'observe.projection',
    command: 'observe',
    fixed: { mode: 'projection' },
    opId: 'op/mcp.observe_projection',
    names: observed,
  },
  {
    tool: 'instruction_check',
    action: 'instruction.check',
    command: 'instruction-check',
    names: instruction,
  },
  {
    tool: 'instruction_run',
    action: 'instruction.run',
    command: 'instruction-run',
    names: instruction,
  },
  {
    tool: 'harness_session_read',
    action: 'harness.session.read',
    command: 'harness-session read',
  },
  {
    tool: 'harness_session_write',
    action: 'harness.session.write',
    command: 'harness-session write',
  },
  {
    tool: 'harness_session_bootstrap',
    action: 'harness.session.bootstrap',
    command: 'harness-session bootstrap',
  },
  {
    tool: 'harness_feature_read',
    action: 'harness.feature.read',
    command: 'harness-feature read',
  },
  {
    tool: 'harness_feature_write',
    action: 'harness.feature.write',
    command: 'harness-feature write',
  },
  {
    tool: 'harness_feature_check',
    action: 'harness.feature.check',
    command: 'harness-feature check',
  },
  {
    tool: 'harness_feature_next',
    action: 'harness.feature.next',
    command: 'harness-feature next',
  },
  {
    tool: 'harness_trajectory_append',
    action: 'harness.trajectory.append',
    command: 'harness-trajectory append',
  },
  {
    tool: 'harness_trajectory_query',
    action: 'harness.trajectory.query',
    command: 'harness-trajectory query',
  },
  { tool: 'harness_join_check', action: 'harness.join_check', command: 'harness-join-check' },
  { tool: 'required_projection', action: 'required.projection', command: 'required-projection' },
  { tool: 'required_delta', action: 'required.delta', command: 'required-delta' },
  { tool: 'required_gate_ref', action: 'required.gate_ref', command: 'required-gate-ref' },
  { tool: 'required_witness', action: 'required.witness', command: 'required-witness' },
  {
    tool: 'required_witness_verify',
    action: 'required.witness_verify',
    command: 'required-witness-verify',
  },
  {
    tool: 'required_witness_decide',
    action: 'required.witness_decide',
    command: 'required-witness-decide',
  },
  {
    tool: 'required_decision_verify',
    action: 'required.decision_verify',
    command: 'required-decision-verify',
  },
  { tool: 'scheme_eval', action: 'scheme.eval', command: 'scheme-eval' },
  { tool: 'spec_run', action: 'spec.run', command: 'spec run' },
  { tool: 'coherence_check', action: 'coherence.check', command: 'coherence-check' },
]

/** The name that callers know a field by. */
export const namesOfFields = ({ names }: Exposed): Readonly<Record<string, string>> =>
  names ?? shared

/** How callers of the tool or the host function name its fields, and the input that it sets itself. */
export const callNamesOf = (entry: Exposed): CallNames => ({
  names: namesOfFields(entry),
  ...(entry.fixed && { fixed: entry.fixed }),
})
