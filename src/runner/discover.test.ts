import { describe, expect, test } from 'vitest'
import { simWorld } from '../testing/sim-world.ts'
import { type CaseFormat, discover } from './discover.ts'

const files = Object.fromEntries(
  [
    'a.spec.md',
    'README.md',
    'docs/z.spec.md',
    'docs/b.spec.md',
    'docs/deep/c.spec.md',
    'docs/d.spec.yaml',
    'docs/e.spec.yml',
    'docs/f.spec.json',
    'docs/notes.txt',
    'node_modules/p/x.spec.md',
    'docs/node_modules/p/x.spec.md',
    '.hidden/x.spec.md',
  ].map(name => [`/repo/${name}`, '']),
)
const world = simWorld({ files: { ...files, '/other/o.spec.md': '' }, cwd: '/repo' })
const found = async (paths: readonly string[], formats: readonly CaseFormat[] = ['md']) =>
  (await discover(paths, formats, world)).files

describe('the documents found for', () => {
  test.each([
    ['a folder', ['docs'], ['docs/b.spec.md', 'docs/deep/c.spec.md', 'docs/z.spec.md']],
    ['a folder with a slash', ['./docs/deep/'], ['docs/deep/c.spec.md']],
    ['a file of any name', ['README.md', 'docs/d.spec.yaml'], ['README.md', 'docs/d.spec.yaml']],
    ['a pattern', ['docs/*.spec.md'], ['docs/b.spec.md', 'docs/z.spec.md']],
    ['a pattern of alternatives', ['{a,docs/b}.spec.md'], ['a.spec.md', 'docs/b.spec.md']],
    ['a pattern of everything', ['docs/deep/**'], ['docs/deep/c.spec.md']],
    ['a path from the top', ['/repo/a.spec.md', '/other'], ['/other/o.spec.md', 'a.spec.md']],
    [
      'one document by several names',
      ['a.spec.md', './a.spec.md', 'docs/../a.spec.md'],
      ['a.spec.md'],
    ],
  ])('%s', async (_, paths, expected) => {
    expect(await found(paths)).toEqual(expected)
  })

  test('this folder are all below it, except installed and hidden ones', async () => {
    expect(await found(['.'])).toEqual([
      'a.spec.md',
      'docs/b.spec.md',
      'docs/deep/c.spec.md',
      'docs/z.spec.md',
    ])
  })

  test('a folder include other formats on request', async () => {
    expect(await found(['docs'], ['json', 'yaml'])).toEqual([
      'docs/d.spec.yaml',
      'docs/e.spec.yml',
      'docs/f.spec.json',
    ])
  })
})

test('the order in which paths are given changes nothing', async () => {
  expect(await found(['docs', 'a.spec.md'])).toEqual(await found(['a.spec.md', 'docs']))
})

test.each([
  ['nope', /no such file/],
  ['docs/*.nope', /matches no document/],
  ['docs/notes.txt', /not a spec document/],
  ['docs/*.txt', /matches no document/],
  ['', /empty/],
])('%j is a problem, and the rest is found', async (path, why) => {
  const { files, problems } = await discover([path, 'a.spec.md'], ['md'], world)
  expect(files).toEqual(['a.spec.md'])
  expect(problems).toMatchObject([
    { code: 'path.not_found', message: expect.stringMatching(why), place: { file: path } },
  ])
})
