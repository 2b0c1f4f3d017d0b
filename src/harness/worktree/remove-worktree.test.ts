import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { aRepository, commit, describeWithGit, gitIn } from '../../../test/a-repository.ts'
import { ensureWorktree } from './ensure-worktree.ts'
import { removeWorktree } from './remove-worktree.ts'
import { listWorktrees, namedWorktree, type Worktree } from './worktrees.ts'

describeWithGit('the worktree of a worker', () => {
  const repository = aRepository()
  const made = async (worker = 'w') => (await ensureWorktree(repository().place(), worker)).worktree
  const remove = (worktree: Worktree) => removeWorktree(repository().place(), worktree)
  const branches = () =>
    repository().git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n')
  const kept = (why: string, branchKept: string | undefined) => ({
    result: 'kept',
    why: expect.stringContaining(why),
    branchKept,
  })

  test('is removed with its branch if it has no work', async () => {
    const worktree = await made()
    writeFileSync(`${repository().root}/.git/info/exclude`, 'build/\n')
    mkdirSync(`${worktree.path}/build`)
    writeFileSync(`${worktree.path}/build/out`, '')
    commit(repository().root, 'b')
    expect(await remove(worktree)).toEqual({
      result: 'removed',
      why: undefined,
      branchKept: undefined,
    })
    expect(existsSync(worktree.path)).toBe(false)
    expect(branches()).toEqual(['main'])
    expect(await listWorktrees(repository().place())).toHaveLength(1)
  })

  test('keeps its branch if that has unique commits', async () => {
    const worktree = await made()
    commit(worktree.path, 'one')
    const work = commit(worktree.path, 'two')
    expect(await remove(worktree)).toEqual({
      result: 'removed',
      why: 'premath/w has 2 commits that no other branch has',
      branchKept: 'premath/w',
    })
    expect(existsSync(worktree.path)).toBe(false)
    expect(repository().git('rev-parse', 'premath/w')).toBe(work)
    const again = await made()
    expect(again.head).toBe(work)
    repository().git('merge', '--quiet', 'premath/w')
    expect(await remove(again)).toMatchObject({ result: 'removed', branchKept: undefined })
    expect(branches()).toEqual(['main'])
  })

  test('is removed with its branch if a remote has all of it', async () => {
    const remote = repository().beside('remote.git')
    repository().git('clone', '--quiet', '--bare', '.', remote)
    repository().git('remote', 'add', 'origin', remote)
    const worktree = await made()
    const work = commit(worktree.path, 'work')
    gitIn(worktree.path, 'push', '--quiet', 'origin', 'premath/w')
    expect(await remove(worktree)).toMatchObject({ result: 'removed', branchKept: undefined })
    expect(repository().git('rev-parse', 'origin/premath/w')).toBe(work)
  })

  test('is removed with its branch if the main worktree is detached', async () => {
    repository().git('switch', '--quiet', '--detach')
    commit(repository().root, 'on no branch')
    const worktree = await made()
    expect(await remove(worktree)).toMatchObject({ result: 'removed', branchKept: undefined })
    expect(branches()).toEqual(['main'])
  })

  test.each<[string, (path: string) => void, string]>([
    ['a change', path => writeFileSync(`${path}/a.txt`, 'x'), '1 uncommitted change (a.txt)'],
    [
      'a staged change',
      path => {
        writeFileSync(`${path}/b`, '')
        gitIn(path, 'add', 'b')
      },
      '1 uncommitted change (b)',
    ],
    ['a new file', path => writeFileSync(`${path}/b`, ''), '1 uncommitted change (b)'],
    [
      'a new file that git was told not to show',
      path => {
        gitIn(path, 'config', 'status.showUntrackedFiles', 'no')
        writeFileSync(`${path}/b`, '')
      },
      '1 uncommitted change (b)',
    ],
    ['a bisect that is under way', path => gitIn(path, 'bisect', 'start'), 'unfinished bisect'],
    [
      'a lock',
      path => gitIn(path, 'worktree', 'lock', '--reason', 'mine', path),
      'it is locked: mine',
    ],
    ['a lock without a reason', path => gitIn(path, 'worktree', 'lock', path), 'it is locked'],
  ])('is kept for %s', async (_, change, why) => {
    const worktree = await made()
    change(worktree.path)
    const before = readdirSync(worktree.path)
    expect(await remove(worktree)).toEqual(kept(why, 'premath/w'))
    expect(readdirSync(worktree.path)).toEqual(before)
    expect(branches()).toContain('premath/w')
  })

  test('is removed if a sparse checkout left files out', async () => {
    commit(repository().root, 'b.txt', 'b')
    const worktree = await made()
    gitIn(worktree.path, 'sparse-checkout', 'set', '--no-cone', '/b.txt')
    expect(existsSync(`${worktree.path}/a.txt`)).toBe(false)
    expect(await remove(worktree)).toMatchObject({ result: 'removed' })
  })

  test('is kept for a commit on no branch, until a branch has it', async () => {
    const worktree = await made()
    gitIn(worktree.path, 'switch', '--quiet', '--detach')
    const lost = commit(worktree.path, 'lost')
    expect(await remove(worktree)).toEqual(kept(lost, undefined))
    repository().git('branch', 'found', lost)
    expect(await remove(worktree)).toMatchObject({ result: 'removed' })
    expect(branches()).toContain('found')
  })

  test('is kept for changes in a submodule', async () => {
    repository().git('clone', '--quiet', '.', repository().beside('part'))
    const allowed = ['-c', 'protocol.file.allow=always']
    repository().git(...allowed, 'submodule', '--quiet', 'add', repository().beside('part'), 'mod')
    repository().git('commit', '--quiet', '-m', 'mod')
    const worktree = await made()
    gitIn(worktree.path, ...allowed, 'submodule', '--quiet', 'update', '--init')
    expect(await remove(worktree)).toEqual(kept('git refused: ', 'premath/w'))
    expect(existsSync(`${worktree.path}/mod/a.txt`)).toBe(true)
    writeFileSync(`${worktree.path}/mod/new`, '')
    expect(await remove(worktree)).toEqual(kept('1 uncommitted change (mod)', 'premath/w'))
  })

  test('keeps a branch that somebody else made', async () => {
    const worktree = await made()
    gitIn(worktree.path, 'switch', '--quiet', '-c', 'theirs')
    expect(await remove(worktree)).toEqual({
      result: 'removed',
      why: undefined,
      branchKept: 'theirs',
    })
    expect(branches()).toContain('theirs')
  })

  test('keeps a branch that is also checked out elsewhere', async () => {
    const worktree = await made()
    const elsewhere = repository().beside('elsewhere')
    repository().git('worktree', 'add', '--quiet', '--force', elsewhere, 'premath/w')
    expect(await remove(worktree)).toEqual({
      result: 'removed',
      why: `premath/w is also checked out at ${elsewhere}`,
      branchKept: 'premath/w',
    })
    expect(gitIn(elsewhere, 'branch', '--show-current')).toBe('premath/w')
  })

  test('is judged by its current state', async () => {
    const worktree = await made()
    const work = commit(worktree.path, 'work')
    expect(await remove({ ...worktree, isLocked: true })).toMatchObject({
      result: 'removed',
      branchKept: 'premath/w',
    })
    expect(repository().git('rev-parse', 'premath/w')).toBe(work)
    expect(await remove(worktree)).toEqual({
      result: 'removed',
      why: undefined,
      branchKept: undefined,
    })
    expect(branches()).toContain('premath/w')
  })

  test('that vanished is unregistered, and its branch kept', async () => {
    const worktree = await made()
    commit(worktree.path, 'work')
    rmSync(`${repository().root}/.premath`, { recursive: true })
    expect(await remove(worktree)).toMatchObject({ result: 'removed', branchKept: 'premath/w' })
    expect(await listWorktrees(repository().place())).toHaveLength(1)
    const other = await made('x')
    gitIn(other.path, 'switch', '--quiet', '--detach')
    const lost = commit(other.path, 'lost')
    rmSync(other.path, { recursive: true })
    expect(await remove(other)).toEqual(kept(lost, undefined))
  })

  test('that git no longer knows is kept', async () => {
    const worktree = await made()
    rmSync(`${worktree.path}/.git`)
    expect(await remove(worktree)).toEqual(kept('does not list it', undefined))
    repository().git('worktree', 'prune')
    expect(await remove(worktree)).toEqual(kept('does not list it', undefined))
    expect(readdirSync(worktree.path)).toEqual(['a.txt'])
  })

  test('that git removes only partly is reported as a fault', async () => {
    const worktree = await made()
    const place = repository().placeWithGit(
      'case "$*" in *"worktree remove"*)',
      '  real "$@"; echo "error: failed to delete: not empty" >&2; exit 255 ;;',
      'esac',
    )
    await expect(removeWorktree(place, worktree)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('removed only in part: failed to delete: not empty'),
      hint: expect.stringContaining('Remove the rest of the folder'),
    })
    expect(branches()).toContain('premath/w')
  })

  test('keeps a branch that moves meanwhile', async () => {
    const worktree = await made()
    const later = commit(repository().root, 'later')
    const place = repository().placeWithGit(
      'case "$*" in *"update-ref -d"*)',
      `  real branch --quiet --force premath/w ${later} ;;`,
      'esac',
    )
    expect(await removeWorktree(place, worktree)).toEqual({
      result: 'removed',
      why: expect.stringContaining('git kept premath/w: '),
      branchKept: 'premath/w',
    })
    expect(repository().git('rev-parse', 'premath/w')).toBe(later)
  })

  test('is the only one that is removed', async () => {
    const { root } = repository()
    const path = repository().beside('theirs')
    repository().git('worktree', 'add', '--quiet', '-b', 'premath/theirs', path)
    const theirs = await namedWorktree(repository().place(), path)
    expect(await remove(theirs)).toEqual(kept('did not create it for a worker', 'premath/theirs'))
    const main = await namedWorktree(repository().place(), root)
    expect(await remove(main)).toEqual(kept('did not create it for a worker', 'main'))
    expect(existsSync(path)).toBe(true)
  })
})

