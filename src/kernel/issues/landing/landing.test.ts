import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { closing } from '../../../../test/a-close.ts'
import { CloseProof } from '../../proof/close-proof.ts'
import { Landed } from '../../proof/landed.ts'
import { landedOf } from '../../proof/proof-chain.ts'
import { instantOf, seconds } from '../../timestamp.ts'
import { fenceOf, type Issue, printIssue, readIssueLine } from '../issue.ts'
import { decideChange, type IssueChange } from '../issue-change.ts'
import { IssueMemory } from '../issue-memory.ts'
import { isRefusal } from '../issue-refusal.ts'
import { checkHolder, checkLeased, type LeaseProof } from '../lease.ts'
import { landingOf } from './landing-state.ts'

const start = instantOf('2026-02-22T00:00:00Z') ?? 0n
const id = (digit: string) => digit.repeat(40)
const plan = { commit: id('c'), base: id('b'), tree: id('e'), target: 'main' }
const holder = { assignee: 'ann', leaseId: 'lease1_bd-1_ann', fence: 1 }
const tree = 'tree1_aa' as const

/** The proof of a verification, on a commit if the members name one. */
function verified(members: object = {}, issueId = 'bd-1'): CloseProof {
  const value = { issueId, result: 'accepted', treeDigest: tree, ...members }
  const proof = CloseProof.byVerification({ issueId, tree }, [{ path: 'w.json', value }])
  if (isRefusal(proof)) throw new Error(proof.diagnostic)
  return proof
}

const begin = (given: object = {}): IssueChange => ({
  action: 'issue.land_begin',
  id: 'bd-1',
  proof: holder,
  done: verified(),
  landing: plan,
  ...given,
})
const landed = (commit = plan.commit, target = 'main', issueId = 'bd-1') =>
  Landed.of({ issueId, commit, target, isInTarget: true })
const finish = (given = landed()): IssueChange => ({
  action: 'issue.land_finish',
  id: 'bd-1',
  landed: given,
})
const undo = (commit = plan.commit): IssueChange => ({
  action: 'issue.land_undo',
  id: 'bd-1',
  commit,
})

/** An issue that ann holds for an hour, and one that nobody holds. */
function held() {
  const memory = new IssueMemory()
  let now = start
  const change = (one: IssueChange) => {
    const outcome = decideChange(memory, one, { now, newId: at => at.nextCountedId('bd') })
    if (isRefusal(outcome)) return outcome.failureClass
    for (const row of outcome.rows) {
      expect(readIssueLine(printIssue(row))).toEqual(row)
      memory.put(row)
    }
    return outcome.issue
  }
  change({ action: 'issue.add', issue: { title: 'one' } })
  change({ action: 'issue.add', issue: { title: 'two' } })
  change({ action: 'issue.claim', id: 'bd-1', claim: { assignee: 'ann', ttlSeconds: 3600 } })
  const wait = (by: number) => {
    now += seconds(by)
  }
  return { memory, change, wait, row: () => memory.get('bd-1') as Issue }
}

describe('a landing', () => {
  test('begins under the lease, and records how the issue will close', () => {
    const { change, row, wait } = held()
    const before = row()
    wait(60)
    change(begin())
    expect(row()).toEqual({
      ...before,
      updated_at: '2026-02-22T00:01:00Z',
      metadata: {
        premathFence: 1,
        premathLanding: {
          ...plan,
          close: {
            by: 'verification',
            treeDigest: tree,
            witnesses: ['w.json'],
            commit: plan.commit,
            tree: plan.tree,
            target: 'main',
          },
          closedAt: '2026-02-22T00:01:00Z',
        },
      },
    })
  })

  test('ends closed as of the time at which it began', () => {
    const { change, row, wait } = held()
    wait(60)
    change(begin())
    const close = landingOf(row())?.close
    wait(7200)
    change(finish())
    expect(row()).toMatchObject({
      status: 'closed',
      closed_at: '2026-02-22T00:01:00Z',
      updated_at: '2026-02-22T02:01:00Z',
      lease: undefined,
    })
    expect(row().metadata).toEqual({ premathFence: 1, premathClose: close })
  })

  test('is undone to the row before it, under its lease', () => {
    const { change, row } = held()
    const before = row()
    change(begin())
    change(undo())
    expect(row()).toEqual({ ...before, updated_at: row().updated_at })
  })

  test('may be begun, finished and undone twice', () => {
    const { change, row } = held()
    change(begin())
    const begun = row()
    expect(change(begin())).toBe(begun)
    change(undo())
    const back = row()
    expect(change(undo())).toBe(back)
    change(begin())
    change(finish())
    const closed = row()
    expect(change(finish())).toBe(closed)
  })
})

