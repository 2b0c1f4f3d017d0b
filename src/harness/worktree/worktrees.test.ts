import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { aRepository, commit, describeWithGit, gitEnv, gitIn } from '../../../test/a-repository.ts'
import { listWorktrees, namedWorktree } from './worktrees.ts'

const anything = {
  head: expect.stringMatching(/^[0-9a-f]{40}$/),
  isMain: false,
  isPrunable: false,
  isLocked: false,
  lockReason: '',
}

describeWithGit('the worktrees of a repository', () => {
  const repository = aRepository()
  const listed = (root = repository().root) => listWorktrees(repository().place({ root }))
  const added = (name: string, ...more: readonly string[]) => {
    const path = repository().beside(name)
    repository().git('worktree', 'add', '--quiet', ...more, path)
    return path
  }

  test('are listed by path, each with its state in git', async () => {
    const plain = added('w 1', '-b', 'premath/worker.1')
    const detached = added('a\nline break', '--detach')
    const locked = added('locked', '-b', 'l')
    const gone = added('gone', '-b', 'g')
    repository().git('worktree', 'lock', '--reason', 'on a\nstick', locked)
    rmSync(gone, { recursive: true })
    const reason = 'on a\nstick'
    const { root } = repository()
    const all = [
      { ...anything, path: detached, branch: undefined },
      { ...anything, path: gone, branch: 'g', isPrunable: true },
      { ...anything, path: locked, branch: 'l', isLocked: true, lockReason: reason },
      { ...anything, path: root, branch: 'main', isMain: true },
      { ...anything, path: plain, branch: 'premath/worker.1' },
    ]
    expect(await listed()).toEqual(all)
    expect(await listed(plain)).toEqual(all)
    mkdirSync(`${root}/sub/deep`, { recursive: true })
    expect(await listed(`${root}/sub/deep`)).toEqual(all)
  })

  test('are listed again while one of them is incomplete', async () => {
    added('w', '-b', 'w')
    const common = `${repository().root}/.git/worktrees/w/commondir`
    const kept = repository().beside('kept')
    renameSync(common, kept)
    writeFileSync(common, '')
    const asked = repository().beside('asked')
    const place = repository().placeWithGit(
      `echo >> '${asked}'`,
      `[ "$(wc -l < '${asked}')" -ne 3 ] || cp '${kept}' '${common}'`,
    )
    expect(await listWorktrees(place)).toHaveLength(2)
    writeFileSync(common, '')
    await expect(listWorktrees(place)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('commondir'),
    })
  })

  test('have real paths, through whichever link the project is reached', async () => {
    const link = repository().beside('link')
    symlinkSync(repository().root, link)
    const env = { ...gitEnv, PWD: link }
    const [main] = await listWorktrees(repository().place({ root: link, env }))
    expect(main).toMatchObject({ path: repository().root, isMain: true })
  })

  test('are at no commit before the first one', async () => {
    const root = repository().beside('new')
    repository().git('init', '--quiet', '--initial-branch=main', root)
    expect(await listed(root)).toEqual([
      { ...anything, path: root, branch: 'main', head: undefined, isMain: true },
    ])
  })

  test('do not include a bare repository', async () => {
    const bare = repository().beside('bare.git')
    repository().git('clone', '--quiet', '--bare', '.', bare)
    expect(await listed(bare)).toEqual([])
    gitIn(bare, 'worktree', 'add', '--quiet', '-b', 'w', '../of bare')
    expect(await listed(bare)).toEqual([
      { ...anything, path: repository().beside('of bare'), branch: 'w' },
    ])
  })

  test('include the main one by its own path, not by that of its repository', async () => {
    const root = repository().beside('apart')
    const repo = repository().beside('repo.git')
    repository().git('init', '--quiet', '--initial-branch=main', '--separate-git-dir', repo, root)
    commit(root, 'a')
    expect(await listed(root)).toMatchObject([{ path: root, isMain: true }])
    expect(await namedWorktree(repository().place({ root }), root)).toMatchObject({ path: root })
  })

  test('cannot be listed without a repository', async () => {
    await expect(listed(repository().folder)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('is not in a git repository'),
    })
  })

  /** A git without `-z`, like the real versions of that time. */
  const older = (version: string) =>
    repository().placeWithGit(
      'for one; do [ "$one" = -z ] && exit 129; done',
      `for one; do [ "$one" = version ] && { echo 'git version ${version}'; exit; }; done`,
    )

  test('are listed by an older git too', async () => {
    const path = added('w 1', '-b', 'w')
    const gone = added('gone', '-b', 'g')
    repository().git('worktree', 'lock', path)
    rmSync(gone, { recursive: true })
    expect(await listWorktrees(older('2.34.1'))).toEqual(await listed())
  })

  test.each(['2.30.2', '1.8.3.1', '2.5.0 (Apple Git-9)'])(
    'are not listed by git %s, which does not report missing worktrees',
    async version => {
      await expect(listWorktrees(older(version))).rejects.toMatchObject({
        code: 'unavailable',
        message: `git version ${version} is too old for worktrees`,
        hint: expect.stringContaining('2.31'),
      })
    },
  )
})

