import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { instantOf, seconds, timestampOf } from '../timestamp.ts'
import { fenceOf, type Issue, readIssue } from './issue.ts'
import { IssueMemory } from './issue-memory.ts'
import { isRefusal } from './issue-refusal.ts'
import {
  type Claimed,
  type ClaimRequest,
  checkHolder,
  claimIssue,
  claimNext,
  defaultLeaseId,
  releaseLease,
  renewLease,
} from './lease.ts'

const now = instantOf('2026-02-22T00:00:00Z') ?? 0n
const later = (by: number) => now + seconds(by)

function issue(id: string, row: Record<string, unknown> = {}): Issue {
  const read = readIssue({ id, title: `Issue ${id}`, ...row } as never)
  if ('why' in read) throw new Error(read.why)
  return read
}

/** A lease as an earlier tool left it: no fence beside it. */
const leased = (owner: string, expiresIn: number, row: Record<string, unknown> = {}) => ({
  status: 'in_progress',
  assignee: owner,
  lease: {
    lease_id: `lease-${owner}`,
    owner,
    acquired_at: timestampOf(now - seconds(3600)),
    expires_at: timestampOf(later(expiresIn)),
  },
  ...row,
})

function memoryOf(...issues: readonly Issue[]): IssueMemory {
  const memory = new IssueMemory()
  for (const one of issues) memory.put(one)
  return memory
}

const classOf = (outcome: object | undefined) =>
  outcome !== undefined && isRefusal(outcome) ? outcome.failureClass : undefined

/** Decides, and takes the rows over as the store would. */
function apply(memory: IssueMemory, outcome: ReturnType<typeof claimIssue>): Claimed {
  if (isRefusal(outcome)) throw new Error(`${outcome.failureClass}: ${outcome.diagnostic}`)
  for (const row of outcome.rows) memory.put(row)
  return outcome
}

const claim = (memory: IssueMemory, id: string, assignee: string, at = now) =>
  apply(memory, claimIssue(memory, id, { assignee }, at))