describe('a landing does not begin', () => {
  test.each<[string, object, string]>([
    ['without the lease', { proof: {} }, 'lease_proof_missing'],
    ['under another fence', { proof: { ...holder, fence: 0 } }, 'lease_fence_stale'],
    ['for an issue that nobody holds', { id: 'bd-2', proof: {} }, 'lease_missing'],
    ['for an issue that does not exist', { id: 'bd-3', proof: {} }, 'issue_not_found'],
    ['with the proof of another issue', { done: verified({}, 'bd-2') }, 'close_proof_missing'],
    ['with a forged proof', { done: { ...verified() } }, 'close_proof_missing'],
    [
      'with the proof of another commit',
      { done: verified({ commit: id('a') }) },
      'close_proof_stale',
    ],
    [
      'with the proof of another tree',
      { done: verified({ gitTree: id('a') }) },
      'close_proof_stale',
    ],
    ['with a short id', { landing: { ...plan, commit: 'c0ffee' } }, 'landing_invalid'],
    ['without a target', { landing: { ...plan, target: ' ' } }, 'landing_invalid'],
  ])('%s', (_name, given, failureClass) => {
    const { change, row } = held()
    const before = row()
    expect(change(begin(given))).toBe(failureClass)
    expect(row()).toBe(before)
  })

  test('after the lease has expired', () => {
    const { change, wait } = held()
    wait(3600)
    expect(change(begin())).toBe('lease_stale')
    expect(change(begin({ proof: {} }))).toBe('lease_stale')
  })

  test('with other specs than those that passed', () => {
    const { change } = held()
    const fields = { specs: ['a.spec.md'] }
    change({ action: 'issue.update', id: 'bd-1', fields, proof: holder })
    expect(change(begin())).toBe('close_proof_missing')
  })

  test('beside another one', () => {
    const { change } = held()
    change(begin())
    const other = { landing: { ...plan, commit: id('d') } }
    expect(change(begin(other))).toBe('issue_landing')
  })
})

describe('a landing does not end', () => {
  test.each<[string, IssueChange, string]>([
    ['by a commit that it did not begin with', finish(landed(id('d'))), 'landing_not_found'],
    ['on another branch', finish(landed(plan.commit, 'next')), 'landing_not_found'],
    [
      'by the commit of another issue',
      finish(landed(plan.commit, 'main', 'bd-2')),
      'close_proof_missing',
    ],
    ['by a forged value', finish({ ...landed() } as Landed), 'close_proof_missing'],
    ['for another commit', undo(id('d')), 'landing_not_found'],
  ])('%s', (_name, one, failureClass) => {
    const { change, row } = held()
    change(begin())
    const before = row()
    expect(change(one)).toBe(failureClass)
    expect(row()).toBe(before)
  })

  test('where none is under way', () => {
    const { change } = held()
    expect(change(finish())).toBe('landing_not_found')
    change(closing('bd-2'))
    expect(change({ ...undo(), id: 'bd-2' } as IssueChange)).toBe('landing_not_found')
  })
})

