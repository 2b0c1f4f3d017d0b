import { describe, expect, test } from 'vitest'
import { type SimSetup, simWorld } from '../testing/sim-world.ts'
import { openContext } from './context.ts'
import { openProject, projectAt } from './open.ts'
import { resolvePath } from './paths.ts'

const open = (setup: SimSetup) => openProject(openContext(simWorld(setup)))
const rootOf = async (setup: SimSetup) => (await open(setup)).root

async function root(setup: SimSetup): Promise<string | undefined> {
  const project = await open(setup)
  return project.isFound ? project.root : undefined
}

describe('the project', () => {
  const files = { '/home/repo/.premath/issues.jsonl': '', '/home/repo/src/a.ts': '' }

  test('is the nearest folder with .premath, from here upwards', async () => {
    expect(await root({ files, cwd: '/home/repo' })).toBe('/home/repo')
    expect(await root({ files, cwd: '/home/repo/src/deep' })).toBe('/home/repo')
    expect(await root({ files, cwd: '/home' })).toBeUndefined()
    expect(await rootOf({ files, cwd: '/home' })).toBe('/home')
    expect(await root({ files: { '/.premath/x': '' }, cwd: '/a/b' })).toBe('/')
    expect(await root({ files: { '/a/.premath': 'a file' }, cwd: '/a' })).toBeUndefined()
  })

  test('is PREMATH_ROOT if that is set', async () => {
    const there = { ...files, '/other/a': '', '/home/x/a': '' }
    const from = (PREMATH_ROOT: string) =>
      root({ files: there, env: { PREMATH_ROOT }, cwd: '/home/repo' })
    expect(await from('/other')).toBe('/other')
    expect(await from('../x/')).toBe('/home/x')
    await expect(from('/none')).rejects.toThrow('PREMATH_ROOT names /none, which is not a folder')
  })
})

test('a project would begin at the top of the repository, or here without one', async () => {
  const files = { '/home/repo/.git/HEAD': '', '/home/repo/src/a.ts': '' }
  expect(await rootOf({ files, cwd: '/home/repo/src' })).toBe('/home/repo')
  expect(await rootOf({ files, cwd: '/home/other' })).toBe('/home/other')
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

  const bare = {
    '/srv/project/.bare/worktrees/w/commondir': '../..\n',
    '/srv/project/w/.git': 'gitdir: /srv/project/.bare/worktrees/w\n',
    '/srv/project/w/.premath/issues.jsonl': '',
  }

  test('of a bare repository finds the project beside it', async () => {
    const files = { ...bare, '/srv/project/.premath/issues.jsonl': '' }
    expect(await root({ files, cwd: '/srv/project/w/deep' })).toBe('/srv/project')
  })

  test('of a bare repository creates no separate memory', async () => {
    await expect(root({ files: bare, cwd: '/srv/project/w' })).rejects.toMatchObject({
      code: 'usage',
      hint: expect.stringContaining('cp -R /srv/project/w/.premath /srv/project'),
    })
    const env = { PREMATH_ROOT: '.' }
    expect(await root({ files: bare, cwd: '/srv/project/w', env })).toBe('/srv/project/w')
  })

  test('of a submodule works on the memory of the submodule', async () => {
    const files = {
      '/home/r/.git/modules/mod/config': '[core]\n\tbare = false\n\tworktree = ../../../mod\n',
      '/home/r/.git/modules/mod/worktrees/w/commondir': '../..\n',
      '/home/r/mod/.git': 'gitdir: ../.git/modules/mod\n',
      '/home/r/mod/.premath/issues.jsonl': '',
      '/home/w/.git': 'gitdir: /home/r/.git/modules/mod/worktrees/w\n',
    }
    expect(await root({ files, cwd: '/home/w/deep' })).toBe('/home/r/mod')
  })

  test('without its repository creates no memory', async () => {
    const files = { '/home/w/.git': 'gitdir: /gone/.git/worktrees/w\n' }
    await expect(rootOf({ files, cwd: '/home/w/a' })).rejects.toMatchObject({
      code: 'unavailable',
      hint: expect.stringContaining('git worktree repair'),
    })
  })

  test('is not a submodule, which has its own memory', async () => {
    const files = {
      ...main,
      '/home/main/.git/modules/m/HEAD': '',
      '/home/main/m/.git': 'gitdir: ../.git/modules/m\n',
      '/home/main/m/.premath/issues.jsonl': '',
    }
    expect(await root({ files, cwd: '/home/main/m' })).toBe('/home/main/m')
  })

  test('without any memory would create one in the main worktree', async () => {
    const files = {
      '/home/main/.git/worktrees/w/commondir': '../..\n',
      '/home/w/.git': 'gitdir: /home/main/.git/worktrees/w\n',
    }
    expect(await rootOf({ files, cwd: '/home/w/a' })).toBe('/home/main')
  })
})

