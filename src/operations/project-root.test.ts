import { describe, expect, test } from 'vitest'
import { type SimSetup, simWorld } from '../world/sim-world.ts'
import { openContext } from './open.ts'
import { findProjectRoot, projectRoot, resolvePath } from './project-root.ts'

const context = (setup: SimSetup) => openContext(simWorld(setup))
const root = (setup: SimSetup) => findProjectRoot(context(setup))

describe('the project', () => {
  const files = { '/home/repo/.premath/issues.jsonl': '', '/home/repo/src/a.ts': '' }

  test('is where the nearest .premath is, from here upwards', async () => {
    expect(await root({ files, cwd: '/home/repo' })).toBe('/home/repo')
    expect(await root({ files, cwd: '/home/repo/src/deep' })).toBe('/home/repo')
    expect(await root({ files, cwd: '/home' })).toBeUndefined()
    expect(await projectRoot(context({ files, cwd: '/home' }))).toBe('/home')
    expect(await root({ files: { '/.premath/x': '' }, cwd: '/a/b' })).toBe('/')
    expect(await root({ files: { '/a/.premath': 'a file' }, cwd: '/a' })).toBeUndefined()
  })

  test('is PREMATH_ROOT where that is set', async () => {
    const there = { ...files, '/other/a': '', '/home/x/a': '' }
    const from = (PREMATH_ROOT: string) =>
      root({ files: there, env: { PREMATH_ROOT }, cwd: '/home/repo' })
    expect(await from('/other')).toBe('/other')
    expect(await from('../x/')).toBe('/home/x')
    await expect(from('/none')).rejects.toThrow('PREMATH_ROOT names /none, which is no folder')
  })
})

describe('a linked worktree', () => {
  const main = {
    '/home/main/.git/HEAD': '',
    '/home/main/.git/worktrees/w/commondir': '../..\n',
    '/home/main/.premath/issues.jsonl': '',
    '/home/main/sub/.premath/issues.jsonl': '',
  }

  test.each([
    ['by its whole path', 'gitdir: /home/main/.git/worktrees/w\n'],
    ['by a path from here', 'gitdir: ../main/.git/worktrees/w\n'],
  ])('works on the memory of the main one, named %s', async (_, git) => {
    const files = { ...main, '/home/w/.git': git, '/home/w/.premath/issues.jsonl': '' }
    expect(await root({ files, cwd: '/home/w' })).toBe('/home/main')
    expect(await root({ files, cwd: '/home/w/src/deep' })).toBe('/home/main')
    expect(await root({ files, cwd: '/home/w/sub/deep' })).toBe('/home/main/sub')
  })

  test('of a repository without a main one has its own', async () => {
    const files = {
      '/srv/repo.git/worktrees/w/commondir': '../..\n',
      '/home/w/.git': 'gitdir: /srv/repo.git/worktrees/w\n',
      '/home/w/.premath/issues.jsonl': '',
    }
    expect(await root({ files, cwd: '/home/w' })).toBe('/home/w')
  })

  test('is not a submodule, which has its own', async () => {
    const files = {
      ...main,
      '/home/main/.git/modules/m/HEAD': '',
      '/home/main/m/.git': 'gitdir: ../.git/modules/m\n',
      '/home/main/m/.premath/issues.jsonl': '',
    }
    expect(await root({ files, cwd: '/home/main/m' })).toBe('/home/main/m')
  })

  test('without a memory anywhere would begin one in the main one', async () => {
    const files = {
      '/home/main/.git/worktrees/w/commondir': '../..\n',
      '/home/w/.git': 'gitdir: /home/main/.git/worktrees/w\n',
    }
    expect(await projectRoot(context({ files, cwd: '/home/w/a' }))).toBe('/home/main/a')
  })
})

test.each([
  ['/a', 'b/../c/./d/', '/a/c/d'],
  ['/a', '/b//c', '/b/c'],
  ['/', 'x', '/x'],
  ['/a/b', '../../../c', '/c'],
])('from %s, %s is %s', (folder, path, resolved) => {
  expect(resolvePath(folder, path)).toBe(resolved)
})
