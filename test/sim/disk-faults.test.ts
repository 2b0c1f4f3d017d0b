/**
 * A store works through a day of changes while the disk fails, at every one of its calls in turn.
 * Whatever happens: acknowledged changes are there, the file loads, no process is locked out, and a
 * copy that follows the change feed is the same as memory.
 */
import { describe, expect, test } from 'vitest'
import { Fault } from '../../src/fault.ts'
import { OperatorGrant } from '../../src/kernel/authority/operator-grant.ts'
import type { Issue } from '../../src/kernel/issues/issue.ts'
import type { IssueChange } from '../../src/kernel/issues/issue-change.ts'
import { isRefusal } from '../../src/kernel/issues/issue-refusal.ts'
import { FileIssueStore } from '../../src/store/file/file-issue-store.ts'
import type { Revision } from '../../src/store/issue-store.ts'
import { SimCrash, SimDisk, type SimFault, simFaults } from '../../src/testing/sim-disk.ts'
import { callStep, isTorture, seeded, seedOf } from './seeded.ts'

const path = '/p/.premath/issues.jsonl'
const authority = OperatorGrant.grant({ operator: 'sim', surface: 'cli', mode: 'open' })

let now = 1_800_000_000_000_000_000n
const clock = { now: () => ++now }

const storeOn = (disk: SimDisk, cached: boolean) =>
  new FileIssueStore({
    path,
    disk,
    clock,
    lockWaitMs: 3,
    cache: cached ? { folder: '/p/.premath/cache', name: 'issues' } : undefined,
  })

const retitle = (id: string, version: number): IssueChange => ({
  action: 'issue.update',
  id,
  proof: {},
  fields: { title: `v${version}` },
})

/** Small files are not cached. */
const descriptionOf = (cached: boolean) => 'x'.repeat(cached ? 140_000 : 10)

/** Adds, edits, compacts and comes back as another process, each change with a number of its own. */
const dayOf = (cached: boolean): readonly (IssueChange | 'compact' | 'reopen' | 'read')[] => [
  { action: 'issue.add', issue: { id: 'bd-1', title: 'v0' } },
  { action: 'issue.add', issue: { id: 'bd-2', title: 'v1', description: descriptionOf(cached) } },
  retitle('bd-1', 2),
  'reopen',
  'read',
  retitle('bd-2', 4),
  { action: 'issue.claim_next', claim: { assignee: 'a' } },
  'compact',
  retitle('bd-2', 8),
  'reopen',
  { action: 'issue.add', issue: { id: 'bd-3', title: 'v10' } },
  'compact',
  'read',
]

/** A copy of memory that is kept by the change feed alone, by a process whose disk works. */
class Follower {
  readonly #rows = new Map<string, Issue>()
  #revision: Revision | undefined

  async follow(disk: SimDisk): Promise<void> {
    const store = storeOn(disk, false)
    if (!(await store.exists())) return
    const { rows, revision, isReset } = await store.changes(this.#revision)
    if (isReset) this.#rows.clear()
    for (const row of rows) this.#rows.set(row.id, row)
    this.#revision = revision
  }

  async mustHaveAll(disk: SimDisk): Promise<void> {
    await this.follow(disk)
    const all = (await storeOn(disk, false).read()).all()
    expect([...this.#rows.values()].toSorted(byId)).toEqual(all)
  }
}

const byId = (a: Issue, b: Issue) => (a.id < b.id ? -1 : 1)

interface Outcome {
  readonly follower: Follower
  readonly crashed: boolean
  /** By id: the last version that was acknowledged, and the last that was asked for. */
  readonly acknowledged: ReadonlyMap<string, number>
  readonly asked: ReadonlyMap<string, number>
  readonly claimed: boolean
}

async function live(disk: SimDisk, cached: boolean): Promise<Outcome> {
  const acknowledged = new Map<string, number>()
  const asked = new Map<string, number>()
  let claimed = false
  let store = storeOn(disk, cached)
  const follower = new Follower()
  const working = disk.sharedWith({ fault: () => undefined })
  for (const step of dayOf(cached)) {
    await follower.follow(working)
    try {
      if (step === 'reopen') store = storeOn(disk, cached)
      else if (step === 'read') await store.read()
      else if (step === 'compact') await store.compact()
      else {
        const title =
          step.action === 'issue.add'
            ? step.issue.title
            : step.action === 'issue.update'
              ? step.fields.title
              : undefined
        const id =
          step.action === 'issue.add' ? step.issue.id : step.action === 'issue.update' && step.id
        if (id && title) asked.set(id, versionOf(title))
        const made = await store.mutate(authority, step)
        if (isRefusal(made)) continue
        if (id && title) acknowledged.set(id, versionOf(title))
        claimed ||= step.action === 'issue.claim_next' && made.issue?.lease !== undefined
      }
    } catch (error) {
      if (error instanceof SimCrash) {
        await follower.follow(working)
        return { crashed: true, acknowledged, asked, claimed, follower }
      }
      // A day goes on after a failure that was reported as one.
      expect(error).toBeInstanceOf(Fault)
      expect((error as Fault).code).toMatch(/unavailable|conflict|invalid_input/)
    }
  }
  return { crashed: false, acknowledged, asked, claimed, follower }
}

const versionOf = (title: string) => Number(title.slice(1))

async function mustHold(disk: SimDisk, outcome: Outcome, after: string): Promise<void> {
  const store = storeOn(disk, true)
  if (outcome.acknowledged.size > 0) {
    const memory = await store.read()
    for (const [id, version] of outcome.acknowledged) {
      const found = versionOf(memory.get(id)?.title ?? 'v-1')
      expect(found).toBeGreaterThanOrEqual(version)
      expect(found).toBeLessThanOrEqual(outcome.asked.get(id) ?? 0)
    }
    if (outcome.claimed) expect(memory.leased()).toHaveLength(1)
  }
  const made = await store.mutate(authority, {
    action: 'issue.add',
    issue: { id: after, title: 'v100' },
  })
  expect(isRefusal(made)).toBe(false)
  expect((await storeOn(disk, false).read()).get(after)?.title).toBe('v100')
  await outcome.follower.mustHaveAll(disk)
}

async function survive(call: number, fault: SimFault, chance: () => number, cached: boolean) {
  const disk = new SimDisk({ chance, fault: at => (at === call ? fault : undefined) })
  const outcome = await live(disk, cached)
  const { calls } = disk
  // The rest is a new day.
  disk.calls = Number.MAX_SAFE_INTEGER / 2
  const after = outcome.crashed ? disk.afterCrash() : disk
  if (!outcome.crashed) await mustHold(disk, outcome, 'after-fault')
  await mustHold(after.afterCrash(), outcome, 'after-crash')
  return calls
}

const seed = seedOf(process.env)

describe.each([
  ['without a cache', false],
  ['with a cache', true],
])(`a day of changes %s (SEED=${seed})`, (_, cached) => {
  test.each(simFaults)('survives "%s" at each call of the disk', async fault => {
    const chance = seeded(seed)
    const calls = await survive(0, fault, chance, cached)
    expect(calls).toBeGreaterThan(100)
    // A file that is large enough to be cached takes longer.
    const step = cached && !isTorture ? 16 : callStep
    for (let call = 1 + Math.floor(chance() * step); call <= calls; call += step) {
      try {
        await survive(call, fault, chance, cached)
      } catch (error) {
        throw new Error(`SEED=${seed}: ${fault} at call ${call}`, { cause: error })
      }
    }
  })
})