describeWithGit('an interrupted removal', () => {
  const repository = aRepository()
  const ensure = () => ensureWorktree(repository().place(), 'w')
  const notes = (path: string) => readdirSync(dirname(path)).filter(name => /removing/.test(name))

  /** The state that git leaves when its parent is killed part-way. */
  async function cutOff(path: string, soFar: () => void): Promise<() => Promise<boolean>> {
    const note = join(dirname(path), `.removing-${basename(path)}.json`)
    const { processes, root, env } = repository().place()
    let isAlive = async () => true
    await processes.start({
      command: 'while :; do rm -f "$NEW"; sleep 0.01; done',
      cwd: root,
      env: { ...env, NEW: `${path}/new.txt` },
      timeoutMs: 60_000,
      outputBytesMax: 0,
      async beforeRun(group) {
        isAlive = () => processes.groupAlive(group)
        writeFileSync(note, `${JSON.stringify(group)}\n`)
      },
    })
    soFar()
    return isAlive
  }

  async function made() {
    commit(repository().root, 'b.txt')
    return (await ensure()).worktree.path
  }

  test.each([
    ['some files', (path: string) => rmSync(`${path}/a.txt`)],
    ['that it is a worktree', (path: string) => rmSync(`${path}/.git`)],
    ['all of it', (path: string) => rmSync(path, { recursive: true })],
  ])('that took %s is finished before a new worktree is made', async (_, take) => {
    const path = await made()
    const isAlive = await cutOff(path, () => take(path))
    const { worktree, made: isNew } = await ensure()
    expect([worktree.path, isNew]).toEqual([path, true])
    expect(await isAlive()).toBe(false)
    expect(gitIn(path, 'status', '--porcelain')).toBe('')
    expect(notes(path)).toEqual([])
    writeFileSync(`${path}/new.txt`, 'kept')
    expect(existsSync(`${path}/new.txt`)).toBe(true)
  })

  test('that took nothing yet, or was followed by new work, is undone', async () => {
    const path = await made()
    await cutOff(path, () => {})
    expect((await ensure()).made).toBe(false)
    await cutOff(path, () => rmSync(`${path}/a.txt`))
    writeFileSync(`${path}/work.txt`, 'mine')
    expect((await ensure()).made).toBe(false)
    expect(existsSync(`${path}/work.txt`)).toBe(true)
    expect(notes(path)).toEqual([])
  })

  test.each(['', '{"id": 4'])('that has no readable note is ignored: %j', async text => {
    const path = await made()
    writeFileSync(join(dirname(path), `.removing-${basename(path)}.json`), text)
    expect((await ensure()).made).toBe(false)
    expect(notes(path)).toEqual([])
  })

  test('is finished by the next removal', async () => {
    const path = await made()
    const { worktree } = await ensure()
    const isAlive = await cutOff(path, () => rmSync(`${path}/a.txt`))
    expect(await removeWorktree(repository().place(), worktree)).toMatchObject({
      result: 'removed',
    })
    expect(await isAlive()).toBe(false)
    expect([existsSync(path), notes(path)]).toEqual([false, []])
  })
})
