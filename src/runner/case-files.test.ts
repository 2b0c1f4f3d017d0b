import { expect, test } from 'vitest'
import { block } from '../../test/a-spec-run.ts'
import { chainGraph } from '../kernel/spec/chain/chain-graph.ts'
import { simWorld } from '../testing/sim-world.ts'
import { CaseFiles } from './case-files.ts'
import { loadDocuments, withChained } from './load-documents.ts'

async function filesById(files: Readonly<Record<string, string>>) {
  const placed = Object.entries(files).map(([path, text]) => [`/r/${path}`, text])
  const world = simWorld({
    files: { '/r/.git/HEAD': '', ...Object.fromEntries(placed) },
    cwd: '/r',
  })
  const names = Object.keys(files).filter(path => path.endsWith('.spec.md'))
  const documents = await withChained(await loadDocuments(names, undefined, world), world)
  const graph = chainGraph(documents, { isExecutable: () => true })
  const found = new CaseFiles({ documents, graph, files: world.files })
  const cases = documents.flatMap(document => document.cases)
  const entries = cases.map(async raw => [raw.id, [...(await found.filesOf(raw))].sort()])
  return Object.fromEntries(await Promise.all(entries))
}

test('a case depends on its document, its named files, and the dependencies of its chain', async () => {
  const chained = (ref: string) => `harness: {chain: {steps: [{id: s, ref: "${ref}"}]}}`
  const found = await filesById({
    'a.spec.md': block('id: A', 'type: text.file', 'path: a.txt', chained('b.spec.md#B')),
    'b.spec.md': block('id: B', 'type: text.file', 'path: b.txt', chained('c.spec.md')),
    'c.spec.md': block('id: C', 'type: text.file', chained('later.spec.md')),
  })
  expect(found).toEqual({
    A: ['/r/a.spec.md', '/r/a.txt', '/r/b.spec.md', '/r/b.txt', '/r/c.spec.md', '/r/later.spec.md'],
    B: ['/r/b.spec.md', '/r/b.txt', '/r/c.spec.md', '/r/later.spec.md'],
    C: ['/r/c.spec.md', '/r/later.spec.md'],
  })
})

test('a case depends on the libraries it includes, and on those that they import', async () => {
  const library = (id: string, imports: string) =>
    block(`id: ${id}`, 'type: spec_lang.library', `imports: [${imports}]`, 'definitions: {}')
  const found = await filesById({
    'a.spec.md': block(
      'id: A',
      'type: text.file',
      'harness: {spec_lang: {includes: [/lib/one.md, "external://x/y", ../out.md]}}',
    ),
    'lib/one.md': library('ONE', '/lib/two.md'),
    'lib/two.md': library('TWO', '/lib/one.md, /lib/gone.md'),
  })
  expect(found).toEqual({
    A: ['/r/a.spec.md', '/r/lib/gone.md', '/r/lib/one.md', '/r/lib/two.md'],
  })
})
