/** Operations by the ids that other surfaces and the contracts call them by. */
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { allCommands } from '../src/cli/commands.ts'
import { operations } from '../src/operations/index.ts'
import { shortNames } from '../src/operations/short-names.ts'

/** The ids that the contracts name, each with the command that does the job. */
const contractIds = {
  'op/ci.coherence_check': 'coherence-check',
  'op/ci.decide_required': 'required-witness-decide',
  'op/ci.docs_coherence_check': 'docs-coherence-check',
  'op/ci.doctrine_check': 'doctrine-check',
  'op/ci.hygiene_check': 'ci-hygiene-check',
  'op/ci.instruction': 'ci-instruction',
  'op/ci.observe_build': 'observe-build',
  'op/ci.observe_serve': 'observe-serve',
  'op/ci.pipeline_test': 'ci-pipeline-test',
  'op/ci.required': 'ci-required',
  'op/ci.required_delta': 'required-delta',
  'op/ci.required_gate_ref': 'required-gate-ref',
  'op/ci.required_projection': 'required-projection',
  'op/ci.required_witness': 'required-witness',
  'op/ci.verify_required_decision': 'required-decision-verify',
  'op/ci.verify_required_witness': 'required-witness-verify',
  'op/harness.feature_check': 'harness-feature check',
  'op/harness.feature_next': 'harness-feature next',
  'op/harness.feature_read': 'harness-feature read',
  'op/harness.feature_write': 'harness-feature write',
  'op/harness.session_bootstrap': 'harness-session bootstrap',
  'op/harness.session_read': 'harness-session read',
  'op/harness.session_write': 'harness-session write',
  'op/harness.trajectory_append': 'harness-trajectory append',
  'op/harness.trajectory_query': 'harness-trajectory query',
  'op/mcp.dep_add': 'dep add',
  'op/mcp.dep_diagnostics': 'dep diagnostics',
  'op/mcp.dep_remove': 'dep remove',
  'op/mcp.dep_replace': 'dep replace',
  'op/mcp.init_tool': 'init',
  'op/mcp.instruction_check': 'instruction-check',
  'op/mcp.instruction_run': 'instruction-run',
  'op/mcp.issue_add': 'issue add',
  'op/mcp.issue_backend_status': 'issue backend-status',
  'op/mcp.issue_blocked': 'issue blocked',
  'op/mcp.issue_check': 'issue check',
  'op/mcp.issue_claim': 'issue claim',
  'op/mcp.issue_discover': 'issue discover',
  'op/mcp.issue_lease_projection': 'issue lease-projection',
  'op/mcp.issue_lease_release': 'issue lease-release',
  'op/mcp.issue_lease_renew': 'issue lease-renew',
  'op/mcp.issue_list': 'issue list',
  'op/mcp.issue_ready': 'issue ready',
  'op/mcp.issue_update': 'issue update',
  'op/mcp.observe_latest': 'observe',
  'op/mcp.serve': 'mcp-serve',
  'op/transport.issue_claim_next': 'issue claim-next',
  'op/transport.repl': 'repl',
  'op/transport.resident': 'resident serve',
  'op/transport.scheme_eval': 'scheme-eval',
}

/** The namespaces in which the contracts give the ids. */
const isOfContracts = (id: string) => /^op\/(ci|conformance|mcp|transport)\./.test(id)

const loadedFrom = async (commands: typeof operations) =>
  await Promise.all(
    Object.entries(commands).map(async ([command, load]) => ({ command, ...(await load()) })),
  )

const ours = await loadedFrom(operations)

test('[runtime.8.no-parallel-ids] an operation whose job the contracts name has their id, and no other id is in their namespaces', () => {
  const found = ours
    .filter(({ opId }) => Object.hasOwn(contractIds, opId) || isOfContracts(opId))
    .map(({ opId, command }) => [opId, command])
  expect(found.toSorted()).toEqual(Object.entries(contractIds))
})

test('[runtime.8.no-parallel-ids] no two operations have the same id', async () => {
  const all = await loadedFrom(allCommands(operations))
  const ids = all.filter(({ shortFor }) => shortFor === undefined).map(({ opId }) => opId)
  expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted())
})

test('[runtime.8.no-parallel-ids] an operation that the contracts do not name is called after its folder and its file', () => {
  const paths = readdirSync('src/operations', { recursive: true, encoding: 'utf8' })
  const byPath = paths
    .filter(path => /^\w+\/[\w-]+\.ts$/.test(path) && !path.endsWith('.test.ts'))
    .map(path => `op/${path.replace('/', '.').replaceAll('-', '_').replace(/\.ts$/, '')}`)
  const others = ours.filter(({ opId }) => !Object.hasOwn(contractIds, opId))
  expect(others.filter(({ opId }) => !byPath.includes(opId))).toEqual([])
})

test('[runtime.8.no-parallel-ids] a short name is the same operation, under the same id', async () => {
  const all = await loadedFrom(allCommands(operations))
  const idOf = (command: string) => all.find(one => one.command === command)?.opId
  for (const [name, { command }] of Object.entries(shortNames)) {
    expect([name, idOf(name)]).toEqual([name, idOf(command)])
  }
})