describeWithGit('a named worktree', () => {
  const repository = aRepository()
  const named = (path: string) => namedWorktree(repository().place(), path)
  const refused = async (path: string, what: string, next: string) =>
    await expect(named(path)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(what),
      hint: expect.stringContaining(next),
    })
  const added = (name: string) => {
    const path = repository().beside(name)
    repository().git('worktree', 'add', '--quiet', '--detach', path)
    return path
  }

  test('is returned by its real path', async () => {
    const { root } = repository()
    const path = added('with a\nline break')
    symlinkSync(path, repository().beside('link'))
    expect(await named(path)).toMatchObject({ path, isMain: false })
    expect(await named(`${path}/`)).toMatchObject({ path })
    expect(await named(`${path}/../link`)).toMatchObject({ path })
    expect(await named(repository().beside('link'))).toMatchObject({ path })
    expect(await named(root)).toMatchObject({ path: root, isMain: true })
  })

  test('is a folder', async () => {
    await refused(repository().beside('none'), 'is not a folder', 'git worktree list')
    await refused(`${repository().root}/a.txt`, 'is not a folder', 'git worktree list')
  })

  test('is its top, not a folder in it', async () => {
    const path = added('w')
    mkdirSync(`${path}/src/deep`, { recursive: true })
    await refused(`${path}/src/deep`, 'is inside a worktree', `Pass the top folder: ${path}`)
    await refused(`${repository().root}/.git`, 'is not a worktree', 'git worktree add')
  })

  test('is of this repository', async () => {
    const other = repository().beside('other')
    mkdirSync(`${other}/src`, { recursive: true })
    await refused(other, 'is not a worktree: not a git repository', 'git worktree add')
    gitIn(other, 'init', '--quiet')
    await refused(other, 'belongs to another repository', repository().root)
    await refused(`${other}/src`, 'belongs to another repository', repository().root)
  })

  test('is where git looks for it', async () => {
    const path = added('w')
    const moved = repository().beside('moved')
    renameSync(path, moved)
    await refused(moved, 'was moved', `git worktree repair '${moved}'`)
    repository().git('worktree', 'repair', moved)
    expect(await named(moved)).toMatchObject({ path: moved })
    rmSync(`${moved}/.git`)
    await refused(moved, 'has no .git file', 'git worktree repair')
    repository().git('worktree', 'repair')
    expect(await named(moved)).toMatchObject({ path: moved })
  })

  test('may be the main one of a submodule', async () => {
    const { root } = repository()
    const part = repository().beside('part')
    repository().git('clone', '--quiet', '.', part)
    const allowed = ['-c', 'protocol.file.allow=always']
    repository().git(...allowed, 'submodule', '--quiet', 'add', '../part', 'mod')
    const place = repository().place({ root: `${root}/mod` })
    expect(await namedWorktree(place, `${root}/mod`)).toMatchObject({ isMain: true })
    await refused(`${root}/mod`, 'belongs to another repository', root)
  })
})