describe('the top of a linked worktree', () => {
  const files = {
    '/home/main/.git/HEAD': '',
    '/home/main/.git/modules/m/HEAD': '',
    '/home/main/.git/modules/m/worktrees/of-m/commondir': '../..\n',
    '/home/main/.git/worktrees/w/commondir': '../..\n',
    '/home/main/.premath/worktrees/w/.git': 'gitdir: /home/main/.git/worktrees/w\n',
    '/home/main/m/.git': 'gitdir: ../.git/modules/m\n',
    '/home/of-m/.git': 'gitdir: /home/main/.git/modules/m/worktrees/of-m\n',
    '/home/lost/.git': 'gitdir: /gone/.git/worktrees/lost\n',
    '/srv/project/.bare/worktrees/b/commondir': '../..\n',
    '/srv/project/.premath/issues.jsonl': '',
    '/srv/project/b/.git': 'gitdir: ../.bare/worktrees/b\n',
  }

  test.each([
    ['/home/main/.premath/worktrees/w', '/home/main/.premath/worktrees/w'],
    ['/home/main/.premath/worktrees/w/src/deep', '/home/main/.premath/worktrees/w'],
    ['/home/of-m/src', '/home/of-m'],
    ['/srv/project/b/src', '/srv/project/b'],
    ['/home/main', undefined],
    ['/home/main/.premath/worktrees', undefined],
    ['/home/main/m/src', undefined],
    ['/home/lost', undefined],
    ['/home', undefined],
  ])('is searched from here upwards: from %s it is %s', async (cwd, top) => {
    const named = await open({ files, cwd, env: { PREMATH_ROOT: '/srv' } })
    expect(await named.worktree()).toBe(top)
    const searched = open({ files, cwd })
    if (cwd === '/home/lost') await expect(searched).rejects.toThrow('has lost its repository')
    else expect(await (await searched).worktree()).toBe(top)
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

describe('the project’s folder here', () => {
  const files = {
    '/home/main/.git/worktrees/w/commondir': '../..\n',
    '/home/main/part/.premath/issues.jsonl': '',
    '/home/w/.git': 'gitdir: /home/main/.git/worktrees/w\n',
    '/other/.git/HEAD': '',
    '/other/.premath/issues.jsonl': '',
    '/memory/.premath/issues.jsonl': '',
    '/srv/.bare/worktrees/b/commondir': '../..\n',
    '/srv/b/.git': 'gitdir: ../.bare/worktrees/b\n',
    '/apart/git/worktrees/s/commondir': '../..\n',
    '/apart/main/.git': 'gitdir: /apart/git\n',
    '/apart/main/.premath/issues.jsonl': '',
    '/apart/memory/.premath/issues.jsonl': '',
    '/apart/s/.git': 'gitdir: /apart/git/worktrees/s\n',
  }

  test.each([
    ['/home/main', '/home/main', '/home/main'],
    ['/home/w/src', '/home/main', '/home/w'],
    ['/home/w/src', '/home/main/part', '/home/w/part'],
    ['/home/w', '/linked/main', '/home/w'],
    ['/home/w', '/other', '/other'],
    ['/home/w', '/memory', '/memory'],
    ['/srv/b', '/srv', '/srv/b'],
    ['/srv/b', '/memory', '/srv/b'],
    ['/srv/b', '/other', '/other'],
    ['/apart/s/src', '/apart/main', '/apart/s'],
    ['/apart/s/src', '/apart/main/part', '/apart/s/part'],
    ['/apart/s', '/apart/memory', '/apart/s'],
    ['/apart/s', '/other', '/other'],
  ])('is, from %s with the project %s, %s', async (cwd, project, folder) => {
    const links = { '/linked': '/home' }
    const context = openContext(simWorld({ files, links, cwd }))
    expect(await projectAt(project, context).folderHere()).toBe(folder)
  })
})
