import { expect, test } from 'vitest'
import type { StepEvent } from '../../kernel/harness/run/run-event.ts'
import { isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { instantOf, seconds } from '../../kernel/timestamp.ts'
import { openContext } from '../../project/context.ts'
import { openProject } from '../../project/open.ts'
import { openHarness } from '../../project/open-harness.ts'
import { SimDisk, type SimDiskSetup } from '../../testing/sim-disk.ts'
import { simWorld } from '../../testing/sim-world.ts'
import { type ClaimedWork, claimWork } from './claim-work.ts'
import { LeaseRenewer } from './lease-renewer.ts'

const issues = '/p/.premath/issues.jsonl'
const ttlSeconds = 90

/** A lease of 90 seconds on bd-1, and a clock under the test's control. */
async function aLease(setup: SimDiskSetup = {}) {
  let now = instantOf('2027-01-15T08:00:00Z') ?? 0n
  let skew = 0n
  const clock = { now: () => now + skew, steady: () => now, sleep: async () => {} }
  const disk = new SimDisk({ ...setup, files: { [issues]: '{"id":"bd-1","title":"One"}\n' } })
  await disk.makeFolder('/p/.premath/steps')
  const events: StepEvent[] = []
  const none = { session: undefined, ledger: undefined, trajectory: undefined }
  const { harness: opened } = await openHarness(
    await openProject(openContext(simWorld({ disk, clock, cwd: '/p' }))),
    {
      ...none,
      worker: 'w',
      issues: undefined,
      reason: undefined,
    },
  )
  const harness = { ...opened, emit: (event: StepEvent) => void events.push(event) }
  const work = (await claimWork(harness, { leaseTtlSeconds: ttlSeconds })) as ClaimedWork
  return {
    disk,
    harness,
    events,
    work,
    renewer: new LeaseRenewer(harness, work, ttlSeconds),
    pass: (count: number) => {
      now += seconds(count)
    },
    /** Sets the system clock. */
    jump: (count: number) => {
      skew += seconds(count)
    },
    held: async () => (await harness.store.read()).get('bd-1')?.lease?.expires_at,
  }
}

test('a lease is renewed when a third of its term has passed, and not before', async () => {
  const { renewer, events, pass, held } = await aLease()
  pass(29)
  expect(await renewer.renewIfDue()).toBe(true)
  expect(events).toEqual([])
  pass(1)
  expect(await renewer.renewIfDue()).toBe(true)
  expect(events).toEqual([
    { event: 'lease.renewed', issueId: 'bd-1', leaseExpiresAt: '2027-01-15T08:02:00Z' },
  ])
  expect(await held()).toBe('2027-01-15T08:02:00Z')
  pass(29)
  await renewer.renewIfDue()
  expect(events).toHaveLength(1)
})

test('a busy store is reported once near the end, and the lease is held until it expires', async () => {
  const { renewer, events, pass, disk } = await aLease()
  const lock = await disk.lock(`${issues}.lock`, 0)
  const pulses: [number, boolean, number][] = []
  for (const at of [30, 59, 60, 62, 89]) {
    pass(at - (pulses.at(-1)?.[0] ?? 0))
    pulses.push([at, await renewer.renewIfDue(), events.length])
  }
  expect(pulses).toEqual([
    [30, true, 0],
    [59, true, 0],
    [60, true, 1],
    [62, true, 1],
    [89, true, 1],
  ])
  expect(events).toEqual([
    { event: 'lease.ending', issueId: 'bd-1', leaseExpiresAt: '2027-01-15T08:01:30Z' },
  ])
  pass(1)
  expect(await renewer.renewIfDue()).toBe(false)
  expect(events).toHaveLength(1)
  // A lost lease is never renewed again.
  if (lock.held) await lock.release()
  expect(await renewer.renewIfDue()).toBe(false)
  expect(renewer.isHeld).toBe(false)
})

test('a store that is free again renews the lease, and the next busy time is reported again', async () => {
  const { renewer, events, pass, disk } = await aLease()
  const busy = async (count: number) => {
    const lock = await disk.lock(`${issues}.lock`, 0)
    pass(count)
    await renewer.renewIfDue()
    if (lock.held) await lock.release()
  }
  await busy(61)
  expect(await renewer.renewIfDue()).toBe(true)
  await busy(61)
  expect(events.map(({ event }) => event)).toEqual([
    'lease.ending',
    'lease.renewed',
    'lease.ending',
  ])
})

test('a renewal that is refused says that the lease is lost', async () => {
  const { renewer, events, pass, harness, work } = await aLease()
  const { store, authority } = harness
  const { leaseId, fence } = work
  const proof = { assignee: 'w', leaseId, fence }
  await store.mutate(authority(), { action: 'issue.lease_release', id: 'bd-1', proof })
  const taken = await store.mutate(authority(), {
    action: 'issue.claim',
    id: 'bd-1',
    claim: { assignee: 'other' },
  })
  expect(isRefusal(taken)).toBe(false)
  pass(30)
  expect(await renewer.renewIfDue()).toBe(false)
  expect(events).toEqual([])
})

test('[memory.7.clock-lease] setting the clock back renews nothing early and loses nothing', async () => {
  const { renewer, events, pass, jump, held } = await aLease()
  const end = await held()
  jump(-3600)
  expect(await renewer.renewIfDue()).toBe(true)
  expect(events).toEqual([])
  pass(30)
  expect(await renewer.renewIfDue()).toBe(true)
  expect(events).toMatchObject([{ event: 'lease.renewed', leaseExpiresAt: end }])
  jump(3600)
  pass(30)
  expect(await renewer.renewIfDue()).toBe(true)
  expect(await held()).toBe('2027-01-15T08:02:30Z')
})

test('[memory.7.clock-lease] setting the clock ahead renews the lease at once, if it still runs', async () => {
  const { renewer, jump, held } = await aLease()
  jump(60)
  expect(await renewer.renewIfDue()).toBe(true)
  expect(await held()).toBe('2027-01-15T08:02:30Z')
  jump(200 * 365 * 86_400)
  expect(await renewer.renewIfDue()).toBe(false)
})

test('a failing disk is reported to the caller, and not as a lost lease', async () => {
  let isBroken = false
  const { renewer, pass } = await aLease({
    fault: (_call, what, at) =>
      isBroken && what === 'write' && at === issues ? 'ENOSPC' : undefined,
  })
  isBroken = true
  pass(30)
  await expect(renewer.renewIfDue()).rejects.toMatchObject({ code: 'unavailable' })
  expect(renewer.isHeld).toBe(true)
})
