import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contractPath, folderOf, isExternal, pathFrom, temporaryPath } from './contract-path.ts'

test.each([
  ['/a/b', '/a/b'],
  ['a/b', '/a/b'],
  ['  /a/b  ', '/a/b'],
  ['/', '/'],
  ['.', '/'],
  ['./a/./b/', '/a/b'],
  ['a//b', '/a/b'],
  ['a / b', '/a/b'],
  ['a\\b', '/a/b'],
  ['a/../b', '/b'],
  ['a/..', '/'],
  ['/etc/passwd', '/etc/passwd'],
  ['..a/b..', '/..a/b..'],
])('%j is %s', (text, path) => {
  expect(contractPath(text)).toEqual({ path })
})

test.each([
  ['', /blank/],
  [' \t', /blank/],
  ['..', /escapes contract root/],
  ['/../a', /escapes contract root/],
  ['a/../../b', /escapes contract root/],
  ['a\\..\\..\\b', /escapes contract root/],
  ['a/ .. / .. /b', /escapes contract root/],
  ['C:\\a', /drive/],
  ['c:a', /drive/],
  ['\\\\host\\share', /host/],
  ['//host/share', /host/],
  ['external://x/y', /external/],
  ['external://x/', /external/],
  ['a\0b', /NUL/],
])('%j is refused', (text, why) => {
  expect(contractPath(text)).toEqual({ refused: expect.stringMatching(why) })
})

describe('a path that begins in a folder', () => {
  test.each([
    ['b.md', '/docs/b.md'],
    ['../b.md', '/b.md'],
    ['/b.md', '/b.md'],
    ['..', '/'],
  ])('%s', (text, path) => {
    expect(pathFrom('/docs', text)).toEqual({ path })
  })

  test('does not leave the root', () => {
    expect(pathFrom('/docs', '../../b.md')).toEqual({ refused: 'escapes contract root' })
  })
})

test('the folder of a path', () => {
  expect(['/a/b.md', '/b.md', '/'].map(path => folderOf(path as '/'))).toEqual(['/a', '/', '/'])
})

test('[spec.8.virtual-root] an accepted path stays in the root and is in normal form', () => {
  const piece = fc.constantFrom('..', '.', '/', '\\', 'a', ' ', 'C:', 'external://', '\0', 'é')
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string())), pieces => {
      const read = contractPath(pieces.join(''))
      if ('refused' in read) return
      expect(read.path.split('/').slice(1)).not.toContain('..')
      expect(read.path).toMatch(/^\/(?:[^/]+(?:\/[^/]+)*)?$/)
      if (!/^\/\s*(?:[a-z]:|external:)/i.test(read.path)) {
        expect(contractPath(read.path)).toEqual(read)
      }
    }),
    { examples: [[['a', '/', '..', '/', 'b']]] },
  )
})

test('an external reference is never taken as a file', () => {
  expect([' external://x', 'EXTERNAL:x', 'externals/x'].map(isExternal)).toEqual([
    true,
    true,
    false,
  ])
})

test('[spec.8.setup-files] a setup file lies within the temporary folder', () => {
  expect(temporaryPath('a/./b.txt')).toEqual({ path: 'a/b.txt' })
  for (const [text, refused] of [
    ['/a', 'must be relative'],
    ['~/a', 'must be relative'],
    ['\\a', 'must be relative'],
    ['../../x', 'escapes tmp_path'],
    ['a/..', 'must name a file'],
  ]) {
    expect(temporaryPath(text ?? '')).toEqual({ refused })
  }
})