describe('a claim', () => {
  test('assigns, starts and leases the issue for an hour, under its first fence', () => {
    const memory = memoryOf(issue('bd-1'))
    const claimed = claim(memory, 'bd-1', ' worker.1 ')
    expect(claimed).toEqual({
      issue: {
        ...issue('bd-1'),
        status: 'in_progress',
        assignee: 'worker.1',
        lease: {
          lease_id: 'lease1_bd-1_worker_1',
          owner: 'worker.1',
          acquired_at: '2026-02-22T00:00:00Z',
          expires_at: '2026-02-22T01:00:00Z',
        },
        created_at: '2026-02-22T00:00:00Z',
        updated_at: '2026-02-22T00:00:00Z',
        metadata: { premathFence: 1 },
      },
      rows: [claimed.issue],
    })
  })

  test('takes the id and the end it is given', () => {
    const request = { assignee: 'a', leaseId: 'mine', expiresAt: '2026-02-22T02:00:00+01:00' }
    const claimed = apply(new IssueMemory(), claimIssue(memoryOf(issue('x')), 'x', request, now))
    expect(claimed.issue?.lease).toMatchObject({
      lease_id: 'mine',
      expires_at: '2026-02-22T01:00:00Z',
    })
  })

  test('by the holder keeps lease id, fence and start, and restarts the term', () => {
    const memory = memoryOf(issue('bd-1'))
    const first = claim(memory, 'bd-1', 'alpha').issue
    const request = { assignee: 'alpha', leaseId: 'another', ttlSeconds: 60 }
    const again = apply(memory, claimIssue(memory, 'bd-1', request, later(10)))
    expect(again.issue?.lease).toEqual({
      ...first?.lease,
      expires_at: timestampOf(later(70)),
      renewed_at: timestampOf(later(10)),
    })
    expect(again.issue && fenceOf(again.issue)).toBe(1)
    expect(again).not.toHaveProperty('previous')
  })

  test('[memory.1.renewal] and a renewal keep the end where the clock was set back', () => {
    const memory = memoryOf(issue('bd-1'))
    const lease = claim(memory, 'bd-1', 'alpha').issue?.lease
    const proof = { assignee: 'alpha', leaseId: lease?.lease_id, fence: 1 }
    for (const at of [later(-7200), later(-7100), 0n]) {
      const renewed = apply(memory, renewLease(memory, 'bd-1', proof, {}, at))
      expect(renewed.issue?.lease).toEqual({ ...lease, renewed_at: lease?.acquired_at })
      const claimed = claim(memory, 'bd-1', 'alpha', at)
      expect(claimed.issue?.lease).toEqual({ ...lease, renewed_at: lease?.acquired_at })
    }
    const term = { ttlSeconds: 86_400 }
    const longer = apply(memory, renewLease(memory, 'bd-1', proof, term, later(-60)))
    expect(longer.issue?.lease?.expires_at).toBe(timestampOf(later(86_340)))
    const shorter = apply(memory, renewLease(memory, 'bd-1', proof, { ttlSeconds: 60 }, later(1)))
    expect(shorter.issue?.lease?.expires_at).toBe(timestampOf(later(61)))
  })

  test('of an issue with an expired lease raises the fence and names the former holder', () => {
    const memory = memoryOf(issue('bd-1'))
    const before = claim(memory, 'bd-1', 'alpha').issue?.lease
    const taken = claim(memory, 'bd-1', 'beta', later(3600))
    expect(taken.previous).toEqual(before)
    expect(taken.issue).toMatchObject({ assignee: 'beta', metadata: { premathFence: 2 } })
    expect(taken.issue?.lease?.renewed_at).toBeUndefined()
  })

  test('by the same worker after its lease expired is a new acquisition', () => {
    const memory = memoryOf(issue('bd-1'))
    claim(memory, 'bd-1', 'alpha')
    const again = claim(memory, 'bd-1', 'alpha', later(3600))
    expect(again.issue?.lease?.lease_id).toBe('lease1_bd-1_alpha')
    expect(again.issue && fenceOf(again.issue)).toBe(2)
  })

  test.each([29, 30, 86_400, 86_401, 30.5, Number.NaN])('of %d seconds', ttlSeconds => {
    const outcome = claimIssue(memoryOf(issue('x')), 'x', { assignee: 'a', ttlSeconds }, now)
    const isAllowed = ttlSeconds === 30 || ttlSeconds === 86_400
    expect(classOf(outcome)).toBe(isAllowed ? undefined : 'lease_invalid_ttl')
  })

  test.each<[string, Partial<ClaimRequest>, string]>([
    ['a blank assignee', { assignee: '\u0085 ' }, 'lease_invalid_assignee'],
    ['a term and an end', { ttlSeconds: 60, expiresAt: 'x' }, 'lease_binding_ambiguous'],
    ['an end that is no time', { expiresAt: 'tomorrow' }, 'lease_invalid_expires_at'],
    ['an end that is now', { expiresAt: timestampOf(now) }, 'lease_invalid_expires_at'],
    ['an end in the past', { expiresAt: '2026-02-21T23:59:59Z' }, 'lease_invalid_expires_at'],
    ['an end too far away', { expiresAt: timestampOf(later(86_401)) }, 'lease_invalid_expires_at'],
  ])('with %s is refused', (_, request, failureClass) => {
    for (const claimOne of [
      claimIssue(memoryOf(issue('x')), 'x', { assignee: 'a', ...request }, now),
      claimNext(memoryOf(issue('x')), { assignee: 'a', ...request }, now),
    ]) {
      expect(claimOne).toEqual({
        failureClass,
        diagnostic: expect.stringMatching(/\w/),
        remedy: expect.stringMatching(/\.$/),
      })
    }
  })

  test('one nanosecond before the end a lease still holds, and at its end it does not', () => {
    const memory = memoryOf(issue('bd-1', leased('alpha', 60)))
    const byBeta = (at: bigint) => claimIssue(memory, 'bd-1', { assignee: 'beta' }, at)
    expect(classOf(byBeta(later(60) - 1n))).toBe('lease_contention_active')
    expect(classOf(byBeta(later(60)))).toBeUndefined()
  })

  test.each<[string, Issue, string]>([
    ['held by someone else', issue('x', leased('beta', 60)), 'lease_contention_active'],
    ['assigned to someone else', issue('x', { assignee: 'beta' }), 'lease_contention_active'],
    ['closed', issue('x', { status: 'closed' }), 'lease_issue_closed'],
    ['unknown', issue('y'), 'lease_not_found'],
    [
      'fenced by a number that cannot grow',
      issue('x', { metadata: { premathFence: 2 ** 53 } }),
      'lease_fence_invalid',
    ],
    ['fenced below zero', issue('x', { metadata: { premathFence: -1 } }), 'lease_fence_invalid'],
  ])('of an issue that is %s is refused', (_, one, failureClass) => {
    expect(classOf(claimIssue(memoryOf(one), 'x', { assignee: 'alpha' }, now))).toBe(failureClass)
  })

  test('of an issue assigned to the claimer, or blocked, is granted', () => {
    for (const row of [{ assignee: 'alpha' }, { status: 'blocked' }]) {
      const memory = memoryOf(issue('x', row))
      expect(claim(memory, 'x', 'alpha').issue?.status).toBe('in_progress')
    }
  })

  test('keeps any metadata', () => {
    const object = memoryOf(issue('x', { metadata: { theirs: [1] } }))
    expect(claim(object, 'x', 'a').issue?.metadata).toEqual({ theirs: [1], premathFence: 1 })
    const text = memoryOf(issue('x', { metadata: 'theirs' }))
    expect(claim(text, 'x', 'a').issue?.metadata).toEqual({
      premathValue: 'theirs',
      premathFence: 1,
    })
  })
})

