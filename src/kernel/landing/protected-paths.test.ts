import { expect, test } from 'vitest'
import { protectedEdits, type TreeEdit, withVariants } from './protected-paths.ts'

const protection = {
  frozen: ['**/*.spec.md', '.github/**', '**/package.json#scripts'],
  append: ['**/{test,tests}/**', '**/*.test.*'],
}

const edit = (path: string, kind: TreeEdit['kind'] = 'changed', isFile = true) => ({
  path,
  kind,
  isFile,
})

const broken = (edits: readonly TreeEdit[], mayChange: readonly string[] = [], prefix = '') =>
  protectedEdits(edits, { protection, mayChange, prefix }).map(({ path }) => path)

test.each([
  ['a frozen file that is changed', edit('a/b.spec.md')],
  ['a frozen file that is removed', edit('a/b.spec.md', 'removed')],
  ['a new file that is frozen', edit('.github/workflows/x.yml', 'added')],
  ['a test that is changed', edit('test/a.js')],
  ['a test that is removed', edit('src/a.test.ts', 'removed')],
  ['a link among tests', edit('test/link', 'added', false)],
  ['a submodule in the place of the tests', edit('tests', 'added', false)],
  ['another case', edit('Test/A.js')],
  ['a decomposed letter', edit('test/e\u0301.js')],
  ['a full-width letter', edit('ｔest/a.js')],
  ['an invisible character', edit('te\u200dst/a.js')],
])('breaks a protection: %s', (_, one) => {
  expect(broken([one])).toEqual([one.path])
})

test.each([
  ['a file beside them', edit('src/a.ts')],
  ['a new test', edit('test/b.js', 'added')],
  ['a name that only sounds like it', edit('src/testing.ts')],
])('breaks none: %s', (_, one) => {
  expect(broken([one])).toEqual([])
})

test('a new name that some file system takes for an existing one is a change of it', () => {
  const edits = [edit('test/A.js', 'added'), edit('test/b.js', 'added')]
  expect(broken(withVariants(edits, ['test/a.js']))).toEqual(['test/A.js'])
})

test('an allowance of the issue counts, under the same rules for names', () => {
  expect(broken([edit('Test/a.js'), edit('test/b.js')], ['test/a.js'])).toEqual(['test/b.js'])
})

test('patterns are from the folder of the project too', () => {
  expect(broken([edit('web/.github/x')], [], 'web/')).toEqual(['web/.github/x'])
  expect(broken([edit('web/.github/x')], ['.github/x'], 'web/')).toEqual([])
  expect(broken([edit('web/.github/x')])).toEqual([])
})

test('of a file several members may be protected', () => {
  const frozen = ['**/package.json#scripts', '**/package.json#jest']
  const rules = { protection: { frozen, append: [] }, mayChange: [], prefix: '' }
  expect(protectedEdits([edit('package.json')], rules)).toMatchObject([
    { path: 'package.json', member: 'scripts' },
    { path: 'package.json', member: 'jest' },
  ])
})
