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
import { ensureWorktree } from './ensure-worktree.ts'
import { removeWorktree } from './remove-worktree.ts'
import { addByGit } from './worktree-creation.ts'
import { listWorktrees } from './worktrees.ts'

describeWithGit('an interrupted worktree creation', () => {
  const repository = aRepository()
  const path = () => repository().worktree('w')
  const ensure = () => ensureWorktree(repository().place(), 'w')
  const headOf = (folder: string) => gitIn(folder, 'rev-parse', 'HEAD')
  const notes = () => readdirSync(dirname(path())).filter(name => /making/.test(name))
  let left: RunningCommand | undefined

  /** Reports that it has started, and waits until the test lets it continue. */
  const waits = () =>
    `: > '${repository().beside('begun')}'; until [ -e '${repository().beside('go')}' ]; do sleep 0.02; done`
  const go = () => writeFileSync(repository().beside('go'), '')

  const begun = () => expect.poll(() => existsSync(repository().beside('begun'))).toBe(true)

  /** A filter slows git down while it fills a worktree. */
  beforeEach(() => {
    mkdirSync(dirname(path()), { recursive: true })
    writeFileSync(repository().worktree('.gitignore'), '*\n')
    commit(repository().root, 'a.big')
    commit(repository().root, '.gitattributes', '*.big filter=slow\n')
    const filter = repository().beside('filter')
    writeFileSync(filter, `#!/bin/sh\n${waits()}\ncat\n`, { mode: 0o755 })
    repository().git('config', 'filter.slow.smudge', `'${filter}'`)
  })

  afterEach(async () => {
    left?.stop('SIGKILL')
    await left?.end
    left = undefined
  })

  /** The state that a killed parent leaves: git continues and no process waits for it. */
  async function startAndLeave(isNew = true) {
    const start = async (spec: CommandSpec) => {
      left = await nodeProcesses.start(spec)
      return { ...left, end: new Promise<never>(() => {}) }
    }
    const place = repository().place({ processes: { ...nodeProcesses, start } })
    const newAt = isNew ? headOf(repository().root) : undefined
    await Promise.race([addByGit(place, { path: path(), branch: 'premath/w', newAt }), begun()])
  }

  async function killedAtIt(isNew = true) {
    await startAndLeave(isNew)
    left?.stop('SIGKILL')
    await left?.end
    expect(repository().git('worktree', 'list', '--porcelain')).toContain('locked initializing')
    expect(notes()).toEqual(['.making-w.json'])
    go()
  }

  async function madeWhole() {
    const { worktree, made } = await ensure()
    expect([worktree.path, worktree.isLocked, made]).toEqual([path(), false, true])
    expect(gitIn(path(), 'status', '--porcelain')).toBe('')
    expect(readFileSync(`${path()}/a.big`, 'utf8')).toBe('a.big')
    expect(notes()).toEqual([])
    return worktree
  }

  test('during git is undone, and the worktree is made again', async () => {
    await killedAtIt()
    await madeWhole()
  })

  test('is also undone by the cleanup', async () => {
    await killedAtIt()
    const place = repository().place()
    const half = (await listWorktrees(place)).find(one => one.path === path())
    if (!half) throw new Error('git lists it')
    expect(await removeWorktree(place, half)).toMatchObject({ result: 'removed' })
    expect([existsSync(path()), notes()]).toEqual([false, []])
    expect(repository().git('branch', '--list', 'premath/w')).toBe('')
  })

  test('while git still runs ends git first', async () => {
    await startAndLeave()
    const group = left?.group
    if (!group) throw new Error('it has begun')
    rmSync(repository().beside('filter'))
    await ensure()
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
  const admin = () => `${repository().root}/.git/worktrees/w`

  test('is undone with its new branch, so that the next one begins at the given commit', async () => {
    await killedAtIt()
    const later = commit(repository().root, 'later')
    expect((await madeWhole()).head).toBe(later)
  })

  test('keeps a branch that existed before', async () => {
    repository().git('branch', 'premath/w')
    commit(repository().root, 'later')
    const earlier = repository().git('rev-parse', 'premath/w')
    await killedAtIt(false)
    expect((await madeWhole()).head).toBe(earlier)
  })

  test('keeps a branch that has moved since', async () => {
    await killedAtIt()
    const work = commit(repository().root, 'work')
    repository().git('update-ref', 'refs/heads/premath/w', work)
    repository().git('reset', '--quiet', '--hard', 'HEAD~')
    expect((await madeWhole()).head).toBe(work)
  })

  test('after git had finished keeps the worktree', async () => {
    go()
    const start = async (spec: CommandSpec) => {
      await nodeProcesses.run(spec)
      throw new Error('killed')
    }
    const place = repository().place({ processes: { ...nodeProcesses, start } })
    const newAt = headOf(repository().root)
    const making = addByGit(place, { path: path(), branch: 'premath/w', newAt })
    await expect(making).rejects.toThrow('killed')
    expect(notes()).toHaveLength(1)
    writeFileSync(`${path()}/work.txt`, 'mine')
    expect(await ensure()).toMatchObject({ made: false, worktree: { branch: 'premath/w' } })
    expect(existsSync(`${path()}/work.txt`)).toBe(true)
    expect(notes()).toEqual([])
  })

  /** A hook that git runs after it has filled the worktree. */
  function slowHook() {
    repository().git('config', '--remove-section', 'filter.slow')
    const hook = `#!/bin/sh\n${waits()}\n: > '${repository().beside('hooked')}'\n`
    writeFileSync(`${repository().root}/.git/hooks/post-checkout`, hook, { mode: 0o755 })
  }

  test('in the middle of a hook is undone, so that the hook runs whole', async () => {
    slowHook()
    await startAndLeave()
    const again = repository().placeWithGit(
      `case "$*" in *"worktree add"*) : > '${repository().beside('go')}' ;; esac`,
    )
    expect(await ensureWorktree(again, 'w')).toMatchObject({ made: true })
    expect(existsSync(repository().beside('hooked'))).toBe(true)
  })

  test('in the middle of a hook keeps files that somebody added', async () => {
    slowHook()
    await startAndLeave()
    writeFileSync(`${path()}/work.txt`, 'mine')
    expect(await ensure()).toMatchObject({ made: false })
    expect(existsSync(`${path()}/work.txt`)).toBe(true)
    expect(notes()).toEqual([])
  })

  test('is left alone in a project that was moved since', async () => {
    await killedAtIt()
    writeFileSync(`${path()}/work.txt`, 'mine')
    const root = repository().beside('moved')
    renameSync(repository().root, root)
    const moved = `${root}/.premath/worktrees/w`
    const asked = ensureWorktree(repository().place({ root }), 'w')
    await expect(asked).rejects.toMatchObject({
      message: expect.stringContaining('is not a worktree'),
    })
    expect(existsSync(`${moved}/work.txt`)).toBe(true)
  })

  test('does not remove a repository that was put in its place', async () => {
    await killedAtIt()
    repository().git('worktree', 'remove', '-f', '-f', path())
    repository().git('clone', '--quiet', '--no-checkout', '.', path())
    await expect(ensure()).rejects.toMatchObject({ code: 'conflict' })
    expect(existsSync(`${path()}/.git/HEAD`)).toBe(true)
  })

  test.each(['', '{"id": 4'])('that has no readable note is ignored: %j', async text => {
    go()
    await ensure()
    writeFileSync(join(dirname(path()), `.making-${basename(path())}.json`), text)
    expect((await ensure()).made).toBe(false)
    expect(notes()).toEqual([])
  })

  test('is distinct from a worktree that another process is making, which is awaited', async () => {
    const first = ensure()
    await begun()
    const second = ensure()
    expect(notes()).toHaveLength(1)
    go()
    expect([(await first).made, (await second).made]).toEqual([true, false])
  })

  test('leaves no note if git fails', async () => {
    repository().git('config', 'filter.slow.smudge', 'false')
    repository().git('config', 'filter.slow.required', 'true')
    await expect(ensure()).rejects.toMatchObject({ code: 'unavailable' })
    expect(notes()).toEqual([])
  })
})