test.each([
  ['bd-1', 'worker.1', 'lease1_bd-1_worker_1'],
  ['BD 1', '..', 'lease1_bd_1_anon'],
  ['_x_', 'Ärger', 'lease1_x_rger'],
])('the lease id of %s for %s is %s', (id, assignee, leaseId) => {
  expect(defaultLeaseId(id, assignee)).toBe(leaseId)
})

describe('the next claim', () => {
  const next = (memory: IssueMemory, assignee = 'me', at = now) =>
    apply(memory, claimNext(memory, { assignee }, at))

  test('goes by priority, then by id in natural order', () => {
    const memory = memoryOf(
      issue('bd-10'),
      issue('bd-2'),
      issue('bd-9', { priority: 3 }),
      issue('bd-99', { priority: 0 }),
    )
    const order = [1, 2, 3, 4, 5].map(() => next(memory).issue?.id)
    expect(order).toEqual(['bd-99', 'bd-2', 'bd-10', 'bd-9', undefined])
  })

  test('with nothing to do changes nothing', () => {
    expect(next(memoryOf(issue('x', { status: 'closed' })))).toEqual({
      rows: [],
      issue: undefined,
    })
  })

  test('[runtime.7.claim] takes over abandoned work in its turn, and nothing that is held', () => {
    const memory = memoryOf(
      issue('bd-1', { priority: 2 }),
      issue('bd-2', leased('gone', -1, { priority: 1 })),
      issue('bd-3', leased('busy', 60, { priority: 0 })),
    )
    const taken = next(memory)
    expect(taken.issue?.id).toBe('bd-2')
    expect(taken.previous?.owner).toBe('gone')
    expect(next(memory).issue?.id).toBe('bd-1')
    expect(next(memory).issue).toBeUndefined()
  })

  test('skips blocked issues, held issues and issues that cannot be fenced', () => {
    const waits = {
      dependencies: [{ issue_id: 'bd-1', depends_on_id: 'nowhere', type: 'blocks' }],
    }
    const memory = memoryOf(
      issue('bd-1', waits),
      issue('bd-2', leased('gone', -1, waits)),
      issue('bd-3', { assignee: 'other' }),
      issue('bd-4', leased('other', 60, { status: 'open' })),
      issue('bd-5', { metadata: { premathFence: 1e300 } }),
      issue('bd-6', { assignee: 'me' }),
    )
    expect(next(memory).issue?.id).toBe('bd-6')
    // An issue is left that cannot be claimed. The answer must differ from that for no issues.
    expect(claimNext(memory, { assignee: 'me' }, now)).toMatchObject({
      failureClass: 'lease_fence_invalid',
      diagnostic: expect.stringContaining('bd-5'),
    })
  })
})

describe('after the clock was set back', () => {
  const held = () => {
    const memory = memoryOf(issue('bd-1'))
    claim(memory, 'bd-1', 'alpha')
    return memory
  }
  const proof = { assignee: 'alpha', leaseId: 'lease1_bd-1_alpha', fence: 1 }
  const end = timestampOf(later(3600))

  test.each([-1, -7200, -56 * 365 * 86_400])(
    '[memory.7.clock-lease] by %d s, a renewal does not shorten the lease',
    by => {
      const memory = held()
      for (const renewed of [
        apply(memory, renewLease(memory, 'bd-1', proof, { ttlSeconds: 60 }, later(by))),
        claim(memory, 'bd-1', 'alpha', later(by)),
      ]) {
        expect(renewed.issue?.lease).toMatchObject({
          expires_at: end,
          renewed_at: timestampOf(now),
        })
        expect(renewed.issue && fenceOf(renewed.issue)).toBe(1)
      }
      const taken = claimIssue(memory, 'bd-1', { assignee: 'beta' }, later(3599))
      expect(classOf(taken)).toBe('lease_contention_active')
    },
  )

  test('[memory.7.clock-lease] a renewal can still lengthen it, and name an earlier end', () => {
    const memory = held()
    const renewed = (term: object, at: number) =>
      apply(memory, renewLease(memory, 'bd-1', proof, term, later(at))).issue?.lease?.expires_at
    expect(renewed({ ttlSeconds: 7200 }, -60)).toBe(timestampOf(later(7140)))
    expect(renewed({ expiresAt: timestampOf(later(600)) }, -60)).toBe(timestampOf(later(600)))
  })
})

