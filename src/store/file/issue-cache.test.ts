import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aLanding } from '../../../test/a-landing.ts'
import { isTorture } from '../../../test/sim/seeded.ts'
import { OperatorGrant } from '../../kernel/authority/operator-grant.ts'
import type { IssueChange } from '../../kernel/issues/issue-change.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { SimDisk, type SimDiskSetup } from '../../testing/sim-disk.ts'
import { FileIssueStore } from './file-issue-store.ts'
import { IssueCache, tailOf } from './issue-cache.ts'
import { IssueIndex } from './issue-index.ts'

const path = '/p/.premath/issues.jsonl'
const folder = '/p/.premath/cache'
const indexPath = `${folder}/issues.index`
const statePath = `${folder}/issues.state`
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const authority = OperatorGrant.grant({ operator: 'ada', surface: 'cli', mode: 'open' })

const count = 200
const ids = Array.from({ length: count }, (_, at) => `bd-${at + 1}`)

/**
 * Large enough to be cached. Every third issue has a dependency, every fifth is closed, and every
 * seventh is landing, as a merge may leave it.
 */
function content(): string {
  return ids
    .map((id, at) => {
      const depends_on_id = ids[at - 1] ?? 'gone'
      const dependencies = at % 3 === 0 ? [{ issue_id: id, depends_on_id, type: 'blocks' }] : []
      const status = at % 5 === 0 ? 'closed' : 'open'
      const metadata = at % 7 === 6 ? { premathLanding: aLanding } : undefined
      return `${JSON.stringify({ id, title: `ä ${id}`, description: 'x'.repeat(800), status, priority: at % 4, dependencies, metadata })}\n`
    })
    .join('')
}

const diskOf = (setup: SimDiskSetup = {}) => new SimDisk({ ...setup, files: { [path]: content() } })

let second = 1_800_000_000
const clock = { now: () => BigInt(second) * 1_000_000_000n }

/** A new store, as each command opens it. */
const oneShot = (disk: SimDisk, cached: boolean) =>
  new FileIssueStore({ path, disk, clock, cache: cached ? { folder, name: 'issues' } : undefined })

const answers = (memory: IssueMemory, some: readonly string[]) => ({
  size: memory.size,
  readyCount: memory.readyCount,
  ready: Array.from(memory.ready(), ({ id, priority, title, assignee }) => ({
    id,
    priority,
    title,
    assignee,
  })),
  reclaimable: memory.reclaimable(clock.now()),
  leased: memory
    .leased()
    .map(({ id }) => id)
    .sort(),
  next: memory.nextCountedId('bd'),
  some: some.map(id => memory.get(id)),
  dependents: some.map(id => memory.dependentsOf(id)),
  open: memory.matching(({ status }) => status === 'open', 7),
  ref: memory.snapshotRef(sha256),
})

const steps = fc.array(
  fc.oneof(
    fc.record({ id: fc.constantFrom(...ids), status: fc.constantFrom('open', 'closed') }).map(
      ({ id, status }): IssueChange => ({
        action: 'issue.update',
        id,
        proof: {},
        fields: { status },
      }),
    ),
    fc.constant<IssueChange>({
      action: 'issue.claim_next',
      claim: { assignee: 'a', ttlSeconds: 30 },
    }),
    fc.constant<IssueChange>({ action: 'issue.add', issue: { title: 'new' } }),
    fc
      .constantFrom('bd-7', 'bd-14', 'bd-28')
      .map((id): IssueChange => ({ action: 'issue.land_undo', id, commit: aLanding.commit })),
    fc.record({ from: fc.constantFrom(...ids), to: fc.constantFrom(...ids) }).map(
      ({ from, to }): IssueChange => ({
        action: 'dep.add',
        proof: {},
        edge: { issueId: from, dependsOnId: to, type: 'blocks', createdBy: '' },
      }),
    ),
    fc.constantFrom('compact' as const, 'forget' as const, 'break' as const, 'edit' as const),
  ),
  { maxLength: 8 },
)

describe('with a cache and without it', () => {
  test('every command gives the same answer, whatever the state of the cache', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.array(fc.constantFrom(...ids, 'gone'), { maxLength: 4 }),
        async (day, some) => {
          const [cached, bare] = [diskOf(), diskOf()]
          for (const step of day) {
            second += 20
            for (const [disk, withCache] of [
              [cached, true],
              [bare, false],
            ] as const) {
              if (step === 'compact') await oneShot(disk, withCache).compact()
              else if (step === 'edit') await editByHand(disk)
              else if (step === 'forget') await disk.remove(indexPath)
              else if (step === 'break')
                await disk.replace(indexPath, new Uint8Array(64)).catch(() => {})
              else await oneShot(disk, withCache).mutate(authority, step)
            }
            const [mine, other] = [
              await oneShot(cached, true).read(),
              await oneShot(bare, false).read(),
            ]
            expect(answers(mine, some)).toEqual(answers(other, some))
          }
          expect(cached.contents().get(path)).toEqual(bare.contents().get(path))
        },
      ),
      { numRuns: isTorture ? 8 : 3 },
    )
  })
})

