import { describe, expect, test } from 'vitest'
import { simWorld } from '../testing/sim-world.ts'
import { contractRoot, pathBelow } from './contract-roots.ts'

const world = simWorld({
  files: {
    '/repo/.git/HEAD': '',
    '/repo/docs/a.spec.md': '',
    '/linked/.git': 'gitdir: /repo/.git/worktrees/linked',
    '/linked/docs/a.spec.md': '',
    '/plain/docs/a.spec.md': '',
    '/project/.premath/issues.jsonl': '',
    '/project/specs/a.spec.md': '',
  },
  cwd: '/repo',
})

describe('the contract root', () => {
  test.each([
    ['docs/a.spec.md', undefined, '/repo'],
    ['/linked/docs/a.spec.md', undefined, '/linked'],
    ['/plain/docs/a.spec.md', undefined, '/plain/docs'],
    ['/project/specs/a.spec.md', undefined, '/project'],
    ['docs/a.spec.md', 'docs', '/repo/docs'],
    ['docs/a.spec.md', '/plain/', '/plain'],
  ])('of %s, given %s, is %s', async (document, given, expected) => {
    expect(await contractRoot(document, given, world)).toBe(expected)
  })
})

test('a folder whose name only begins like the root is not in it', () => {
  expect(pathBelow('/repo', '/repository/a')).toBeUndefined()
  expect(pathBelow('/repo', '/repo/a/b')).toBe('/a/b')
  expect(pathBelow('/', '/a/b')).toBe('/a/b')
})
