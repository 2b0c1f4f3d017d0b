/** One command line for every operation that is exposed, with the change that its turn asks for. */
import { id, instructionPath } from './an-instruction-project.ts'

export interface ExposedRow {
  readonly words: readonly string[]
  /** The change that the turn before it asks for, where the door wants one. */
  readonly turn?: { readonly action: string; readonly issueId: string }
  /** The first class, where the answer is a rejection. */
  readonly refused?: string
}

const about = (action: string, issueId = 'bd-1') => ({ action, issueId })
const lease = ['--lease-id', 'lease1_bd-2_holder', '--fence', '1']

/** By host function. `holder` holds bd-2. */
export const exposedRows: Readonly<Record<string, ExposedRow>> = {
  prime: { words: ['prime'] },
  status: { words: ['status'] },
  'issue.ready': { words: ['issue', 'ready', '--limit', '1'] },
  'issue.list': { words: ['issue', 'list', '--status', 'open'] },
  'issue.show': { words: ['issue', 'show', 'bd-1'] },
  'issue.check': { words: ['issue', 'check'], refused: 'issue_graph.acceptance.missing' },
  'issue.backend_status': { words: ['issue', 'backend-status'] },
  'issue.blocked': { words: ['issue', 'blocked'] },
  'issue.add': { words: ['issue', 'add', 'New', '--type', 'bug', '--id', 'bd-7'] },
  'issue.claim': { words: ['issue', 'claim', 'bd-1', '--assignee', 'agent'] },
  'issue.claim_next': { words: ['issue', 'claim-next', '--assignee', 'agent'] },
  'issue.lease_renew': {
    words: ['issue', 'lease-renew', 'bd-2', '--assignee', 'holder', ...lease],
  },
  'issue.lease_release': {
    words: ['issue', 'lease-release', 'bd-2', '--assignee', 'holder', ...lease],
  },
  'issue.lease_projection': { words: ['issue', 'lease-projection'] },
  'issue.discover': {
    words: ['issue', 'discover', 'bd-1', 'Found', '--id', 'bd-7'],
    turn: about('issue_discover'),
  },
  'issue.update': {
    words: ['issue', 'update', 'bd-1', '--title', 'Other', '--priority', '0'],
    turn: about('issue_update'),
  },
  // A close that is queued would be worked off beside the other surfaces.
  'issue.close': {
    words: ['issue', 'close', 'bd-1', '--queue'],
    turn: about('issue_update'),
    refused: 'lease_missing',
  },
  'issue.comment': { words: ['issue', 'comment', 'bd-1', 'Seen', '--author', 'agent'] },
  'dep.add': { words: ['dep', 'add', 'bd-1', 'bd-2'], turn: about('dep_add') },
  'dep.remove': { words: ['dep', 'remove', 'bd-3', 'bd-1'], turn: about('dep_remove', 'bd-3') },
  'dep.replace': {
    words: ['dep', 'replace', 'bd-3', 'bd-1', '--to-type', 'related'],
    turn: about('dep_replace', 'bd-3'),
  },
  'dep.diagnostics': { words: ['dep', 'diagnostics', '--graph-scope', 'full'] },
  init: { words: ['init'] },
  'observe.latest': { words: ['observe', '--mode', 'latest'] },
  'observe.needs_attention': { words: ['observe', '--mode', 'needs_attention'] },
  'observe.instruction': {
    words: ['observe', '--mode', 'instruction', '--instruction-id', id],
  },
  'observe.projection': {
    words: ['observe', '--mode', 'projection', '--projection-digest', 'proj1_none'],
    refused: 'observation_projection_not_found',
  },
  'instruction.check': { words: ['instruction-check', '--instruction', instructionPath] },
  'instruction.run': { words: ['instruction-run', '--instruction', instructionPath] },
  'harness.session.read': { words: ['harness-session', 'read'] },
  'harness.session.write': {
    words: ['harness-session', 'write', '--state', 'stopped', '--witness-ref', 'w://1'],
  },
  'harness.session.bootstrap': { words: ['harness-session', 'bootstrap'] },
  'harness.feature.read': { words: ['harness-feature', 'read'] },
  'harness.feature.write': {
    words: ['harness-feature', 'write', '--feature-id', 'beta', '--status', 'pending'],
  },
  'harness.feature.check': { words: ['harness-feature', 'check'] },
  'harness.feature.next': { words: ['harness-feature', 'next'] },
  'harness.trajectory.append': {
    words: [
      ...['harness-trajectory', 'append', '--step-id', 'step-2', '--action', 'agent.turn'],
      ...['--result-class', 'completed', '--attempt', '2'],
    ],
  },
  'harness.trajectory.query': { words: ['harness-trajectory', 'query', '--limit', '1'] },
  'harness.join_check': { words: ['harness-join-check', '--input', 'artifacts/turn.json'] },
  'required.projection': { words: ['required-projection', '--input', 'artifacts/paths.json'] },
  'required.delta': {
    words: ['required-delta', '--input', 'artifacts/commits.json'],
    refused: 'required_delta_invalid',
  },
  'required.gate_ref': { words: ['required-gate-ref', '--input', 'artifacts/gate.json'] },
  'required.witness': { words: ['required-witness', '--runtime', 'artifacts/run.json'] },
  'required.witness_verify': {
    words: ['required-witness-verify', '--input', 'artifacts/verify.json'],
  },
  'required.witness_decide': {
    words: ['required-witness-decide', '--input', 'artifacts/decide.json'],
  },
  'required.decision_verify': {
    words: ['required-decision-verify', '--input', 'artifacts/decision.json'],
  },
  'scheme.eval': { words: ['scheme-eval', '--expression', '(+ 1 2)'] },
  'spec.run': { words: ['spec', 'run', 'specs'] },
  'coherence.check': { words: ['coherence-check'] },
}