describe('renewing', () => {
  const held = () => {
    const memory = memoryOf(issue('bd-1'))
    claim(memory, 'bd-1', 'alpha')
    return memory
  }
  const proof = { assignee: 'alpha', leaseId: 'lease1_bd-1_alpha', fence: 1 }

  test('moves the end, and keeps the rest of the claim', () => {
    const memory = held()
    const before = memory.get('bd-1')
    const renewed = apply(memory, renewLease(memory, 'bd-1', proof, { ttlSeconds: 60 }, later(30)))
    expect(renewed.issue).toEqual({
      ...before,
      updated_at: timestampOf(later(30)),
      lease: {
        ...before?.lease,
        expires_at: timestampOf(later(90)),
        renewed_at: timestampOf(later(30)),
      },
    })
  })

  test('a lease of an earlier tool, which has no fence, needs its id alone', () => {
    const memory = memoryOf(issue('bd-1', leased('alpha', 60)))
    const plain = { assignee: 'alpha', leaseId: 'lease-alpha' }
    expect(classOf(renewLease(memory, 'bd-1', plain, {}, now))).toBeUndefined()
  })

  test.each<[string, Parameters<typeof renewLease>[2], number, string]>([
    ['without an assignee', { ...proof, assignee: ' ' }, 0, 'lease_invalid_assignee'],
    ['without a lease id', { ...proof, leaseId: ' ' }, 0, 'lease_id_mismatch'],
    ['without the fence', { ...proof, fence: undefined }, 0, 'lease_proof_missing'],
    ['when it ran out', proof, 3600, 'lease_stale'],
    ['by someone else', { ...proof, assignee: 'beta' }, 0, 'lease_owner_mismatch'],
    ['by another id', { ...proof, leaseId: 'x' }, 0, 'lease_id_mismatch'],
    ['by an earlier fence', { ...proof, fence: 0 }, 0, 'lease_fence_stale'],
    ['by a fence nobody was given', { ...proof, fence: 2 }, 0, 'lease_fence_stale'],
  ])('%s is refused', (_, given, at, failureClass) => {
    expect(classOf(renewLease(held(), 'bd-1', given, {}, later(at)))).toBe(failureClass)
  })

  test.each<[string, Issue, string]>([
    ['not there', issue('other'), 'lease_not_found'],
    ['closed', issue('bd-1', leased('alpha', 60, { status: 'closed' })), 'lease_issue_closed'],
    ['not leased', issue('bd-1'), 'lease_missing'],
    [
      'not leased, and was somebody else’s since',
      issue('bd-1', { metadata: { premathFence: 4 } }),
      'lease_fence_stale',
    ],
  ])('an issue that is %s is refused', (_, one, failureClass) => {
    expect(classOf(renewLease(memoryOf(one), 'bd-1', proof, {}, now))).toBe(failureClass)
  })
})

describe('releasing', () => {
  const proof = { leaseId: 'lease1_bd-1_alpha', fence: 1 }
  const held = () => {
    const memory = memoryOf(issue('bd-1'))
    claim(memory, 'bd-1', 'alpha')
    return memory
  }

  test('reopens the issue, frees it and keeps its fence', () => {
    const memory = held()
    const released = apply(memory, releaseLease(memory, 'bd-1', proof, now))
    expect(released.issue).toMatchObject({ status: 'open', assignee: '', lease: undefined })
    expect(released.issue && fenceOf(released.issue)).toBe(1)
    expect(released.previous?.owner).toBe('alpha')
    const next = claim(memory, 'bd-1', 'beta').issue
    expect(next && fenceOf(next)).toBe(2)
  })

  test('keeps any status but in progress', () => {
    const memory = memoryOf(issue('bd-1', leased('alpha', -1, { status: 'blocked' })))
    expect(apply(memory, releaseLease(memory, 'bd-1', {}, now)).issue?.status).toBe('blocked')
  })

  test('anybody may release an expired lease', () => {
    const memory = held()
    expect(apply(memory, releaseLease(memory, 'bd-1', {}, later(3600))).rows).toHaveLength(1)
  })

  test('an issue that is not leased changes nothing', () => {
    const memory = memoryOf(issue('bd-1'))
    expect(releaseLease(memory, 'bd-1', {}, now)).toEqual({ rows: [], issue: memory.get('bd-1') })
  })

  test.each<[string, Parameters<typeof releaseLease>[2], number, string]>([
    ['an active lease without proof', {}, 0, 'lease_proof_missing'],
    ['an active lease by id alone', { leaseId: proof.leaseId }, 0, 'lease_proof_missing'],
    ['by someone else', { ...proof, assignee: 'beta' }, 0, 'lease_owner_mismatch'],
    ['by another id', { ...proof, leaseId: 'x' }, 0, 'lease_id_mismatch'],
    ['by an earlier fence', { ...proof, fence: 0 }, 0, 'lease_fence_stale'],
    ['what ran out, by someone else', { assignee: 'beta' }, 3600, 'lease_owner_mismatch'],
  ])('%s is refused', (_, given, at, failureClass) => {
    expect(classOf(releaseLease(held(), 'bd-1', given, later(at)))).toBe(failureClass)
  })

  test('with proof of a missing lease is refused', () => {
    const memory = memoryOf(issue('bd-1'))
    expect(classOf(releaseLease(memory, 'bd-1', { assignee: 'a' }, now))).toBe('lease_missing')
    expect(classOf(releaseLease(memory, 'bd-2', {}, now))).toBe('lease_not_found')
  })
})

