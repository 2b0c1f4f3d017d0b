import {
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
import { shellWord } from '../../kernel/text/shell-word.ts'
import type { GitPlace } from '../worktree/git.ts'
import { openRunWorktree } from './run-worktrees.ts'

describeWithGit('a worktree of a run', () => {
  const repository = aRepository()
  const path = () => repository().worktree('w')
  const headOf = (folder: string) => gitIn(folder, 'rev-parse', 'HEAD')
  const opened = async (more: Partial<GitPlace> = {}, at = headOf(repository().root)) =>
    (
      await openRunWorktree(await repository().landingPlace(more), {
        name: 'w',
        commit: at,
        copyFiles: [],
      })
    ).worktree
  const refused = async (code: string, what: string, next: string, more?: Partial<GitPlace>) =>
    await expect(opened(more)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(what),
      hint: expect.stringContaining(next),
    })
  /** Git removes the mark with the worktree, and a worktree that is created again has none. */
  const mark = () => writeFileSync(`${repository().root}/.git/worktrees/w/mark`, '')
  const isMarked = () => existsSync(`${repository().root}/.git/worktrees/w/mark`)

  test('has the files of a commit and no branch, and is found again', async () => {
    const first = headOf(repository().root)
    commit(repository().root, 'b')
    expect(await opened({}, first)).toEqual({
      path: path(),
      branch: undefined,
      head: first,
      isMain: false,
      isPrunable: false,
      isLocked: false,
      lockReason: '',
    })
    expect(readdirSync(path()).sort()).toEqual(['.git', 'a.txt'])
    mark()
    writeFileSync(`${path()}/left`, 'by a run that was killed')
    expect(await opened()).toMatchObject({ head: headOf(repository().root), branch: undefined })
    expect(readdirSync(path()).sort()).toEqual(['.git', 'a.txt', 'b'])
    expect(isMarked()).toBe(true)
    expect(repository().git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')
  })

  test('is no change in the worktree that contains it', async () => {
    await opened()
    expect(readFileSync(repository().worktree('.gitignore'), 'utf8')).toBe('*\n')
    expect(repository().git('status', '--porcelain', '-uall')).toBe('')
  })

  test('that is on the branch of an issue leaves its work there', async () => {
    await opened()
    gitIn(path(), 'switch', '--quiet', '-c', 'premath/bd-1')
    writeFileSync(`${path()}/work`, 'under way')
    expect(await opened()).toMatchObject({ branch: undefined, head: headOf(repository().root) })
    expect(repository().git('show', 'premath/bd-1:work')).toBe('under way')
    expect(existsSync(`${path()}/work`)).toBe(false)
  })

  test('that vanished is made again, and the others stay registered', async () => {
    await opened()
    gitIn(path(), 'switch', '--quiet', '-c', 'premath/bd-1')
    const work = commit(path(), 'work')
    const elsewhere = repository().beside('elsewhere')
    repository().git('worktree', 'add', '--quiet', '--detach', elsewhere)
    rmSync(path(), { recursive: true })
    rmSync(elsewhere, { recursive: true })
    expect(await opened()).toMatchObject({ branch: undefined, head: headOf(repository().root) })
    expect(repository().git('rev-parse', 'premath/bd-1')).toBe(work)
    expect(repository().git('worktree', 'list')).toContain(elsewhere)
    rmSync(`${repository().root}/.premath`, { recursive: true })
    await opened()
    expect(readFileSync(`${path()}/a.txt`, 'utf8')).toBe('first')
  })

  test('that is locked is used, and made again if it vanished', async () => {
    await opened()
    repository().git('worktree', 'lock', '--reason', 'by the work', path())
    mark()
    expect(await opened()).toMatchObject({ isLocked: true })
    expect(isMarked()).toBe(true)
    rmSync(path(), { recursive: true })
    expect(await opened()).toMatchObject({ isLocked: false, isPrunable: false })
  })

  test('that git left half made, without a note, is filled', async () => {
    await opened()
    repository().git('worktree', 'lock', '--reason', 'initializing', path())
    rmSync(`${path()}/a.txt`)
    rmSync(`${repository().root}/.git/worktrees/w/index`)
    await opened()
    expect(readFileSync(`${path()}/a.txt`, 'utf8')).toBe('first')
    expect(gitIn(path(), 'status', '--porcelain')).toBe('')
    rmSync(path(), { recursive: true })
    expect(await opened()).toMatchObject({ isLocked: false })
  })

  test('does not overwrite what is in its place', async () => {
    mkdirSync(path(), { recursive: true })
    const isOther = () => refused('conflict', 'git does not list it', 'move it away')
    await isOther()
    writeFileSync(`${path()}/precious`, '')
    await isOther()
    expect(readdirSync(path())).toEqual(['precious'])
    renameSync(path(), repository().beside('precious'))
    symlinkSync(repository().beside('precious'), path())
    await isOther()
    expect(readdirSync(repository().beside('precious'))).toEqual(['precious'])
    rmSync(path())
    writeFileSync(path(), 'a file')
    await isOther()
    rmSync(path())
    symlinkSync(repository().beside('nowhere'), path())
    await refused('unavailable', 'git worktree add failed', 'run the command again')
    expect(existsSync(repository().beside('nowhere'))).toBe(false)
  })

  test('that lost its link to the repository gets it back', async () => {
    await opened()
    mark()
    rmSync(`${path()}/.git`)
    await opened()
    expect(isMarked()).toBe(true)
    expect(gitIn(path(), 'rev-parse', '--show-toplevel')).toBe(path())
    expect(repository().git('status', '--porcelain')).toBe('')
  })

  test('of a moved project works again after the command that the error names', async () => {
    await opened()
    const root = repository().beside('moved')
    renameSync(repository().root, root)
    const moved = `${root}/.premath/worktrees/w`
    const at = gitIn(root, 'rev-parse', 'HEAD')
    await expect(opened({ root }, at)).rejects.toMatchObject({
      code: 'conflict',
      hint: expect.stringContaining(`git worktree repair ${shellWord(moved)}`),
    })
    gitIn(root, 'worktree', 'repair', moved)
    expect(await opened({ root }, at)).toMatchObject({ path: moved })
  })

  test('is made for a project in a folder of a repository, and by a link to it', async () => {
    const root = `${repository().root}/part`
    mkdirSync(root)
    const link = repository().beside('link')
    symlinkSync(root, link)
    const inside = `${root}/.premath/worktrees/w`
    expect(await opened({ root })).toMatchObject({ path: inside })
    mark()
    expect(await opened({ root: link })).toMatchObject({ path: inside })
    expect(isMarked()).toBe(true)
  })

  test('is not made behind a link out of the project', async () => {
    mkdirSync(`${repository().root}/.premath`)
    mkdirSync(repository().beside('out'))
    symlinkSync(repository().beside('out'), `${repository().root}/.premath/worktrees`)
    await refused('unavailable', 'leads out of the project', repository().beside('out'))
    expect(readdirSync(repository().beside('out'))).toEqual([])
  })

  test('is made when a git hook started premath', async () => {
    const { root } = repository()
    const hook = {
      GIT_DIR: `${root}/.git`,
      GIT_INDEX_FILE: `${root}/.git/index`,
      GIT_WORK_TREE: root,
      GIT_PREFIX: '',
    }
    await opened({ env: { ...gitEnv, ...hook } })
    expect(gitIn(path(), 'status', '--porcelain')).toBe('')
    expect(repository().git('status', '--porcelain')).toBe('')
    expect(repository().git('branch', '--show-current')).toBe('main')
  })

  test('leaves nothing if git cannot check it out', async () => {
    const { git, root } = repository()
    const blob = git('rev-parse', 'HEAD:a.txt')
    const object = `${root}/.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`
    renameSync(object, `${object}.away`)
    await refused('unavailable', 'git worktree add failed', 'run the command again')
    expect(existsSync(path())).toBe(false)
    renameSync(`${object}.away`, object)
    await opened()
    expect(readFileSync(`${path()}/a.txt`, 'utf8')).toBe('first')
  })
})
