import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aRepository, commit, describeWithGit, gitIn } from '../../../test/a-repository.ts'
import { openLanding } from './landing-git.ts'
import { openTarget, targetNotes } from './target.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const clock = { now: () => 0n, steady: () => 0n, sleep: async () => {} }

describeWithGit('a run starts with a note', () => {
  const repository = aRepository()
  const notes = async (onto?: string) => {
    const place = await openLanding({ ...repository().place(), sha256, clock }, { hooks: false })
    return await targetNotes(place, await openTarget(place, onto))
  }

  /** Another clone, which `main` follows. */
  function upstream(): string {
    const other = repository().beside('other')
    gitIn(repository().folder, 'clone', '--quiet', repository().root, other)
    repository().git('remote', 'add', 'origin', other)
    repository().git('fetch', '--quiet', 'origin')
    repository().git('branch', '--quiet', '--set-upstream-to=origin/main', 'main')
    return other
  }

  test('never, if nothing is unusual', async () => {
    expect(await notes()).toEqual([])
  })

  test('when the known upstream of the target is ahead', async () => {
    const { git, root } = repository()
    const other = upstream()
    expect(await notes()).toEqual([])
    commit(root, 'mine.txt')
    expect(await notes()).toEqual([])
    commit(other, 'b.txt')
    commit(other, 'c.txt')
    // Nothing is fetched by a run.
    expect(await notes()).toEqual([])
    git('fetch', '--quiet', 'origin')
    expect(await notes()).toEqual([
      expect.stringContaining('origin/main has 2 commits that main lacks'),
    ])
    git('branch', '--quiet', '--no-track', 'elsewhere', 'main')
    expect(await notes('elsewhere')).toEqual([])
    git('update-ref', '-d', 'refs/remotes/origin/main')
    expect(await notes()).toEqual([])
  })

  test('when the main worktree uses sparse checkout', async () => {
    const { git, root } = repository()
    mkdirSync(join(root, 'lib'))
    commit(root, 'lib/b.txt')
    git('sparse-checkout', 'set', 'lib')
    expect(await notes()).toEqual([expect.stringContaining('uses sparse checkout')])
    git('sparse-checkout', 'disable')
    expect(await notes()).toEqual([])
  })
})
