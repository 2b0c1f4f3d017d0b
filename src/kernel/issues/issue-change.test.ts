import { describe, expect, test } from 'vitest'
import { closing } from '../../../test/a-close.ts'
import { CloseProof } from '../proof/close-proof.ts'
import { instantOf, seconds } from '../timestamp.ts'
import { fenceOf, type Issue, printIssue, readIssue, readIssueLine } from './issue.ts'
import { blockIssue, decideChange, type IssueChange } from './issue-change.ts'
import { IssueMemory } from './issue-memory.ts'
import { isRefusal } from './issue-refusal.ts'

const start = instantOf('2026-02-22T00:00:00Z') ?? 0n

/** Decides one change after another, as the store does under its lock. */
function history() {
  const memory = new IssueMemory()
  let now = start
  return {
    memory,
    wait: (by: number) => {
      now += seconds(by)
    },
    change(change: IssueChange) {
      const stamp = { now, newId: (at: IssueMemory) => at.nextCountedId('bd') }
      const outcome = decideChange(memory, change, stamp)
      if (isRefusal(outcome)) return outcome.failureClass
      for (const row of outcome.rows) {
        // A printed row must read back as the same row.
        expect(readIssueLine(printIssue(row))).toEqual(row)
        memory.put(row)
      }
      return outcome.issue
    },
  }
}

const add = (title: string, id?: string): IssueChange => ({
  action: 'issue.add',
  issue: { title, id },
})
const claim = (id: string, assignee: string): IssueChange => ({
  action: 'issue.claim',
  id,
  claim: { assignee },
})
const blocks = { issueId: 'bd-1', dependsOnId: 'bd-2', type: 'blocks', createdBy: '' } as const

test('a new issue takes the lowest free id', () => {
  const { change } = history()
  change(add('named', 'bd-2'))
  expect((change(add('first')) as Issue).id).toBe('bd-1')
  expect((change(add('third')) as Issue).id).toBe('bd-3')
  const found: IssueChange = { action: 'issue.discover', parentId: 'bd-1', issue: { title: 'x' } }
  expect((change(found) as Issue).id).toBe('bd-4')
})

test('a day in the life of an issue', () => {
  const { change, memory, wait } = history()
  change(add('one'))
  change(add('two'))
  change({ action: 'dep.add', edge: blocks, proof: {} })
  expect((change({ action: 'issue.claim_next', claim: { assignee: 'a' } }) as Issue).id).toBe(
    'bd-2',
  )
  const proof = { assignee: 'a', leaseId: 'lease1_bd-2_a', fence: 1 }
  wait(10)
  change({ action: 'issue.lease_renew', id: 'bd-2', proof, term: { ttlSeconds: 60 } })
  expect(memory.get('bd-2')?.lease?.expires_at).toBe('2026-02-22T00:01:10Z')
  change({ action: 'issue.lease_release', id: 'bd-2', proof })
  change(closing('bd-2'))
  expect(Array.from(memory.ready(), ({ id }) => id)).toEqual(['bd-1'])
  const related = { ...blocks, toType: 'related' } as const
  change({ action: 'dep.replace', edge: related, proof: {} })
  change({ action: 'dep.remove', edge: { ...blocks, type: 'related' }, proof: {} })
  expect(memory.get('bd-1')?.dependencies).toEqual([])
})

describe('an issue closes with proof', () => {
  const closed = { action: 'issue.update', fields: { status: 'closed' }, proof: {} } as const

  test('and not without proof, nor with the proof of another issue, nor with a forged one', () => {
    const { change, memory } = history()
    change(add('one'))
    change(add('two'))
    const { done } = closing('bd-2') as Extract<IssueChange, { action: 'issue.update' }>
    expect(change({ ...closed, id: 'bd-1' })).toBe('close_proof_missing')
    expect(change({ ...closed, id: 'bd-1', done })).toBe('close_proof_missing')
    const made = { ...done, issueId: 'bd-1' } as unknown as typeof done
    expect(change({ ...closed, id: 'bd-1', done: made })).toBe('close_proof_missing')
    expect(memory.get('bd-1')?.status).toBe('open')
  })

  test('by the specs that it names at the close, and by no other', () => {
    const { change } = history()
    change(add('one'))
    const specs = ['a.spec.md']
    change({ action: 'issue.update', id: 'bd-1', fields: { specs }, proof: {} })
    const tree = 'tree1_aa' as const
    const document = { path: 'a.spec.md', sha256: 'sha256:aa' } as const
    const value = {
      treeDigest: tree,
      documents: [{ ...document, whole: true, readable: true }],
      cases: [{ document: 'a.spec.md', status: 'pass' }],
    }
    const done = CloseProof.bySpecs({ issueId: 'bd-1', tree, specs, documents: [document] }, [
      { path: 'w.json', value },
    ])
    if (isRefusal(done)) throw new Error(done.diagnostic)
    const other = { specs: ['b.spec.md'] }
    change({ action: 'issue.update', id: 'bd-1', fields: other, proof: {} })
    expect(change({ ...closed, id: 'bd-1', done })).toBe('close_proof_missing')
    change({ action: 'issue.update', id: 'bd-1', fields: { specs }, proof: {} })
    expect((change({ ...closed, id: 'bd-1', done }) as Issue).status).toBe('closed')
  })

  test('the row names the proof, and editing a closed issue needs none', () => {
    const { change } = history()
    change(add('one'))
    expect((change(closing('bd-1')) as Issue).metadata).toEqual({
      premathClose: { by: 'force', reason: 'done', actor: 'terminal', uid: 1000 },
    })
    expect((change({ ...closed, id: 'bd-1' }) as Issue).status).toBe('closed')
  })
})

