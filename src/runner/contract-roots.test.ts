import { describe, expect, test } from 'vitest'
import { Fault } from '../fault.ts'
import { simWorld } from '../testing/sim-world.ts'
import { ContractRoots, contractRoot, pathBelow } from './contract-roots.ts'

const world = simWorld({
  files: { '/repo/docs/a.spec.md': '' },
  links: { '/repo/out': '/etc', '/repo/in': '/repo/docs', '/alias': '/repo' },
  cwd: '/repo',
})

test('[spec.8.text-file-path] a path that leaves the root through a link is refused', async () => {
  const roots = new ContractRoots(world)
  expect(await roots.confined('/repo', '/out/passwd')).toEqual({
    refused: 'escapes contract root through a link',
  })
  const inside = { realPath: '/repo/docs/a.spec.md' }
  expect(await roots.confined('/repo', '/in/a.spec.md')).toEqual(inside)
  expect(await roots.confined('/alias', '/docs/a.spec.md')).toEqual(inside)
  expect(await roots.confined('/', '/anything')).toEqual({ realPath: '/anything' })
})

test('a message does not reveal the path of the root', async () => {
  const roots = new ContractRoots(world)
  await roots.realRoot('/alias')
  const withoutRoot = (path: string, root: string) =>
    roots.withoutRoot(new Fault('usage', `no ${path}`), root)
  expect(withoutRoot('/repo/docs/b', '/alias')).toBe('no /docs/b')
  expect(withoutRoot('/alias/docs/b', '/alias')).toBe('no /docs/b')
  expect(withoutRoot('/etc/b', '/')).toBe('no /etc/b')
})

const projects = simWorld({
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
    expect(await contractRoot(document, given, projects)).toBe(expected)
  })
})

test('a folder whose name only begins like the root is not in it', () => {
  expect(pathBelow('/repo', '/repository/a')).toBeUndefined()
  expect(pathBelow('/repo', '/repo/a/b')).toBe('/a/b')
  expect(pathBelow('/', '/a/b')).toBe('/a/b')
})
