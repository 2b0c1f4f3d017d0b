import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { OperatorGrant } from '../../kernel/authority/operator-grant.ts'
import { SimDisk } from '../../testing/sim-disk.ts'
import { FileIssueStore } from './file-issue-store.ts'

const path = '/p/.premath/issues.jsonl'
const folder = '/p/.git/premath/memory/issues'
const [mark, replaced] = [`${folder}/rows.jsonl`, `${folder}/replaced`]
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const authority = OperatorGrant.grant({ operator: 'ada', surface: 'cli', mode: 'open' })
const clock = { now: () => 1_800_000_000_000_000_000n }

const ids = ['bd-1', 'bd-2', 'bd-3']
const row = (id: string) => JSON.stringify({ id, title: id, description: 'x'.repeat(300_000) })

const megabyte = 1024 * 1024

/** Changes issues until the mark is compacted. Returns the file and the mark before, and the appends. */
async function compacted() {
  let appends = 0
  const disk = new SimDisk({
    files: { [path]: ids.map(id => `${row(id)}\n`).join('') },
    fault: (_, what, at) => {
      if (at === replaced && what === 'open loosely') appends++
      return undefined
    },
  })
  const sizeOf = async (at: string) => (await disk.stamp(at))?.size ?? 0
  const store = new FileIssueStore({ path, disk, clock, forward: { folder, sha256 } })
  const change = async (turn: number) => {
    const id = ids[turn % ids.length] ?? ''
    const fields = { title: `turn ${turn}` }
    await store.mutate(authority, { action: 'issue.update', id, proof: {}, fields })
  }
  await change(0)
  const early = disk.contents().get(path) as Uint8Array
  let turn = 1
  while ((await sizeOf(replaced)) === 0 && turn < 100) await change(turn++)
  return { disk, early, appends, turn, markBytes: await sizeOf(mark) }
}

const titlesOf = async (disk: SimDisk) => {
  const store = new FileIssueStore({ path, disk, clock, forward: { folder, sha256 } })
  const titles = (await store.read()).all().map(({ title }) => title)
  return { titles, notices: store.notices }
}

test('[memory.6.compaction] a compacted mark has a row of each issue, and knows the rows that it dropped', async () => {
  const { disk, early, turn, markBytes, appends } = await compacted()
  // The digests are put away after each piece.
  expect(appends).toBeGreaterThan(1)
  expect(markBytes).toBeLessThan(megabyte)
  const latest = await titlesOf(disk)
  expect(latest.titles).toContain(`turn ${turn - 1}`)
  await disk.replace(path, early)
  const { titles, notices } = await titlesOf(disk)
  expect(titles).toEqual(latest.titles)
  expect(notices).toEqual([
    expect.stringContaining('has older versions of 3 issues (bd-1, bd-2, bd-3), as after'),
  ])
})

test('[memory.6.mark] while nothing went back, a command reads no row of the mark', async () => {
  const reads: string[] = []
  const disk = new SimDisk({
    files: { [path]: ids.map(id => `${row(id)}\n`).join('') },
    fault: (_, what, at) => {
      if (at === mark) reads.push(what)
      return undefined
    },
  })
  const open = () => new FileIssueStore({ path, disk, clock, forward: { folder, sha256 } })
  const add = { action: 'issue.add', issue: { title: 'more' } } as const
  await open().mutate(authority, add)
  expect(disk.contents().get(mark)).toEqual(disk.contents().get(path))
  reads.length = 0
  expect((await open().read()).size).toBe(4)
  await open().mutate(authority, add)
  await open().read()
  expect(reads.filter(what => what.startsWith('read'))).toEqual([])
  expect(disk.contents().get(mark)).toEqual(disk.contents().get(path))
})