describe('a leased issue', () => {
  const changes = (proof: object): readonly IssueChange[] => [
    { action: 'issue.update', id: 'bd-1', fields: { notes: 'x' }, proof },
    { action: 'issue.discover', parentId: 'bd-1', issue: { title: 'found' }, proof },
    { action: 'dep.add', edge: blocks, proof },
    { action: 'dep.replace', edge: { ...blocks, toType: 'related' }, proof },
    { action: 'dep.remove', edge: { ...blocks, type: 'related' }, proof },
  ]

  function held() {
    const one = history()
    one.change(add('one'))
    one.change(add('two'))
    one.change(claim('bd-1', 'a'))
    return one
  }

  test('is changed by its holder', () => {
    const { change } = held()
    for (const one of changes({ leaseId: 'lease1_bd-1_a', fence: 1 })) {
      expect(change(one)).toHaveProperty('id')
    }
  })

  test('is changed by nobody else', () => {
    const { change } = held()
    for (const one of changes({})) expect(change(one)).toBe('lease_proof_missing')
    const { proof: _none, ...discover } = changes({})[1] as { proof?: object } & IssueChange
    expect(change(discover as IssueChange)).toBe('lease_proof_missing')
  })

  test('is not changed by an expired holder, before or after a takeover', () => {
    const { change, memory, wait } = held()
    const zombie = changes({ leaseId: 'lease1_bd-1_a', fence: 1 })
    wait(3600)
    for (const one of zombie) expect(change(one)).toBe('lease_stale')
    change(claim('bd-1', 'a'))
    // Both leases have the same id. Only the fence differs.
    for (const one of zombie) expect(change(one)).toBe('lease_fence_stale')
    expect(fenceOf(memory.get('bd-1') as Issue)).toBe(2)
  })

  test('can become a dependency without the proof of its holder', () => {
    const { change } = held()
    const edge = { ...blocks, issueId: 'bd-2', dependsOnId: 'bd-1' }
    expect(change({ action: 'dep.add', edge, proof: {} })).toHaveProperty('id', 'bd-2')
  })
})

test('a change of a missing issue is refused', () => {
  const { change } = history()
  change(add('two', 'bd-2'))
  for (const one of [
    { action: 'issue.update', id: 'bd-1', fields: { notes: 'x' }, proof: { fence: 1 } },
    { action: 'dep.add', edge: blocks, proof: {} },
  ] satisfies IssueChange[]) {
    expect(change(one)).toBe('issue_not_found')
  }
})

describe('a blocked issue', () => {
  const noon = BigInt(Date.parse('2026-02-22T12:00:00Z')) * 1_000_000n

  function blocked(row: object): Issue {
    const memory = new IssueMemory()
    memory.put(readIssue({ id: 'bd-1', title: 't', ...row }) as Issue)
    const made = blockIssue(memory, 'bd-1', 'it failed', noon)
    if (isRefusal(made)) throw new Error(made.diagnostic)
    return made.issue
  }

  const lease = {
    lease_id: 'l',
    owner: 'ann',
    acquired_at: '2026-02-22T11:00:00Z',
    expires_at: '2026-02-22T13:00:00Z',
  }

  test('loses its lease and the assignee who worked on it', () => {
    const issue = blocked({ status: 'in_progress', assignee: 'ann', lease })
    expect(issue).toMatchObject({ status: 'blocked', assignee: '', notes: 'it failed' })
    expect(issue.lease).toBeUndefined()
  })

  test('keeps an assignee that was set without a lease', () => {
    expect(blocked({ assignee: 'bob' })).toMatchObject({ status: 'blocked', assignee: 'bob' })
  })
})
