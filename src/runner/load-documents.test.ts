import { expect, test } from 'vitest'
import { documentBytesMax } from '../kernel/spec/document/read-document.ts'
import { simWorld } from '../testing/sim-world.ts'
import { loadDocuments, withChained } from './load-documents.ts'

const spec = (id: string, ref?: string) =>
  [
    '```yaml spec-test',
    `id: ${id}`,
    ...(ref ? [`harness: {chain: {steps: [{id: s, ref: "${ref}"}]}}`] : []),
    '```',
  ].join('\n')

const world = simWorld({
  files: {
    '/repo/.git/HEAD': '',
    '/repo/docs/a.spec.md': spec('A', 'b.spec.md#B'),
    '/repo/docs/b.spec.md': spec('B', '/c.spec.md'),
    '/repo/c.spec.md': spec('C', 'docs/a.spec.md#A'),
    '/repo/d.spec.md': spec('D', 'nowhere.spec.md'),
    '/repo/bytes.spec.md': new Uint8Array([0x61, 0x0a, 0x62, 0xff]),
    '/repo/large.spec.md': new Uint8Array(documentBytesMax + 1),
    '/elsewhere/e.spec.md': spec('E'),
  },
  links: { '/repo/out.spec.md': '/elsewhere/e.spec.md' },
  cwd: '/repo',
})

test('a document knows its root and its place below it', async () => {
  const [one] = await loadDocuments(['docs/a.spec.md'], undefined, world)
  expect(one).toMatchObject({ root: '/repo', path: '/docs/a.spec.md', file: 'docs/a.spec.md' })
  expect(one?.cases.map(({ id, file }) => [id, file])).toEqual([['A', 'docs/a.spec.md']])
})

test.each([
  ['bytes.spec.md', 'document.unreadable', { line: 2, column: 2 }],
  ['large.spec.md', 'document.too_large', {}],
  ['gone.spec.md', 'document.unreadable', {}],
  ['out.spec.md', 'document.unreadable', {}],
])('%s is the failure of that document alone', async (file, code, place) => {
  const documents = await loadDocuments([file, 'd.spec.md'], undefined, world)
  expect(documents.map(({ cases }) => cases.length)).toEqual([0, 1])
  expect(documents[0]?.problems).toMatchObject([{ code, place: { file, ...place } }])
})

test('a document outside the root that was given is not read', async () => {
  const [one] = await loadDocuments(['d.spec.md'], 'docs', world)
  expect([one?.cases, one?.problems[0]?.message]).toEqual([
    [],
    'lies outside the contract root /repo/docs',
  ])
})

test('the documents that chains refer to are read too, each once', async () => {
  const asked = await loadDocuments(['docs/a.spec.md', 'd.spec.md'], undefined, world)
  expect((await withChained(asked, world)).map(({ file }) => file)).toEqual([
    'docs/a.spec.md',
    'd.spec.md',
    'docs/b.spec.md',
    'c.spec.md',
  ])
})
