import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aRepository, commit, describeWithGit, gitIn } from '../../../test/a-repository.ts'
import { uncommittedWork } from './uncommitted-work.ts'

describeWithGit('uncommitted work', () => {
  const repository = aRepository()
  const work = (path = repository().root) => uncommittedWork(repository().place(), path)
  const write = (name: string, text = 'changed') =>
    writeFileSync(`${repository().root}/${name}`, text)

  /** Git fails on a conflict, which these tests want. */
  const tryGit = (...args: readonly string[]) =>
    expect(() => repository().git(...args)).toThrow(/conflict|Command failed/i)

  test('is none if every file is committed or ignored', async () => {
    write('.gitignore', '*.log\nbuild/\n')
    repository().git('add', '--all')
    repository().git('commit', '--quiet', '-m', 'ignore')
    mkdirSync(`${repository().root}/build`)
    write('build/out')
    write('a.log')
    expect(await work()).toBeUndefined()
  })

  test.each<[string, () => void, string]>([
    ['a change', () => write('a.txt'), '1 uncommitted change (a.txt)'],
    [
      'a staged change',
      () => {
        write('a.txt')
        repository().git('add', 'a.txt')
      },
      '1 uncommitted change (a.txt)',
    ],
    ['a removal', () => rmSync(`${repository().root}/a.txt`), '1 uncommitted change (a.txt)'],
    [
      'a rename, once',
      () => repository().git('mv', 'a.txt', 'b.txt'),
      '1 uncommitted change (b.txt)',
    ],
    ['a new file', () => write('new file'), '1 uncommitted change (new file)'],
    ['a line break in a name', () => write('a\nb'), '1 uncommitted change ("a\\nb")'],
    [
      'a new folder, once',
      () => {
        mkdirSync(`${repository().root}/new`)
        write('new/one')
        write('new/two')
      },
      '1 uncommitted change (new/)',
    ],
    [
      'new files that are hidden from view',
      () => {
        repository().git('config', 'status.showUntrackedFiles', 'no')
        write('new')
      },
      '1 uncommitted change (new)',
    ],
    [
      'the first few of many',
      () => {
        for (const name of ['b', 'c', 'd', 'e']) write(name)
      },
      '4 uncommitted changes (b, c, d and 1 more)',
    ],
  ])('is reported: %s', async (_, change, words) => {
    change()
    expect(await work()).toBe(words)
  })

  describe('includes an unfinished git operation:', () => {
    const branchOff = () => {
      repository().git('switch', '--quiet', '-c', 'other')
      commit(repository().root, 'a.txt', 'theirs')
      repository().git('switch', '--quiet', 'main')
      commit(repository().root, 'a.txt', 'ours')
    }

    test.each(['merge', 'rebase', 'cherry-pick'])('a %s', async verb => {
      branchOff()
      tryGit(verb, 'other')
      expect(await work()).toBe(`an unfinished ${verb} and 1 uncommitted change (a.txt)`)
    })

    test('a revert', async () => {
      branchOff()
      tryGit('revert', '--no-edit', 'HEAD~1')
      expect(await work()).toContain('an unfinished revert')
    })

    test('a merge, or a bisect, that changed no file', async () => {
      repository().git('switch', '--quiet', '-c', 'other')
      repository().git('commit', '--quiet', '--allow-empty', '-m', 'empty')
      repository().git('switch', '--quiet', 'main')
      repository().git('merge', '--quiet', '--no-commit', '--no-ff', 'other')
      expect(await work()).toBe('an unfinished merge')
      repository().git('merge', '--abort')
      expect(await work()).toBeUndefined()
      repository().git('bisect', 'start')
      expect(await work()).toBe('an unfinished bisect')
    })

    test('in a linked worktree with a relative path', async () => {
      branchOff()
      const linked = repository().beside('linked')
      repository().git('worktree', 'add', '--quiet', linked, 'other')
      expect(() => gitIn(linked, 'rebase', 'main')).toThrow()
      const own = gitIn(linked, 'rev-parse', '--absolute-git-dir').trim()
      writeFileSync(`${linked}/.git`, `gitdir: ${relative(linked, own)}\n`)
      expect(await work(linked)).toContain('an unfinished rebase')
    })

    test('in a linked worktree, and in no other', async () => {
      branchOff()
      const linked = repository().beside('linked')
      repository().git('worktree', 'add', '--quiet', linked, 'other')
      expect(() => gitIn(linked, 'rebase', 'main')).toThrow()
      expect(await work(linked)).toContain('an unfinished rebase')
      expect(await work()).toBeUndefined()
    })
  })

  test('is searched in one worktree, not in the surrounding one', async () => {
    const inside = `${repository().root}/inside`
    repository().git('worktree', 'add', '--quiet', '--detach', inside)
    writeFileSync(`${inside}/new`, '')
    expect(await work(inside)).toBe('1 uncommitted change (new)')
    const link = readFileSync(`${inside}/.git`, 'utf8')
    writeFileSync(`${inside}/.git`, link.replace('\n', '\r\n'))
    expect(await work(inside)).toBe('1 uncommitted change (new)')
    writeFileSync(`${inside}/.git`, 'no such thing')
    await expect(work(inside)).rejects.toMatchObject({ code: 'unavailable' })
    renameSync(`${inside}/.git`, `${inside}/.lost`)
    mkdirSync(`${inside}/.git`)
    await expect(work(inside)).rejects.toMatchObject({ code: 'unavailable' })
    rmSync(`${inside}/.git`, { recursive: true })
    await expect(work(inside)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('is not the top folder of a worktree'),
      hint: expect.stringContaining('git worktree repair'),
    })
  })

  test('is found through a link, too', async () => {
    write('a.txt')
    symlinkSync(repository().root, repository().beside('link'))
    expect(await work(repository().beside('link'))).toBe('1 uncommitted change (a.txt)')
  })

  test('may be longer than the list', async () => {
    const name = 'n'.repeat(200)
    for (let number = 0; number < 5_300; number++) write(`${name}${number}`, '')
    expect(await work()).toBe('more uncommitted changes than can be listed')
  })
})