describe('a cycle', () => {
  const link = fc.record({
    from: fc.constantFrom(...ids.slice(0, 12)),
    to: fc.constantFrom(...ids.slice(0, 12)),
    type: fc.constantFrom('blocks' as const, 'related' as const),
  })

  /** Some of the issues are closed, and edges of any type count. */
  test('is found with the cache as without it, with the same path', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(link, { maxLength: 30 }), async links => {
        const [cached, bare] = [diskOf(), diskOf()]
        for (const [at, { from, to, type }] of links.entries()) {
          const edge = { issueId: from, dependsOnId: to, type, createdBy: '' }
          const change: IssueChange = { action: 'dep.add', proof: {}, edge }
          // The index covers half of the edges. The others were added after it.
          if (at === links.length >> 1) await cached.remove(indexPath)
          const [mine, other] = [
            await oneShot(cached, true).mutate(authority, change),
            await oneShot(bare, false).mutate(authority, change),
          ]
          expect(mine).toEqual(other)
        }
      }),
      { numRuns: isTorture ? 10 : 4 },
    )
  })
})

/** Rewrites the file in place, at the same length and with the same end. */
async function editByHand(disk: SimDisk): Promise<void> {
  const file = await disk.openToAppend(path)
  const { size } = await file.stamp()
  const text = new TextDecoder().decode(await file.read(0, size))
  const first = text.indexOf('"status":"open"')
  const edited =
    text.slice(0, first) + text.slice(first).replace('"status":"open"', '"status":"oepn"')
  await file.cut(0)
  await file.append(new TextEncoder().encode(edited))
  await file.close()
}

describe('the cache', () => {
  const reads = async (disk: SimDisk) => {
    const before = disk.calls
    const memory = await oneShot(disk, true).read()
    return { calls: disk.calls - before, size: memory.size }
  }

  test('is made by the first query, and follows appended rows', async () => {
    const seen: string[] = []
    const disk = diskOf({
      fault(_, what, at) {
        seen.push(`${what} ${at}`)
        return undefined
      },
    })
    await reads(disk)
    expect(seen).toContain(`rename onto ${indexPath}`)
    const index = disk.contents().get(indexPath)
    for (let turn = 0; turn < 3; turn++) {
      await oneShot(disk, true).mutate(authority, { action: 'issue.add', issue: { title: 'x' } })
    }
    seen.length = 0
    const memory = await oneShot(disk, true).read()
    expect(memory.size).toBe(count + 3)
    expect(disk.contents().get(indexPath)).toBe(index)
    expect(seen.filter(call => call.includes('rename'))).toEqual([])
  })

  test.each([
    ['is missing', async (disk: SimDisk) => disk.remove(indexPath)],
    ['lacks its record', async (disk: SimDisk) => disk.remove(statePath)],
    ['was cut', async (disk: SimDisk) => (await disk.openToAppend(indexPath)).cut(1000)],
    ['has a flipped bit', flipBit],
    ['is of an older file', async (disk: SimDisk) => editByHand(disk)],
  ])('that %s is rebuilt silently', async (_, damage) => {
    const disk = diskOf()
    await reads(disk)
    await damage(disk)
    const store = oneShot(disk, true)
    const memory = await store.read()
    expect(memory.snapshotRef(sha256)).toBe((await oneShot(disk, false).read()).snapshotRef(sha256))
    expect(store.notices).toEqual([])
    expect(disk.contents().get(indexPath)?.length).toBeGreaterThan(1000)
  })

  test('that cannot be written is skipped', async () => {
    const disk = diskOf({ fault: (_, __, at) => (at.startsWith(folder) ? 'ENOSPC' : undefined) })
    expect((await reads(disk)).size).toBe(count)
    await oneShot(disk, true).mutate(authority, { action: 'issue.add', issue: { title: 'x' } })
    expect((await reads(disk)).size).toBe(count + 1)
  })

  test('that points at other rows is detected, and the change is made once', async () => {
    const disk = diskOf()
    await reads(disk)
    const bytes = disk.contents().get(indexPath) as Uint8Array
    const checksum = IssueIndex.open(bytes, () => new Uint8Array())?.checksum ?? 0
    const [first, second, ...rest] = content().split('\n')
    await disk.replace(path, new TextEncoder().encode([second, first, ...rest].join('\n')))
    const file = await disk.openToAppend(path)
    const stamp = await file.stamp()
    // The note fits this file, so only the rows show that the index is stale.
    const cache = new IssueCache(disk, { folder, name: 'issues' })
    await cache.write({ bytes, checksum }, stamp, await tailOf(file, stamp.size))
    const fields = { title: 'once' }
    const change: IssueChange = { action: 'issue.update', id: 'bd-1', proof: {}, fields }
    expect(await oneShot(disk, true).mutate(authority, change)).toMatchObject({
      issue: { title: 'once' },
    })
    const text = new TextDecoder().decode(disk.contents().get(path))
    expect(text.match(/"title":"once"/g)).toHaveLength(1)
  })
})

async function flipBit(disk: SimDisk): Promise<void> {
  const index = disk.contents().get(indexPath)?.slice() as Uint8Array
  index[index.length >> 1] = (index[index.length >> 1] ?? 0) ^ 1
  await disk.replace(indexPath, index)
}
