/**
 * Work that replaces the `.git` of its worktree by a repository of its own, whose configuration names
 * programs and other folders. Everything that premath asks git there is about its own repository.
 */
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { gitPathsOf } from '../src/harness/sandbox/private-git.ts'
import { askGit } from '../src/harness/worktree/git.ts'
import { readTree } from '../src/harness/worktree/tree.ts'
import { uncommittedWork } from '../src/harness/worktree/uncommitted-work.ts'
import { findProject } from '../src/project/root.ts'
import { nodeFiles } from '../src/world/files.ts'
import { nodeDisk } from '../src/world/node-disk.ts'
import { aRepository, describeWithGit, gitEnv, gitIn } from './a-repository.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describeWithGit('work that replaces the .git of its worktree', () => {
  const repository = aRepository()
  let worktree = ''
  let evil = ''
  let mark = ''

  beforeEach(() => {
    const { root } = repository()
    writeFileSync(join(root, '.gitignore'), '.premath/\nbuild/\n')
    writeFileSync(join(root, 'own.txt'), 'own\n')
    gitIn(root, 'add', '--all')
    gitIn(root, 'commit', '--quiet', '--message=own')
    worktree = join(root, '.premath/worktrees/w 1')
    gitIn(root, 'worktree', 'add', '--quiet', '--detach', worktree)
    mkdirSync(join(worktree, 'build'))
    writeFileSync(join(worktree, 'build/ignored'), '')
    mark = repository().beside('mark')
    evil = repository().beside('evil')
    plant()
  })

  /** Each program of its configuration leaves a mark. It hides `own.txt`, and has another tree. */
  function plant() {
    gitIn(repository().folder, 'init', '--quiet', '--initial-branch=main', evil)
    const touch = `touch '${mark}'; cat`
    writeFileSync(join(evil, 'planted.txt'), 'planted\n')
    gitIn(evil, 'add', 'planted.txt')
    gitIn(evil, 'commit', '--quiet', '--message=planted')
    const elsewhere = repository().beside('elsewhere')
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, 'hook'), `#!/bin/sh\n${touch}\n`)
    for (const [key, value] of Object.entries({
      'core.fsmonitor': `${touch}; false`,
      'core.hooksPath': elsewhere,
      'filter.evil.clean': touch,
      'filter.evil.smudge': touch,
      'alias.status': `!${touch}`,
      'alias.ls-files': `!${touch}`,
      'core.worktree': elsewhere,
    })) {
      gitIn(repository().folder, '--git-dir', join(evil, '.git'), 'config', key, value)
    }
    writeFileSync(join(evil, '.git/info/attributes'), '* filter=evil\n')
    writeFileSync(join(evil, '.git/info/exclude'), 'own.txt\n')
    writeFileSync(join(evil, '.git/gitdir'), `${worktree}/.git\n`)
  }

  const ways: Readonly<Record<string, () => void>> = {
    'by a file': () => writeFileSync(join(worktree, '.git'), `gitdir: ${evil}/.git\n`),
    'by a folder': () => cpSync(join(evil, '.git'), join(worktree, '.git'), { recursive: true }),
    'by a link': () => symlinkSync(join(evil, '.git'), join(worktree, '.git')),
    'by nothing': () => {},
  }

  function replaceBy(way: string) {
    rmSync(join(worktree, '.git'))
    ways[way]?.()
  }

  const treePlace = () => ({
    ...repository().place(),
    root: worktree,
    project: repository().root,
    files: nodeFiles,
    sha256,
  })

  test.each(Object.keys(ways))('[git.3.recorded-folder] the same tree is judged: %s', async way => {
    const before = await readTree(treePlace())
    const head = await before.head()
    expect(before.files.map(({ path }) => path)).toEqual(['.gitignore', 'a.txt', 'own.txt'])
    replaceBy(way)
    const after = await readTree(treePlace())
    expect(after.digest).toBe(before.digest)
    expect(await after.head()).toBe(head)
    expect(await before.isUnchanged()).toBe(true)
    expect(existsSync(mark)).toBe(false)
  })

  test.each(Object.keys(ways))(
    '[git.3.recorded-folder] git answers for the own repository: %s',
    async way => {
      replaceBy(way)
      writeFileSync(join(worktree, 'own.txt'), 'changed\n')
      const place = repository().place()
      const status = await askGit(place, worktree, ['status', '--porcelain'])
      expect(status).toMatchObject({ exitCode: 0, stdout: ' M own.txt\n' })
      const listed = await askGit(place, worktree, ['ls-files'])
      expect(listed.stdout).toContain('own.txt')
      expect(listed.stdout).not.toContain('planted.txt')
      expect(existsSync(mark)).toBe(false)
    },
  )

  test.each(Object.keys(ways))(
    '[git.3.recorded-folder] no sandbox and no removal takes the other repository: %s',
    async way => {
      const place = { ...repository().place(), files: nodeFiles }
      const { root } = repository()
      expect(await gitPathsOf(place, worktree)).toMatchObject({
        top: worktree,
        common: join(root, '.git'),
      })
      replaceBy(way)
      expect(await gitPathsOf(place, worktree)).toBeUndefined()
      await expect(uncommittedWork(place, worktree)).rejects.toMatchObject({
        code: 'unavailable',
        hint: expect.stringContaining('git worktree repair'),
      })
      expect(existsSync(mark)).toBe(false)
    },
  )

  test('[git.3.recorded-folder] programs of the own repository stay off', async () => {
    const own = repository().beside('own-mark')
    gitIn(repository().root, 'config', 'filter.own.clean', `touch '${own}'; cat`)
    writeFileSync(join(repository().root, '.git/info/attributes'), '* filter=own\n')
    replaceBy('by a folder')
    writeFileSync(join(worktree, 'own.txt'), 'other\n')
    const status = await askGit(repository().place(), worktree, ['status', '--porcelain'])
    expect(status.stdout).toBe(' M own.txt\n')
    expect(existsSync(own)).toBe(false)
  })

  test('[git.4.index-writers] no filter runs when git writes an index', async () => {
    const { root, place } = repository()
    const own = repository().beside('own-mark')
    // Git reads a file again that is as young as the index.
    writeFileSync(join(root, 'own.txt'), 'younger\n')
    const later = new Date(Date.now() + 5_000)
    utimesSync(join(root, 'own.txt'), later, later)
    gitIn(root, 'add', '--all')
    gitIn(root, 'config', 'filter.own.clean', `touch '${own}'; cat`)
    writeFileSync(join(root, '.git/info/attributes'), '* filter=own\n')
    for (const args of [['write-tree'], ['update-index', '--refresh'], ['read-tree', 'HEAD']]) {
      expect(await askGit(place(), root, args)).toMatchObject({ exitCode: 0 })
      expect([args, existsSync(own)]).toEqual([args, false])
    }
  })

  test('[git.3.recorded-folder] the configuration names no other work tree', async () => {
    const { root } = repository()
    const place = { ...repository().place(), files: nodeFiles, sha256 }
    writeFileSync(join(root, 'new.txt'), 'new\n')
    const { digest } = await readTree(place)
    gitIn(root, 'config', 'core.worktree', repository().beside('elsewhere'))
    expect((await readTree(place)).digest).toBe(digest)
    const status = await askGit(place, root, ['status', '--porcelain'])
    expect(status.stdout).toBe('?? new.txt\n')
  })

  test('[git.3.recorded-folder] a command in the worktree reads its files', async () => {
    replaceBy('by a folder')
    const here = {
      cwd: () => worktree,
      env: { ...gitEnv, PREMATH_ROOT: repository().root },
      files: nodeFiles,
      disk: async () => nodeDisk,
    }
    expect(await (await findProject(here)).folderHere()).toBe(worktree)
  })
})