describe('while an issue is landing', () => {
  const edge = { issueId: 'bd-1', dependsOnId: 'bd-2', type: 'blocks', createdBy: '' } as const
  const changes = (proof: object): readonly IssueChange[] => [
    { action: 'issue.update', id: 'bd-1', fields: { title: 'x' }, proof },
    { action: 'issue.update', id: 'bd-1', fields: { status: 'open' }, proof },
    { ...closing('bd-1'), proof } as IssueChange,
    { action: 'issue.block', id: 'bd-1', note: 'x', proof },
    { action: 'issue.claim', id: 'bd-1', claim: { assignee: 'ann' } },
    { action: 'issue.claim', id: 'bd-1', claim: { assignee: 'bob' } },
    { action: 'issue.comment', id: 'bd-1', comment: { id: 1, author: 'ann', text: 'x' } },
    { action: 'issue.lease_release', id: 'bd-1', proof },
    { action: 'dep.add', edge, proof },
    { action: 'dep.remove', edge, proof },
    { action: 'dep.replace', edge: { ...edge, toType: 'related' }, proof },
  ]

  test('nobody changes it, before or after the lease ends', () => {
    const { change, row, wait } = held()
    change(begin())
    const before = row()
    for (const one of [...changes({}), ...changes(holder)])
      expect(change(one)).toBe('issue_landing')
    wait(3600)
    for (const one of [...changes({}), ...changes(holder)])
      expect(change(one)).toBe('issue_landing')
    expect(row()).toBe(before)
  })

  test('the holder renews its lease', () => {
    const { change, row, wait } = held()
    change(begin())
    wait(600)
    const term = { ttlSeconds: 3600 }
    change({ action: 'issue.lease_renew', id: 'bd-1', proof: holder, term })
    expect(row().lease?.expires_at).toBe('2026-02-22T01:10:00Z')
    expect(landingOf(row())).toMatchObject(plan)
    expect(fenceOf(row())).toBe(1)
  })

  test('the refusal names the commit, the target and the command that ends it', () => {
    const { change, memory } = held()
    change(begin())
    const [update] = changes({}) as [IssueChange]
    expect(decideChange(memory, update, { now: start, newId: () => 'x' })).toEqual({
      failureClass: 'issue_landing',
      diagnostic: `bd-1 is landing: commit ${plan.commit} on main`,
      remedy: 'Wait for it, or finish it: premath land bd-1.',
    })
  })

  test('a closed issue is not landing, whatever its row says', () => {
    const { change, memory, row } = held()
    change(begin())
    const { metadata } = row()
    change(finish())
    memory.put({ ...row(), metadata })
    expect(change(undo())).toBe('landing_not_found')
    const fields = { title: 'x' }
    expect(change({ action: 'issue.update', id: 'bd-1', fields, proof: {} })).toMatchObject(fields)
  })

  test('other issues may depend on it and be discovered from it', () => {
    const { change } = held()
    change(begin())
    const other = { ...edge, issueId: 'bd-2', dependsOnId: 'bd-1' }
    expect(change({ action: 'dep.add', edge: other, proof: {} })).toHaveProperty('id', 'bd-2')
    const found = { title: 'found' }
    expect(
      change({ action: 'issue.discover', parentId: 'bd-1', issue: found, proof: holder }),
    ).toHaveProperty('id', 'bd-3')
  })
})

test('a Landed is made only from a commit that is on its target', () => {
  const facts = { issueId: 'bd-1', commit: plan.commit, target: 'main' }
  expect(() => Landed.of({ ...facts, isInTarget: false as true })).toThrow(/is not on main/)
  expect(() => new (Landed as unknown as new (...given: unknown[]) => Landed)({}, facts)).toThrow(
    TypeError,
  )
  expect(Landed.isIssued(JSON.parse(JSON.stringify(landed())))).toBe(false)
})

