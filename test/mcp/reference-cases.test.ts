/** Cases of an earlier server, driven over stdio. Where premath decided otherwise, the case says so. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { anInstructionProject } from '../an-instruction-project.ts'
import { fewOf } from '../sim/seeded.ts'
import { allEras, type Connected, connected } from './a-client.ts'

const { project, put } = anInstructionProject()
const { done } = project

const policy = (mode: string) => ({ schema: 1, surfaces: { cli: { mode: 'open' }, mcp: { mode } } })

describe.each(fewOf(allEras))('over %s', era => {
  let server: Connected
  const call = async (name: string, args: object = {}) =>
    (await server.call(name, { ...args })).json
  const ids = (answer: { items: readonly { id: string }[] }) => answer.items.map(({ id }) => id)

  beforeEach(async () => {
    done('init')
    put('.premath/policy.json', policy('open'))
    server = await connected({ cwd: project.folder, env: project.env }, era)
  })
  afterEach(async () => await server.close())

  test('issues and dependencies make a round trip', async () => {
    await call('issue_add', { title: 'Root', id: 'bd-root' })
    await call('issue_add', { title: 'Child', id: 'bd-child' })
    await call('issue_add', { title: 'Manual', id: 'bd-manual', status: 'blocked' })
    await call('dep_add', { issueId: 'bd-child', dependsOnId: 'bd-root', depType: 'blocks' })
    expect(ids(await call('issue_ready'))).toEqual(['bd-root'])
    const blocked = await call('issue_blocked')
    expect(blocked.items).toMatchObject([
      { id: 'bd-child', manualBlocked: false, blockers: [{ dependsOnId: 'bd-root' }] },
      { id: 'bd-manual', manualBlocked: true, blockers: [] },
    ])
    const cycle = await call('dep_add', { issue_id: 'bd-root', depends_on_id: 'bd-child' })
    expect(cycle.diagnostic).toContain('dependency cycle detected')
    expect(await call('dep_diagnostics', { graphScope: 'full' })).toMatchObject({
      integrity: { hasCycle: false },
    })
    await call('dep_replace', {
      ...{ issueId: 'bd-child', dependsOnId: 'bd-root' },
      ...{ fromDepType: 'blocks', toDepType: 'related' },
    })
    expect(ids(await call('issue_ready'))).toEqual(['bd-child', 'bd-root'])
    await call('dep_remove', { issueId: 'bd-child', dependsOnId: 'bd-root', depType: 'related' })
    expect(ids(await call('issue_blocked'))).toEqual(['bd-manual'])
  })

  test('both casings of an argument are the same', async () => {
    const other = 'other/issues.jsonl'
    put(other, '')
    const untouched = readFileSync(project.issues)
    const camel = { title: 'A', issueType: 'bug', issuesPath: other }
    const snake = { title: 'B', issue_type: 'bug', issues_path: other }
    expect((await call('issue_add', camel)).issue.issueType).toBe('bug')
    expect((await call('issue_add', snake)).issue.issueType).toBe('bug')
    expect((await call('issue_list', { issues_path: other })).count).toBe(2)
    const claim = { id: 'bd-1', assignee: 'me', lease_ttl_seconds: 120, issues_path: other }
    expect(await call('issue_claim', claim)).toMatchObject({
      issue: { assignee: 'me', lease: { leaseId: 'lease1_bd-1_me' } },
    })
    expect(readFileSync(project.issues)).toEqual(untouched)
  })

  test('claims keep to their leases', async () => {
    await call('issue_add', { title: 'One' })
    const claim = { id: 'bd-1', assignee: 'alice' }
    const short = await call('issue_claim', { ...claim, leaseTtlSeconds: 10 })
    expect(short.failureClasses).toEqual(['lease_invalid_ttl'])
    const past = await call('issue_claim', { ...claim, leaseExpiresAt: '2020-01-01T00:00:00Z' })
    expect(past.failureClasses).toEqual(['lease_invalid_expires_at'])
    const { issue } = await call('issue_claim', { ...claim, leaseTtlSeconds: 120 })
    const again = await call('issue_claim', { ...claim, leaseId: 'other' })
    expect(again.issue.lease.leaseId).toBe(issue.lease.leaseId)
    const conflict = await call('issue_claim', { ...claim, assignee: 'bob' })
    expect([conflict.failureClasses, conflict.exitCode]).toEqual([['lease_contention_active'], 4])
    expect(conflict.diagnostic).toContain('already claimed')
    expect(await call('issue_lease_projection')).toMatchObject({
      action: 'issue.lease_projection',
      items: [{ id: 'bd-1', contended: false, lease: { state: 'active' } }],
      projection: { staleCount: 0, contendedCount: 0 },
    })
    const { lease, metadata } = project.rowsById()['bd-1']
    const release = { id: 'bd-1', leaseId: lease.lease_id, fence: metadata?.premathFence ?? 1 }
    expect((await call('issue_lease_release', release)).issue).toMatchObject({ status: 'open' })
  })

  test('parallel claims have one winner, and nobody is told that a lock is busy', async () => {
    await call('issue_add', { title: 'One' })
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map(assignee => call('issue_claim', { id: 'bd-1', assignee })),
    )
    const lost = answers.filter(({ failureClasses }) => failureClasses !== undefined)
    expect(lost.map(({ failureClasses }) => failureClasses)).toEqual(
      Array(3).fill(['lease_contention_active']),
    )
  })

  test('what is discovered is linked to its parent', async () => {
    await call('issue_add', { title: 'One' })
    const found = await call('issue_discover', { parentIssueId: 'bd-1', title: 'Two' })
    expect(found.dependency).toMatchObject({ dependsOnId: 'bd-1', type: 'discovered-from' })
    expect((await call('issue_list')).count).toBe(2)
  })

  test('an issue graph that is wrong is an answer, and no error', async () => {
    const description = 'Acceptance:\n- it holds\n\nVerification commands:\n- `npm test`\n'
    await call('issue_add', { title: '[EPIC] Wrong', description })
    const { isError, json } = await server.call('issue_check')
    expect(isError).toBe(false)
    expect(json).toMatchObject({ result: 'rejected' })
    expect(json.failureClasses).toEqual(['issue_graph.issue_type.epic_mismatch'])
  })

  // The earlier server called this action init.tool. Here a tool answers as its command does.
  test('a project is set up once, and again nothing changes', async () => {
    const first = await call('init_tool', { rootPath: 'sub' })
    expect(first).toMatchObject({
      action: 'init',
      created: { repoRoot: true, premathDir: true, issuesFile: true },
    })
    const issues = join(project.folder, 'sub/.premath/issues.jsonl')
    expect(readFileSync(issues, 'utf8')).toBe('')
    const again = await call('init_tool', { root_path: 'sub' })
    expect(Object.values(again.created)).not.toContain(true)
    const before = readFileSync(project.issues)
    expect(Object.values((await call('init_tool')).created)).not.toContain(true)
    expect(readFileSync(project.issues)).toEqual(before)
  })

  // The earlier server resolved a route for each claim, and answered with a witness of it.
  test('a claim answers without a route and its witness', async () => {
    await call('issue_add', { title: 'One' })
    const claimed = await call('issue_claim', { id: 'bd-1', assignee: 'alice' })
    expect(Object.keys(claimed).toSorted()).toEqual(['action', 'issue', 'issuesPath'])
  })

  test('without an instruction, a policy that asks for one refuses every change', async () => {
    put('.premath/policy.json', policy('instruction-linked'))
    const changes = {
      issue_add: { title: 'One' },
      issue_claim: { id: 'bd-1', assignee: 'me' },
      issue_claim_next: { assignee: 'me' },
      issue_update: { id: 'bd-1', title: 'Two' },
      dep_add: { issueId: 'bd-1', dependsOnId: 'bd-2' },
    }
    for (const [name, args] of Object.entries(changes)) {
      const { failureClasses, remedy } = await call(name, args)
      expect([name, failureClasses]).toEqual([name, ['mutation_not_granted']])
      expect(remedy).toContain('premath instruction new --issue ')
    }
  })
})
