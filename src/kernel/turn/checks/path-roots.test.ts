import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalPath, PathRoots } from '../rules/runtime.ts'

test.each([
  [['/repo'], '/repo', true],
  [['/repo'], '/repo/src/../x', true],
  [['/repo'], '/repo/../etc', false],
  [['/repo'], '/repo-b', false],
  [['/repo/'], '/repo/./a//b', true],
  [['/'], '/anything', true],
  [['src'], 'src/a.ts', true],
  [['src'], '../src/a.ts', false],
  [['src'], 'src/../../src/a.ts', false],
  [['.'], '../a', false],
  [['../shared'], '../shared/a', true],
  [['src'], '/src/a', false],
  [['/src'], 'src/a', false],
  [[], '/a', false],
])('%j covers %s: %s', (roots, path, covered) => {
  expect(new PathRoots(roots).cover(path)).toBe(covered)
})

test('a normal path is its own normal path, and is covered by itself', () => {
  const paths = fc.array(fc.constantFrom('..', '.', '', 'a', 'b'), { minLength: 1 })
  fc.assert(
    fc.property(paths, fc.boolean(), (parts, rooted) => {
      const path = (rooted ? '/' : '') + parts.join('/')
      expect(normalPath(normalPath(path))).toBe(normalPath(path))
      expect(new PathRoots([path]).cover(path)).toBe(true)
    }),
  )
})