describe('however landings, claims, releases and time interleave', () => {
  const workers = ['ann', 'bob'] as const
  const commits = [id('c'), id('d')] as const
  const worker = fc.constantFrom(...workers)
  const commit = fc.constantFrom(...commits)
  const move = fc.oneof(
    fc.record({ do: fc.constant('claim' as const), worker }),
    fc.record({ do: fc.constant('claim_next' as const), worker }),
    fc.record({ do: fc.constant('renew' as const), worker }),
    fc.record({ do: fc.constant('release' as const), worker }),
    fc.record({ do: fc.constant('begin' as const), worker, commit }),
    fc.record({ do: fc.constant('finish' as const), commit }),
    fc.record({ do: fc.constant('undo' as const), commit }),
    fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(1, 40, 70) }),
    fc.record({ do: fc.constant('reopen' as const) }),
  )
  type Move = typeof move extends fc.Arbitrary<infer One> ? One : never

  /** The change of a move, with the proof of the worker's last claim. */
  function changeOf(one: Move, claims: ReadonlyMap<string, LeaseProof>): IssueChange | undefined {
    const claim = 'worker' in one && { assignee: one.worker, ttlSeconds: 60 }
    const proof = ('worker' in one && claims.get(one.worker)) || {}
    switch (one.do) {
      case 'claim':
        return claim ? { action: 'issue.claim', id: 'bd-1', claim } : undefined
      case 'claim_next':
        return claim ? { action: 'issue.claim_next', claim } : undefined
      case 'renew':
        return { action: 'issue.lease_renew', id: 'bd-1', proof, term: { ttlSeconds: 60 } }
      case 'release':
        return { action: 'issue.lease_release', id: 'bd-1', proof }
      case 'begin':
        return begin({ proof, landing: { ...plan, commit: one.commit } })
      case 'finish':
        return finish(landed(one.commit))
      case 'undo':
        return undo(one.commit)
      case 'reopen':
        return { action: 'issue.update', id: 'bd-1', fields: { status: 'open' }, proof: {} }
      case 'wait':
        return undefined
    }
  }

  test('an issue closes only as landed, has one holder, and its fence grows', () => {
    let landings = 0
    fc.assert(
      fc.property(fc.array(move, { minLength: 40, maxLength: 80 }), moves => {
        const memory = new IssueMemory()
        memory.put(readIssueLine('{"id":"bd-1","title":"one"}') as Issue)
        const claims = new Map<string, LeaseProof>()
        let now = start
        for (const one of moves) {
          const before = memory.get('bd-1') as Issue
          if (one.do === 'wait') now += seconds(one.seconds)
          const change = changeOf(one, claims)
          const outcome = change && decideChange(memory, change, { now, newId: () => 'x' })
          if (outcome === undefined || isRefusal(outcome)) continue
          for (const row of outcome.rows) memory.put(row)
          const after = memory.get('bd-1') as Issue
          if ('worker' in one && one.do.startsWith('claim') && outcome.issue?.lease) {
            const { lease_id: leaseId } = outcome.issue.lease
            claims.set(one.worker, { assignee: one.worker, leaseId, fence: fenceOf(after) })
          }
          expect(fenceOf(after)).toBeGreaterThanOrEqual(fenceOf(before))
          if (after.status === 'closed' && before.status !== 'closed') {
            landings++
            expect(one.do).toBe('finish')
            expect(landingOf(before)).toMatchObject({ commit: (one as { commit: string }).commit })
            expect(landedOf(after)?.commit).toBe(landingOf(before)?.commit)
          }
          if (landingOf(before) && landingOf(after)) {
            expect(after.lease?.owner).toBe(before.lease?.owner)
            expect(fenceOf(after)).toBe(fenceOf(before))
          }
          expect(after.status === 'closed' && landingOf(after)).toBeFalsy()
          const holders = [...claims.values()].filter(
            proof => !checkLeased(after, now) && !checkHolder(after, proof, now),
          )
          expect(holders.length).toBeLessThanOrEqual(1)
        }
      }),
    )
    expect(landings).toBeGreaterThan(20)
  })
})
