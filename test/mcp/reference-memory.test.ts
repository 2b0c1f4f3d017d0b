/** More cases of an earlier server, driven over stdio: copies of memory, leases and observation. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { at, leased, open } from '../a-project.ts'
import { envelope, smokePolicy, testPolicy } from '../an-instruction.ts'
import { anInstructionProject } from '../an-instruction-project.ts'
import { fewOf } from '../sim/seeded.ts'
import { allEras, type Connected, connected } from './a-client.ts'

const { project, put, text } = anInstructionProject()
const { done, given } = project
const projectionPath = '.premath/surreal_issue_cache.json'
const policy = (mode: string) => ({ schema: 1, surfaces: { cli: { mode: 'open' }, mcp: { mode } } })

describe.each(fewOf(allEras))('over %s', era => {
  let server: Connected
  const connect = async (...flags: readonly string[]) => {
    server = await connected({ cwd: project.folder, env: project.env }, era, flags)
  }
  const call = async (name: string, args: object = {}) =>
    (await server.call(name, { ...args })).json

  beforeEach(async () => {
    done('init')
    put('.premath/policy.json', policy('open'))
    await connect()
  })
  afterEach(async () => await server.close())

  /** The copy that the earlier server kept, of the memory as it is now. */
  async function putProjection(change: object = {}) {
    const { canonicalMemory } = await call('issue_backend_status')
    put(projectionPath, {
      schema: 1,
      kind: 'premath.surreal.issue_projection.v0',
      sourceIssuesPath: project.issues,
      sourceSnapshotRef: canonicalMemory.snapshotRef,
      issues: Object.values(project.rowsById()),
      ...change,
    })
  }

  const projectionState = async () => (await call('issue_backend_status')).queryProjection.state

  test('a copy of issue memory is fresh, stale after another change, or invalid', async () => {
    given(open('bd-1'))
    expect(await projectionState()).toBe('missing')
    await putProjection()
    expect(await projectionState()).toBe('fresh')
    await call('issue_add', { title: 'Another' })
    expect(await projectionState()).toBe('stale')
    await putProjection({ sourceSnapshotRef: 'iss1_other' })
    expect(await projectionState()).toBe('invalid')
    await putProjection({ sourceIssuesPath: join(project.folder, 'other.jsonl') })
    expect(await projectionState()).toBe('stale')
    expect((await call('issue_backend_status')).jj.state).toMatch(/\w/)
  })

  // The earlier server answered from the copy if it was told to, and wrote a copy that was not fresh again.
  test('the flag of the earlier backend is taken, questions are answered from the rows, and no copy is written', async () => {
    await server.close()
    given(open('bd-1'))
    await connect('--issue-query-backend', 'surreal', '--issue-query-projection', projectionPath)
    const empty = { issues: [] }
    const copies = [
      { ...empty, sourceIssuesPath: 'other.jsonl' },
      { ...empty, sourceSnapshotRef: undefined },
      { ...empty, sourceSnapshotRef: 'iss1_other' },
    ]
    for (const copy of copies) {
      await putProjection(copy)
      const before = text(projectionPath)
      const ready = await call('issue_ready')
      expect(ready).toMatchObject({ count: 1, items: [{ id: 'bd-1' }] })
      expect(ready).not.toHaveProperty('querySource')
      expect(text(projectionPath)).toBe(before)
    }
    const before = text(projectionPath)
    await call('issue_add', { title: 'Two' })
    expect((await call('issue_list')).count).toBe(2)
    expect(text(projectionPath)).toBe(before)
  })

  test('a cycle of closed issues is in the full graph alone', async () => {
    const on = (id: string, other: string) => [
      { issue_id: id, depends_on_id: other, type: 'blocks' },
    ]
    given(
      open('bd-a', { status: 'closed', dependencies: on('bd-a', 'bd-b') }),
      open('bd-b', { status: 'closed', dependencies: on('bd-b', 'bd-a') }),
      open('bd-c'),
    )
    const integrity = async (args: object) => (await call('dep_diagnostics', args)).integrity
    expect(await integrity({})).toMatchObject({ hasCycle: false, cyclePath: null })
    expect(await integrity({ graph_scope: 'full' })).toMatchObject({
      hasCycle: true,
      cyclePath: ['bd-a', 'bd-b', 'bd-a'],
    })
  })

  test('a lease that expired is not renewed, and another one may claim the issue', async () => {
    given(leased('bd-1', 'alice', -60))
    const lease = { id: 'bd-1', assignee: 'alice', leaseId: 'lease1_bd-1_alice', fence: 1 }
    const renewed = await call('issue_lease_renew', { ...lease, leaseTtlSeconds: 120 })
    expect(renewed.failureClasses).toEqual(['lease_stale'])
    const claimed = await call('issue_claim', { id: 'bd-1', assignee: 'bob', leaseTtlSeconds: 120 })
    expect(claimed.issue).toMatchObject({ assignee: 'bob', lease: { owner: 'bob' } })
    expect((await call('issue_lease_projection')).projection).toMatchObject({
      staleCount: 0,
      contendedCount: 0,
    })
  })

  test('a lease that holds is renewed and released, and a conflict says who holds it', async () => {
    given(open('bd-1'))
    const claim = { id: 'bd-1', assignee: 'alice', leaseTtlSeconds: 120 }
    const { issue } = await call('issue_claim', claim)
    const lease = { id: 'bd-1', assignee: 'alice', leaseId: issue.lease.leaseId }
    const fence = project.rowsById()['bd-1'].lease.fence ?? 1
    const renewed = await call('issue_lease_renew', { ...lease, fence, leaseTtlSeconds: 3600 })
    expect(Date.parse(renewed.issue.lease.expiresAt)).toBeGreaterThan(
      Date.parse(issue.lease.expiresAt),
    )
    const conflict = await call('issue_claim', { ...claim, assignee: 'bob' })
    expect(conflict.diagnostic).toContain('alice')
    const released = await call('issue_lease_release', { ...lease, fence })
    expect(released.issue).toMatchObject({ status: 'open', assignee: '' })
    expect(released.issue.lease ?? null).toBeNull()
  })

  test('the projection of leases names a stale and a contended one', async () => {
    given(
      leased('bd-stale', 'alice', -60),
      leased('bd-contended', 'bob', 600, { status: 'open', assignee: 'carol' }),
      leased('bd-healthy', 'dan', 600),
    )
    expect((await call('issue_lease_projection')).projection).toMatchObject({
      staleCount: 1,
      staleIssueIds: ['bd-stale'],
      contendedCount: 1,
      contendedIssueIds: ['bd-contended'],
    })
  })

  describe('the observe tools', () => {
    const digests = { typedCoreProjectionDigest: 'ev1_alpha', projectionDigest: 'proj1_alpha' }
    const id = '20260221T010000Z-a'

    beforeEach(() => {
      given(open('bd-1', { status: 'blocked' }))
      put('artifacts/ciwitness/latest-decision.json', {
        ...{ schema: 1, decisionKind: 'ci.required.decision.v1', ...digests },
        ...{ decision: 'accept', reasonClass: 'verified_accept', requiredChecks: ['test'] },
      })
      put(`artifacts/ciwitness/${id}.json`, {
        ...{ witnessKind: 'ci.instruction.v1', instructionId: id, verdictClass: 'accepted' },
      })
      done('observe-build', '--at', at(0))
    })

    test('answer as premath observe does', async () => {
      expect(await call('observe_latest')).toEqual(done('observe'))
      const attention = await call('observe_needs_attention')
      expect(attention).toEqual(done('observe', '--mode', 'needs_attention'))
      expect(attention.needsAttention).toBe(true)
      for (const args of [{ instructionId: id }, { instruction_id: id }]) {
        expect(await call('observe_instruction', args)).toMatchObject({ instructionId: id })
      }
      const unknown = await server.call('observe_instruction', { instructionId: 'x' })
      expect([unknown.isError, unknown.json.failureClasses]).toEqual([
        true,
        ['observation_instruction_not_found'],
      ])
    })

    test('find a projection by its typed digest, and by its alias on demand only', async () => {
      const typed = await call('observe_projection', { projectionDigest: 'ev1_alpha' })
      expect(typed.decision).toMatchObject({ decision: 'accept' })
      const alias = { projection_digest: 'proj1_alpha' }
      expect((await call('observe_projection', alias)).failureClasses).toEqual([
        'observation_projection_not_found',
      ])
      const asked = { ...alias, projectionMatch: 'compatibility_alias' }
      expect((await call('observe_projection', asked)).decision).toMatchObject({
        decision: 'accept',
      })
    })

    test('take another surface of the project, and name one that is half written', async () => {
      put('other/surface.json', text('artifacts/observation/latest.json'))
      const other = { surfacePath: 'other/surface.json' }
      expect((await call('observe_latest', other)).summary.needsAttention).toBe(true)
      put('other/surface.json', '{"schema":1,"surf')
      const half = await server.call('observe_latest', other)
      expect([half.isError, half.json.exitCode]).toEqual([true, 2])
      expect(half.json.error.message).toContain('other/surface.json')
      const outside = await call('observe_latest', { surface_path: '/etc/passwd' })
      expect(outside.error.code).toBe('usage')
    })
  })

  describe('an instruction', () => {
    const id = '20260221T000000Z-mcp'
    const path = `instructions/${id}.json`

    function accept(change: object = {}) {
      put('policies/instruction/test-v1.json', testPolicy)
      put('policies/instruction/smoke.json', smokePolicy)
      put('.premath/checks.json', {
        ...{ schema: 1, checksKind: 'premath.checks.v1' },
        checks: { 'hk-check': 'true', 'ci-wiring-check': 'true' },
      })
      put(path, { ...envelope, instructionType: 'ci.gate.check', ...change })
      expect(project.asked(['instruction-run', '--instruction', path]).status).toBe(0)
      put('.premath/policy.json', policy('instruction-linked'))
    }

    const claims = (...actions: readonly string[]) => ({
      capabilityClaims: [
        'capabilities.change_morphisms',
        ...actions.map(action => `capabilities.change_morphisms.${action}`),
      ],
    })
    const scope = (...mutations: readonly object[]) => ({ scope: { kind: 'repo', mutations } })

    test('is checked without being run', async () => {
      accept()
      const checked = await server.call('instruction_check', { instructionPath: path })
      expect([checked.isError, checked.json.requestedChecks]).toEqual([false, ['hk-check']])
      const wrong = `instructions/20260221T000000Z-wrong.json`
      put(wrong, { ...JSON.parse(text(path)), intent: '' })
      const refused = await call('instruction_check', { instruction_path: wrong })
      expect(refused).toMatchObject({ result: 'rejected', exitCode: 2 })
    })

    test('lets its changes pass, and the answer names it', async () => {
      given(open('bd-1'), open('bd-2'))
      accept({ ...claims('issue_add'), ...scope({ action: 'issue_add' }) })
      const added = await call('issue_add', { title: 'One', instructionId: id })
      expect(added.writeWitness).toMatchObject({
        action: 'issue.add',
        instruction: { instructionId: id },
      })
      const dep = { issueId: 'bd-1', dependsOnId: 'bd-2', instructionId: id }
      expect((await call('dep_add', dep)).failureClasses).toEqual([
        'mutation.capability_claim_missing',
      ])
    })

    test('with the base claim alone lets nothing pass', async () => {
      accept({ ...claims(), ...scope({ action: 'issue_add' }) })
      const added = await call('issue_add', { title: 'One', instructionId: id })
      expect(added.failureClasses).toEqual(['mutation.capability_claim_missing'])
    })

    // The earlier server had a list of two policies in its code. Here the project says which policies count.
    test('goes by a policy that the project registers, and by no other', async () => {
      const smoke = {
        ...{ policyDigest: smokePolicy.policyDigest, normalizerId: 'normalizer.ci.v1' },
        requestedChecks: ['ci-wiring-check'],
      }
      const pair = [{ action: 'issue_add' }, { action: 'issue_add' }]
      accept({ ...smoke, ...claims('issue_add'), ...scope(...pair) })
      const add = { title: 'One', instructionId: id }
      expect((await call('issue_add', add)).issue.title).toBe('One')
      rmSync(join(project.folder, 'policies/instruction/smoke.json'))
      expect((await call('issue_add', add)).failureClasses).toEqual(['instruction_policy_unknown'])
    })

    test('lets no update pass without the evidence of a turn', async () => {
      given(open('bd-1'))
      accept({ ...claims('issue_update'), ...scope({ action: 'issue_update', issueId: 'bd-1' }) })
      const update = { id: 'bd-1', title: 'Two', instructionId: id }
      expect((await call('issue_update', update)).failureClasses).toEqual([
        'mutation.use_evidence_missing',
      ])
    })

    test('that was made by hand lets nothing pass', async () => {
      put('.premath/policy.json', policy('instruction-linked'))
      put(`artifacts/ciwitness/${id}.json`, {
        ...{ witnessKind: 'ci.instruction.v1', instructionId: id, verdictClass: 'accepted' },
        ...{ policyDigest: testPolicy.policyDigest, joinClosed: true, joinWitnessRef: 'x' },
        ...claims('issue_add'),
      })
      const added = await call('issue_add', { title: 'One', instructionId: id })
      expect(added.failureClasses).toEqual(['instruction_witness_invalid'])
      expect(existsSync(project.issues) && readFileSync(project.issues, 'utf8')).toBe('')
    })
  })
})
