import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { aRepository, commit, describeWithGit, gitIn } from '../../../test/a-repository.ts'
import { nodeProcesses } from '../../world/node-processes.ts'
import type { CommandSpec, RunningCommand } from '../../world/world.ts'
import { openRunWorktree } from '../landing/run-worktrees.ts'
import type { GitPlace } from './git.ts'
import { removeWorktree } from './remove-worktree.ts'
import { withWorktreeLock } from './worker-worktree.ts'
import { addByGit } from './worktree-creation.ts'

describeWithGit('an interrupted worktree creation', () => {
  const repository = aRepository()
  /** Finds the program of the filter. */
  const placeOf = (more: Partial<GitPlace> = {}) => {
    const { env } = repository().place()
    const PATH = `${repository().beside('bin')}:${env['PATH']}`
    return repository().place({ env: { ...env, PATH }, ...more })
  }
  const path = () => repository().worktree('w')
  const head = () => repository().git('rev-parse', 'HEAD')
  const open = async (more: Partial<GitPlace> = {}) => {
    const { env } = placeOf()
    const place = await repository().landingPlace({ env, ...more })
    const at = gitIn(place.root, 'rev-parse', 'HEAD')
    return (await openRunWorktree(place, { name: 'w', commit: at, copyFiles: [] })).worktree
  }
  const admin = () => `${repository().root}/.git/worktrees/w`
  /** Git removes the mark with the worktree, and a worktree that is created again has none. */
  const mark = () => writeFileSync(`${admin()}/mark`, '')
  const isMarked = () => existsSync(`${admin()}/mark`)
  const notes = () => readdirSync(dirname(path())).filter(name => /making/.test(name))
  let left: RunningCommand | undefined

  /** Reports that it has started, and waits until the test lets it continue. */
  const waits = () =>
    `: > '${repository().beside('begun')}'; until [ -e '${repository().beside('go')}' ]; do sleep 0.02; done`
  const go = () => writeFileSync(repository().beside('go'), '')

  const begun = () => expect.poll(() => existsSync(repository().beside('begun'))).toBe(true)

  /** The one filter that may run slows git down while it fills a worktree. */
  beforeEach(() => {
    mkdirSync(dirname(path()), { recursive: true })
    writeFileSync(repository().worktree('.gitignore'), '*\n')
    commit(repository().root, 'a.big')
    commit(repository().root, '.gitattributes', '*.big filter=lfs\n')
    mkdirSync(repository().beside('bin'))
    const filter = `#!/bin/sh\n${waits()}\ncat\n`
    writeFileSync(`${repository().beside('bin')}/git-lfs`, filter, { mode: 0o755 })
    repository().git('config', 'filter.lfs.smudge', 'git-lfs smudge -- %f')
  })

  afterEach(async () => {
    left?.stop('SIGKILL')
    await left?.end
    left = undefined
  })

  /** The state that a killed parent leaves: git continues and no process waits for it. */
  async function startAndLeave() {
    const start = async (spec: CommandSpec) => {
      const running = await nodeProcesses.start(spec)
      if (!spec.command.includes('worktree')) return running
      left = running
      return { ...left, end: new Promise<never>(() => {}) }
    }
    const place = placeOf({ processes: { ...nodeProcesses, start } })
    await Promise.race([addByGit(place, path(), head()), begun()])
  }

  async function killedAtIt() {
    await startAndLeave()
    left?.stop('SIGKILL')
    await left?.end
    expect(repository().git('worktree', 'list', '--porcelain')).toContain('locked initializing')
    expect(notes()).toEqual(['.making-w.json'])
    go()
  }

  async function madeWhole() {
    if (existsSync(admin())) mark()
    expect(await open()).toMatchObject({ path: path(), head: head(), isLocked: false })
    expect(isMarked()).toBe(false)
    expect(gitIn(path(), 'status', '--porcelain')).toBe('')
    expect(readFileSync(`${path()}/a.big`, 'utf8')).toBe('a.big')
    expect(notes()).toEqual([])
  }

  test('during git is undone, and the worktree is made again', async () => {
    await killedAtIt()
    await madeWhole()
  })

  test('is also undone by the cleanup', async () => {
    await killedAtIt()
    expect(await removeWorktree(placeOf(), path())).toBe(undefined)
    expect([existsSync(path()), notes()]).toEqual([false, []])
    expect(repository().git('worktree', 'list').split('\n')).toHaveLength(1)
  })

  test('while git still runs ends git first', async () => {
    await startAndLeave()
    const group = left?.group
    if (!group) throw new Error('it has begun')
    repository().git('config', '--remove-section', 'filter.lfs')
    await open()
    expect(await nodeProcesses.groupAlive(group)).toBe(false)
    expect(notes()).toEqual([])
  })

  test.each<[string, () => void]>([
    ['files that git has forgotten', () => rmSync(admin(), { recursive: true })],
    ['files of no worktree', () => rmSync(`${path()}/.git`)],
    ['no files', () => rmSync(path(), { recursive: true })],
  ])('and left %s is undone, too', async (_, change) => {
    await killedAtIt()
    change()
    await madeWhole()
  })

  test('is undone, and the next one begins at the given commit', async () => {
    await killedAtIt()
    commit(repository().root, 'later')
    await madeWhole()
  })

  test('after git had finished keeps the worktree', async () => {
    go()
    const start = async (spec: CommandSpec) => {
      if (!spec.command.includes('worktree')) return await nodeProcesses.start(spec)
      await nodeProcesses.run(spec)
      throw new Error('killed')
    }
    const place = placeOf({ processes: { ...nodeProcesses, start } })
    await expect(addByGit(place, path(), head())).rejects.toThrow('killed')
    expect(notes()).toHaveLength(1)
    mark()
    await open()
    expect([isMarked(), notes()]).toEqual([true, []])
  })

  test('is left alone in a project that was moved since', async () => {
    await killedAtIt()
    writeFileSync(`${path()}/work.txt`, 'mine')
    const root = repository().beside('moved')
    renameSync(repository().root, root)
    const moved = `${root}/.premath/worktrees/w`
    await expect(open({ root })).rejects.toMatchObject({
      message: expect.stringContaining('git does not list it as a worktree'),
    })
    expect(existsSync(`${moved}/work.txt`)).toBe(true)
  })

  test('does not remove a repository that was put in its place', async () => {
    await killedAtIt()
    repository().git('worktree', 'remove', '-f', '-f', path())
    repository().git('clone', '--quiet', '--no-checkout', '.', path())
    await expect(open()).rejects.toMatchObject({ code: 'conflict' })
    expect(existsSync(`${path()}/.git/HEAD`)).toBe(true)
  })

  test.each(['', '{"id": 4'])('that has no readable note is ignored: %j', async text => {
    go()
    await open()
    mark()
    writeFileSync(join(dirname(path()), `.making-${basename(path())}.json`), text)
    await open()
    expect([isMarked(), notes()]).toEqual([true, []])
  })

  test('is distinct from a worktree that another process is making, which is awaited', async () => {
    const place = placeOf()
    const making = () => addByGit(place, path(), head())
    const first = withWorktreeLock(place.disk, dirname(path()), making)
    await begun()
    const second = removeWorktree(place, path())
    expect(notes()).toHaveLength(1)
    go()
    await first
    expect(await second).toBe(undefined)
    expect([existsSync(path()), notes()]).toEqual([false, []])
  })

  test('leaves no note if git fails', async () => {
    writeFileSync(`${repository().beside('bin')}/git-lfs`, '#!/bin/sh\nexit 1\n')
    repository().git('config', 'filter.lfs.required', 'true')
    await expect(open()).rejects.toMatchObject({ code: 'unavailable' })
    expect(notes()).toEqual([])
  })
})