describe('a change of an issue', () => {
  const proof = { leaseId: 'lease1_bd-1_alpha', fence: 1 }
  const check = (memory: IssueMemory, given: object, at = now) =>
    classOf(checkHolder(memory.get('bd-1') as Issue, given, at))

  test('that nobody holds needs no proof', () => {
    expect(check(memoryOf(issue('bd-1')), {})).toBeUndefined()
    expect(check(memoryOf(issue('bd-1', leased('gone', -1))), {})).toBeUndefined()
  })

  test('that is held needs lease id and fence of its holder', () => {
    const memory = memoryOf(issue('bd-1'))
    claim(memory, 'bd-1', 'alpha')
    expect(check(memory, proof)).toBeUndefined()
    expect(check(memory, {})).toBe('lease_proof_missing')
    expect(check(memory, { leaseId: proof.leaseId })).toBe('lease_proof_missing')
    expect(check(memory, { fence: 1 })).toBe('lease_proof_missing')
  })

  test('by an expired holder is refused, whatever happened to the issue since', () => {
    const memory = memoryOf(issue('bd-1'))
    claim(memory, 'bd-1', 'alpha')
    expect(check(memory, proof, later(3600))).toBe('lease_stale')
    claim(memory, 'bd-1', 'beta', later(3600))
    expect(check(memory, proof, later(3600))).toBe('lease_fence_stale')
    // Without a fence the lease id differs. With the same lease id the fence is old.
    expect(check(memory, { leaseId: proof.leaseId }, later(3600))).toBe('lease_id_mismatch')
    const betas = { leaseId: 'lease1_bd-1_beta', fence: 2 }
    apply(memory, releaseLease(memory, 'bd-1', betas, later(3600)))
    expect(check(memory, proof, later(3600))).toBe('lease_fence_stale')
    expect(check(memory, betas, later(3600))).toBe('lease_missing')
  })
})

test('over any history, a fence has one holder and is never reused', () => {
  const step = fc.record({
    worker: fc.constantFrom('alpha', 'beta', 'gamma'),
    does: fc.constantFrom('claim', 'next', 'renew', 'release'),
    waits: fc.constantFrom(0, 1, 29, 30, 31),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const memory = memoryOf(issue('bd-1'))
      const holders = new Map<number, string>()
      let at = now
      let highest = 0
      for (const { worker, does, waits } of steps) {
        at += seconds(waits)
        const term = { ttlSeconds: 30 }
        const row = memory.get('bd-1') as Issue
        const proof = { assignee: worker, leaseId: row.lease?.lease_id, fence: fenceOf(row) }
        const outcome = {
          claim: () => claimIssue(memory, 'bd-1', { assignee: worker, ...term }, at),
          next: () => claimNext(memory, { assignee: worker, ...term }, at),
          renew: () => renewLease(memory, 'bd-1', proof, term, at),
          release: () => releaseLease(memory, 'bd-1', proof, at),
        }[does]()
        if (isRefusal(outcome)) continue
        for (const changed of outcome.rows) memory.put(changed)
        const after = memory.get('bd-1') as Issue
        expect(fenceOf(after)).toBeGreaterThanOrEqual(highest)
        highest = fenceOf(after)
        if (!after.lease) continue
        expect(holders.get(highest) ?? after.lease.owner).toBe(after.lease.owner)
        holders.set(highest, after.lease.owner)
      }
    }),
  )
})
