import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import { aRepository, commit, describeWithGit, gitEnv, gitIn } from '../../../test/a-repository.ts'
import { ensureWorktree } from './ensure-worktree.ts'
import type { GitPlace } from './git.ts'

describeWithGit('a worktree for a worker', () => {
  const repository = aRepository()
  const ensured = (worker = 'w', base?: string, more: Partial<GitPlace> = {}) =>
    ensureWorktree(repository().place(more), worker, base)
  const refused = async (asked: Promise<unknown>, code: string, what: string, next: string) =>
    await expect(asked).rejects.toMatchObject({
      code,
      message: expect.stringContaining(what),
      hint: expect.stringContaining(next),
    })
  const headOf = (path: string) => gitIn(path, 'rev-parse', 'HEAD')

  test('is made at HEAD, on a branch of its own, and found again', async () => {
    const path = repository().worktree('worker.1')
    const { worktree, made } = await ensured('worker.1')
    expect(made).toBe(true)
    expect(worktree).toEqual({
      path,
      branch: 'premath/worker.1',
      head: headOf(repository().root),
      isMain: false,
      isPrunable: false,
      isLocked: false,
      lockReason: '',
    })
    expect(readFileSync(`${path}/a.txt`, 'utf8')).toBe('first')
    writeFileSync(`${path}/work`, 'under way')
    expect(await ensured('worker.1')).toEqual({ worktree, made: false })
    expect(readFileSync(`${path}/work`, 'utf8')).toBe('under way')
  })

  test('is no change in the worktree that contains it', async () => {
    await ensured()
    expect(readFileSync(`${repository().worktree('.gitignore')}`, 'utf8')).toBe('*\n')
    expect(repository().git('status', '--porcelain', '-uall')).toBe('')
  })

  test('begins at the given commit, under any name of it', async () => {
    const first = headOf(repository().root)
    commit(repository().root, 'b')
    repository().git('tag', '-m', 'named', 'v1', first)
    expect((await ensured('w', 'v1')).worktree.head).toBe(first)
    await refused(ensured('x', 'none'), 'usage', 'none is not a commit', 'git log')
    await refused(ensured('x', '--all'), 'usage', '--all is not a commit', 'git log')
    expect(existsSync(repository().worktree('x'))).toBe(false)
  })

  test('continues an existing branch', async () => {
    const { worktree } = await ensured()
    const work = commit(worktree.path, 'work')
    repository().git('worktree', 'remove', worktree.path)
    expect(await ensured('w', 'main')).toMatchObject({ worktree: { head: work }, made: true })
  })

  test('tracks no branch of a remote', async () => {
    const clone = repository().beside('clone')
    repository().git('clone', '--quiet', '.', clone)
    await ensured('w', 'origin/main', { root: clone })
    expect(gitIn(clone, 'config', '--get-regexp', '^branch')).not.toContain('premath')
  })

  test('that vanished is made again on its branch, and the others stay registered', async () => {
    const { worktree } = await ensured()
    const work = commit(worktree.path, 'work')
    const elsewhere = repository().beside('elsewhere')
    repository().git('worktree', 'add', '--quiet', '--detach', elsewhere)
    rmSync(worktree.path, { recursive: true })
    rmSync(elsewhere, { recursive: true })
    expect(await ensured()).toMatchObject({ made: true, worktree: { head: work } })
    expect(repository().git('worktree', 'list')).toContain(elsewhere)
    rmSync(`${repository().root}/.premath`, { recursive: true })
    expect(await ensured()).toMatchObject({ made: true, worktree: { head: work } })
  })

  test('that vanished with a commit on no branch needs manual action', async () => {
    const { worktree } = await ensured()
    gitIn(worktree.path, 'switch', '--quiet', '--detach')
    const lost = commit(worktree.path, 'lost')
    rmSync(worktree.path, { recursive: true })
    await refused(ensured(), 'conflict', 'its commit is on no branch', `git branch <name> ${lost}`)
    repository().git('branch', 'found', lost)
    expect(await ensured()).toMatchObject({ made: true })
  })

  test('that is locked is used, and reported if it vanished', async () => {
    const { worktree } = await ensured()
    repository().git('worktree', 'lock', '--reason', 'mine', worktree.path)
    expect(await ensured()).toMatchObject({ made: false, worktree: { isLocked: true } })
    rmSync(worktree.path, { recursive: true })
    await refused(ensured(), 'conflict', 'is missing and locked: mine', 'git worktree unlock')
    repository().git('worktree', 'unlock', worktree.path)
    expect(await ensured()).toMatchObject({ made: true })
  })

  test('does not overwrite an existing folder', async () => {
    const path = repository().worktree('w')
    mkdirSync(path, { recursive: true })
    await refused(ensured(), 'conflict', 'is not a worktree', 'git worktree repair')
    writeFileSync(`${path}/precious`, '')
    await refused(ensured(), 'conflict', 'is not a worktree', 'move the path away')
    expect(readdirSync(path)).toEqual(['precious'])
    rmSync(path, { recursive: true })
    writeFileSync(path, 'a file')
    await refused(ensured(), 'conflict', 'is not a worktree', 'move the path away')
    rmSync(path)
    symlinkSync(repository().beside('nowhere'), path)
    await refused(ensured(), 'unavailable', 'git worktree add failed', 'run the command again')
    rmSync(path)
    await ensured()
    rmSync(`${path}/.git`)
    await refused(ensured(), 'conflict', 'is not a worktree', 'git worktree repair')
    expect(readdirSync(path)).toEqual(['a.txt'])
  })

  test('of a moved project works again after the command that the error names', async () => {
    await ensured()
    commit(repository().worktree('w'), 'work')
    const root = repository().beside('moved')
    renameSync(repository().root, root)
    const path = `${root}/.premath/worktrees/w`
    await refused(ensured('w', 'HEAD', { root }), 'conflict', path, `git worktree repair ${path}`)
    gitIn(root, 'worktree', 'repair', path)
    expect(await ensured('w', 'HEAD', { root })).toMatchObject({ made: false, worktree: { path } })
  })

  test('does not share its branch', async () => {
    const elsewhere = repository().beside('elsewhere')
    repository().git('worktree', 'add', '--quiet', '-b', 'premath/w', elsewhere)
    const what = `premath/w is already checked out at ${elsewhere}`
    await refused(ensured(), 'conflict', what, 'another branch')
    expect(existsSync(repository().worktree('w'))).toBe(false)
    rmSync(elsewhere, { recursive: true })
    await refused(ensured(), 'conflict', what, 'git worktree prune')
    repository().git('worktree', 'prune')
    repository().git('switch', '--quiet', 'premath/w')
    await refused(ensured(), 'conflict', `checked out at ${repository().root}`, 'another branch')
  })

  test('is not handed out on another branch than its own', async () => {
    const { worktree } = await ensured()
    gitIn(worktree.path, 'switch', '--quiet', '-c', 'fix')
    await refused(ensured(), 'conflict', 'is on the branch fix', 'git switch premath/w')
    gitIn(worktree.path, 'switch', '--quiet', '--detach')
    await refused(ensured(), 'conflict', 'is on no branch', 'git switch premath/w')
    gitIn(worktree.path, 'switch', '--quiet', 'premath/w')
    expect(await ensured()).toMatchObject({ made: false })
  })

  test('is not handed out half made', async () => {
    const { path } = (await ensured()).worktree
    const half = async () =>
      await refused(
        ensured(),
        'conflict',
        'git is still creating the worktree',
        `git worktree remove -f -f ${path}`,
      )
    repository().git('worktree', 'lock', '--reason', 'initializing', path)
    await half()
    rmSync(path, { recursive: true })
    await half()
    repository().git('worktree', 'remove', '-f', '-f', path)
    expect(await ensured()).toMatchObject({ made: true })
  })

  test.each(['worker.1', '1', 'a-b_c', '-x', 'a@', 'HEAD', 'wörker'])(
    'may be named %s',
    async worker => {
      const { worktree } = await ensured(worker)
      expect(worktree).toMatchObject({
        path: repository().worktree(worker),
        branch: `premath/${worker}`,
      })
    },
  )

  test.each([
    '',
    '.',
    '..',
    '.gitignore',
    'a.lock',
    'a.',
    'a..b',
    'a b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b]',
    'a\\b',
    'a@{1}',
    '@',
    'a\nb',
    'a\0b',
    'a/b',
    '../../x',
  ])('is not named %j, which can be no branch or no folder', async worker => {
    await refused(ensured(worker), 'usage', JSON.stringify(worker), 'single dots')
    expect(existsSync(`${repository().root}/.premath`)).toBe(false)
  })

  test('needs a branch that git can make', async () => {
    repository().git('branch', 'premath')
    await refused(ensured(), 'unavailable', "'refs/heads/premath' exists", 'run the command again')
    expect(existsSync(repository().worktree('w'))).toBe(false)
  })

  test('is made in a folder of a repository, and by a link to it', async () => {
    const root = `${repository().root}/part`
    mkdirSync(root)
    const link = repository().beside('link')
    symlinkSync(root, link)
    const path = `${root}/.premath/worktrees/w`
    expect(await ensured('w', 'HEAD', { root })).toMatchObject({ made: true, worktree: { path } })
    expect(await ensured('w', 'HEAD', { root: link })).toMatchObject({
      made: false,
      worktree: { path },
    })
  })

  test('is made beside a path with a line break in it', async () => {
    const root = repository().beside('a\nb')
    repository().git('clone', '--quiet', '.', root)
    const path = `${root}/.premath/worktrees/w`
    expect(await ensured('w', 'HEAD', { root })).toMatchObject({ made: true, worktree: { path } })
    expect(await ensured('w', 'HEAD', { root })).toMatchObject({ made: false, worktree: { path } })
  })

  test('is made of a bare repository', async () => {
    const root = repository().beside('project')
    repository().git('clone', '--quiet', '--bare', '.', `${root}/.bare`)
    writeFileSync(`${root}/.git`, 'gitdir: ./.bare\n')
    const path = `${root}/.premath/worktrees/w`
    expect(await ensured('w', 'HEAD', { root })).toMatchObject({ made: true, worktree: { path } })
    expect(await ensured('w', 'HEAD', { root })).toMatchObject({ made: false })
    expect(readFileSync(`${path}/a.txt`, 'utf8')).toBe('first')
  })

  test('is not made in a linked worktree, with which it would be deleted', async () => {
    const root = repository().beside('linked')
    repository().git('worktree', 'add', '--quiet', '-b', 'linked', root)
    const asked = ensured('w', 'HEAD', { root })
    await refused(asked, 'usage', 'it is a linked worktree', repository().root)
    expect(existsSync(`${root}/.premath`)).toBe(false)
  })

  test('is not made behind a link out of the project', async () => {
    mkdirSync(`${repository().root}/.premath`)
    mkdirSync(repository().beside('out'))
    symlinkSync(repository().beside('out'), `${repository().root}/.premath/worktrees`)
    await refused(ensured(), 'unavailable', 'leads out of the project', repository().beside('out'))
    expect(readdirSync(repository().beside('out'))).toEqual([])
  })

  test('needs a repository with a commit', async () => {
    const root = repository().beside('new')
    mkdirSync(root)
    const asked = () => ensured('w', undefined, { root })
    await refused(asked(), 'invalid_input', 'is not in a git repository', 'git init')
    expect(readdirSync(root)).toEqual([])
    gitIn(root, 'init', '--quiet')
    await refused(asked(), 'invalid_input', 'has no commit', 'git commit')
    expect(existsSync(`${root}/.premath/worktrees/w`)).toBe(false)
    commit(root, 'a')
    expect(await asked()).toMatchObject({ made: true })
  })

  test('is made when a git hook started premath', async () => {
    const { root } = repository()
    const hook = {
      GIT_DIR: `${root}/.git`,
      GIT_INDEX_FILE: `${root}/.git/index`,
      GIT_WORK_TREE: root,
      GIT_PREFIX: '',
    }
    const { worktree } = await ensured('w', 'HEAD', { env: { ...gitEnv, ...hook } })
    expect(gitIn(worktree.path, 'status', '--porcelain')).toBe('')
    expect(repository().git('status', '--porcelain')).toBe('')
  })

  test('is removed if git cannot check it out', async () => {
    const filter = `${repository().root}/.git/no`
    writeFileSync(filter, '#!/bin/sh\nexit 1\n')
    chmodSync(filter, 0o755)
    commit(repository().root, '.gitattributes', '*.txt filter=no\n')
    repository().git('config', 'filter.no.smudge', `'${filter}'`)
    repository().git('config', 'filter.no.required', 'true')
    await refused(ensured(), 'unavailable', 'git worktree add failed', 'run the command again')
    expect(existsSync(repository().worktree('w'))).toBe(false)
    repository().git('config', '--remove-section', 'filter.no')
    expect(await ensured()).toMatchObject({ made: true })
  })
})
