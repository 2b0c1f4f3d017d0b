import { expect, test } from 'vitest'
import { OperatorGrant } from '../kernel/authority/operator-grant.ts'
import type { IssueChange } from '../kernel/issues/issue-change.ts'
import { isRefusal } from '../kernel/issues/issue-refusal.ts'
import { SimDisk, type SimDiskSetup } from '../testing/sim-disk.ts'
import { FileIssueStore } from './file/file-issue-store.ts'
import { SharedIssueStore } from './shared-issue-store.ts'

const path = '/p/.premath/issues.jsonl'
const authority = OperatorGrant.grant({ operator: 'ada', surface: 'cli', mode: 'open' })

let second = 0
const clock = { now: () => BigInt(1_800_000_000 + second++) * 1_000_000_000n }

/** Other callers run at every call of the disk, and no caller may wait for a lock. */
function sharedOn(setup: SimDiskSetup = {}) {
  const disk = new SimDisk({
    files: { [path]: '{"id":"bd-1","title":"v0"}\n' },
    turn: () => new Promise(done => setImmediate(done)),
    ...setup,
  })
  const store = new FileIssueStore({ path, disk, clock, lockWaitMs: 0 })
  return { disk, store: new SharedIssueStore(store) }
}

const add = (title: string): IssueChange => ({ action: 'issue.add', issue: { title } })
const note = (notes: string): IssueChange => ({
  action: 'issue.update',
  id: 'bd-1',
  proof: {},
  fields: { notes },
})

test('concurrent reads and changes are served in the order of their calls', async () => {
  const { store } = sharedOn()
  const seen: number[] = []
  const asked = Array.from({ length: 40 }, async (_, at) => {
    if (at % 2 === 0) await store.mutate(authority, add(`Issue ${at}`))
    else seen.push((await store.read()).size)
  })
  await Promise.all(asked)
  // Each reader sees the changes of all earlier callers and none of later ones.
  expect(seen).toEqual(Array.from({ length: 20 }, (_, at) => at + 2))
})

test('concurrent claims get one issue each, and the store is never busy', async () => {
  const { store } = sharedOn()
  for (let made = 0; made < 9; made++) await store.mutate(authority, add(`Issue ${made}`))
  const claims = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      store.mutate(authority, { action: 'issue.claim_next', claim: { assignee: `w${at}` } }),
    ),
  )
  const got = claims.flatMap(claimed => (isRefusal(claimed) ? [] : [claimed.issue?.id]))
  const ids = got.filter(id => id !== undefined)
  expect(ids).toHaveLength(10)
  expect(new Set(ids).size).toBe(10)
})

test('a failure is reported to its caller, and the next call is served', async () => {
  let isBroken = false
  const { store } = sharedOn({
    fault: (_call, what, at) => (isBroken && what === 'write' && at === path ? 'EIO' : undefined),
  })
  await store.read()
  isBroken = true
  const failed = store.mutate(authority, note('lost')).finally(() => {
    isBroken = false
  })
  const kept = store.mutate(authority, note('kept'))
  const read = store.read()
  await expect(failed).rejects.toMatchObject({ code: 'unavailable' })
  expect(isRefusal(await kept)).toBe(false)
  expect((await read).get('bd-1')?.notes).toBe('kept')
})

test('the change feed has every change requested before it', async () => {
  const { store } = sharedOn()
  const { revision } = await store.changes()
  const made = Array.from({ length: 5 }, (_, at) => store.mutate(authority, note(`v${at}`)))
  const { rows } = await store.changes(revision)
  await Promise.all(made)
  expect(rows.map(({ notes }) => notes)).toEqual(['v0', 'v1', 'v2', 'v3', 'v4'])
})
