import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { aRepository, commit, describeWithGit, gitIn } from '../../../test/a-repository.ts'
import { openRunWorktree } from '../landing/run-worktrees.ts'
import { removeWorktree, whyKept } from './remove-worktree.ts'
import { listWorktrees } from './worktrees.ts'

describeWithGit('the worktree of a worker', () => {
  const repository = aRepository()
  /** As an earlier version of premath made it. */
  const made = (worker = 'w') => {
    const path = repository().worktree(worker)
    repository().git('worktree', 'add', '--quiet', '-b', `premath/${worker}`, path)
    return path
  }
  const remove = (path: string) => removeWorktree(repository().place(), path)
  const branches = () =>
    repository().git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n')
  test('is removed if it has no work, and its branch stays', async () => {
    const path = made()
    writeFileSync(`${repository().root}/.git/info/exclude`, 'build/\n')
    mkdirSync(`${path}/build`)
    writeFileSync(`${path}/build/out`, '')
    const work = commit(path, 'work')
    expect(await remove(path)).toBe(undefined)
    expect(existsSync(path)).toBe(false)
    expect(repository().git('rev-parse', 'premath/w')).toBe(work)
    expect(await listWorktrees(repository().place())).toHaveLength(1)
    expect(await remove(path)).toBe(undefined)
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
    const path = made()
    change(path)
    const before = readdirSync(path)
    expect(await whyKept(repository().place(), path)).toContain(why)
    expect(await remove(path)).toContain(why)
    expect(readdirSync(path)).toEqual(before)
    expect(branches()).toContain('premath/w')
  })

  test('is removed if a sparse checkout left files out', async () => {
    commit(repository().root, 'b.txt', 'b')
    const path = made()
    gitIn(path, 'sparse-checkout', 'set', '--no-cone', '/b.txt')
    expect(existsSync(`${path}/a.txt`)).toBe(false)
    expect(await remove(path)).toBe(undefined)
  })

  test('is kept for a commit on no branch, until a branch has it', async () => {
    const path = made()
    gitIn(path, 'switch', '--quiet', '--detach')
    const lost = commit(path, 'lost')
    expect(await remove(path)).toContain(lost)
    repository().git('branch', 'found', lost)
    expect(await remove(path)).toBe(undefined)
    expect(branches()).toContain('found')
  })

  test('is kept for changes in a submodule', async () => {
    repository().git('clone', '--quiet', '.', repository().beside('part'))
    const allowed = ['-c', 'protocol.file.allow=always']
    repository().git(...allowed, 'submodule', '--quiet', 'add', repository().beside('part'), 'mod')
    repository().git('commit', '--quiet', '-m', 'mod')
    const path = made()
    gitIn(path, ...allowed, 'submodule', '--quiet', 'update', '--init')
    expect(await remove(path)).toContain('git refused: ')
    expect(existsSync(`${path}/mod/a.txt`)).toBe(true)
    writeFileSync(`${path}/mod/new`, '')
    expect(await remove(path)).toContain('1 uncommitted change (mod)')
  })

  test('that vanished is unregistered, and its branch kept', async () => {
    const path = made()
    commit(path, 'work')
    rmSync(`${repository().root}/.premath`, { recursive: true })
    expect(await remove(path)).toBe(undefined)
    expect(await listWorktrees(repository().place())).toHaveLength(1)
    expect(branches()).toContain('premath/w')
    const other = made('x')
    gitIn(other, 'switch', '--quiet', '--detach')
    const lost = commit(other, 'lost')
    rmSync(other, { recursive: true })
    expect(await remove(other)).toContain(lost)
  })

  test('that git no longer knows is kept', async () => {
    const path = made()
    rmSync(`${path}/.git`)
    expect(await remove(path)).toContain('does not list it')
    repository().git('worktree', 'prune')
    expect(await remove(path)).toContain('does not list it')
    expect(readdirSync(path)).toEqual(['a.txt'])
  })

  test('that git removes only partly is reported as a fault', async () => {
    const path = made()
    const place = repository().placeWithGit(
      'case "$*" in *"worktree remove"*)',
      '  real "$@"; echo "error: failed to delete: not empty" >&2; exit 255 ;;',
      'esac',
    )
    await expect(removeWorktree(place, path)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('removed only in part: failed to delete: not empty'),
      hint: expect.stringContaining('Remove the rest of the folder'),
    })
    expect(branches()).toContain('premath/w')
  })
})

describeWithGit('an interrupted removal', () => {
  const repository = aRepository()
  const open = async () => {
    const at = repository().git('rev-parse', 'HEAD')
    const place = await repository().landingPlace()
    return (await openRunWorktree(place, { name: 'w', commit: at, copyFiles: [] })).worktree.path
  }
  /** Git removes the mark with the worktree, and a worktree that is created again has none. */
  const markFile = () => `${repository().root}/.git/worktrees/w/mark`
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
    const path = await open()
    writeFileSync(markFile(), '')
    return path
  }

  test.each([
    ['some files', (path: string) => rmSync(`${path}/a.txt`)],
    ['that it is a worktree', (path: string) => rmSync(`${path}/.git`)],
    ['all of it', (path: string) => rmSync(path, { recursive: true })],
  ])('that took %s is finished before a new worktree is made', async (_, take) => {
    const path = await made()
    const isAlive = await cutOff(path, () => take(path))
    expect(await open()).toBe(path)
    expect(existsSync(markFile())).toBe(false)
    expect(await isAlive()).toBe(false)
    expect(gitIn(path, 'status', '--porcelain')).toBe('')
    expect(notes(path)).toEqual([])
    writeFileSync(`${path}/new.txt`, 'kept')
    expect(existsSync(`${path}/new.txt`)).toBe(true)
  })

  test('that took nothing yet, or was followed by new work, is undone', async () => {
    const path = await made()
    await cutOff(path, () => {})
    await open()
    expect(existsSync(markFile())).toBe(true)
    await cutOff(path, () => rmSync(`${path}/a.txt`))
    writeFileSync(`${path}/work.txt`, 'mine')
    expect(await removeWorktree(repository().place(), path)).toContain('2 uncommitted changes')
    expect(existsSync(`${path}/work.txt`)).toBe(true)
    expect(notes(path)).toEqual([])
  })

  test.each(['', '{"id": 4'])('that has no readable note is ignored: %j', async text => {
    const path = await made()
    writeFileSync(join(dirname(path), `.removing-${basename(path)}.json`), text)
    await open()
    expect([existsSync(markFile()), notes(path)]).toEqual([true, []])
  })

  test('is finished by the next removal', async () => {
    const path = await made()
    const isAlive = await cutOff(path, () => rmSync(`${path}/a.txt`))
    expect(await removeWorktree(repository().place(), path)).toBe(undefined)
    expect(await isAlive()).toBe(false)
    expect([existsSync(path), notes(path)]).toEqual([false, []])
  })
})
