import { expect, test } from 'vitest'
import { OperatorGrant } from '../../kernel/authority/operator-grant.ts'
import { SimDisk } from '../../testing/sim-disk.ts'
import { FileIssueStore } from './file-issue-store.ts'

const path = '/p/.premath/issues.jsonl'
const clock = { now: () => 1_800_000_000_000_000_000n }
const row = (id: string, title = id) => JSON.stringify({ id, title })
const lines = (...rows: string[]) => rows.map(line => `${line}\n`).join('')

function storeWith(content: string) {
  const disk = new SimDisk({ files: { [path]: content } })
  return { disk, store: new FileIssueStore({ path, disk, clock }) }
}

async function append(disk: SimDisk, text: string) {
  const file = await disk.openToAppend(path)
  await file.append(new TextEncoder().encode(text))
}

const titles = ({ rows }: { readonly rows: readonly { readonly title: string }[] }) =>
  rows.map(({ title }) => title)

test('a file that was compacted, or replaced by a merge, starts the feed over', async () => {
  const { disk, store } = storeWith(lines(row('a'), row('a', 'b')))
  const { revision } = await store.changes()
  await store.compact()
  expect(await store.changes(revision)).toMatchObject({ isReset: true, rows: [{ title: 'b' }] })
  const later = await store.changes(revision)
  await disk.replace(path, new TextEncoder().encode(lines(row('a', 'c'), row('d'))))
  const merged = await store.changes(later.revision)
  expect([titles(merged), merged.isReset]).toEqual([['c', 'd'], true])
})

test('a file that was edited in place starts the feed over', async () => {
  const { disk, store } = storeWith(lines(row('a', 'old'), row('b')))
  const { revision } = await store.changes()
  await disk.overwrite(path, new TextEncoder().encode(lines(row('a', 'new'))))
  await append(disk, lines(row('c')))
  const followed = await store.changes(revision)
  expect([titles(followed), followed.isReset]).toEqual([['new', 'b', 'c'], true])
})

test('an unfinished end is left for the next call', async () => {
  const { disk, store } = storeWith(lines(row('a')))
  const start = await store.changes()
  await append(disk, row('b').slice(0, 5))
  const torn = await store.changes(start.revision)
  expect(torn).toMatchObject({ rows: [], isReset: false })
  await append(disk, row('b').slice(5))
  const whole = await store.changes(torn.revision)
  expect(titles(whole)).toEqual(['b'])
  await append(disk, `\n${lines(row('c'), 'nonsense')}`)
  await expect(store.changes(whole.revision)).rejects.toMatchObject({
    code: 'corrupt',
    detail: { line: 4 },
  })
})

test('a row that its writer truncated starts the feed over', async () => {
  const { disk, store } = storeWith(lines(row('a')))
  await append(disk, lines(row('b')))
  const { revision } = await store.changes()
  const file = await disk.openToAppend(path)
  await file.cut(lines(row('a')).length)
  const authority = OperatorGrant.grant({ operator: 'ada', surface: 'cli', mode: 'open' })
  await store.mutate(authority, { action: 'issue.add', issue: { id: 'c', title: 'c' } })
  const followed = await store.changes(revision)
  expect([titles(followed), followed.isReset]).toEqual([['a', 'c'], true])
})
