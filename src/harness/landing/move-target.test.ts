import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aRepository, commit, describeWithGit, gitIn } from '../../../test/a-repository.ts'
import type { GitPlace } from '../worktree/git.ts'
import { openLanding } from './landing-git.ts'
import { moveTarget, settleFollowers } from './move-target.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const clock = {
  now: () => process.hrtime.bigint(),
  steady: () => process.hrtime.bigint(),
  sleep: (ms: number) => new Promise<void>(settle => setTimeout(settle, ms)),
}

describeWithGit('the target and whoever has it checked out', () => {
  const repository = aRepository()
  const target = { branch: 'main', ref: 'refs/heads/main' }
  const at = (path: string) => join(repository().root, path)
  const read = (path: string) => readFileSync(at(path), 'utf8')
  const status = () => repository().git('status', '--porcelain', '--ignored')
  const head = (name = 'main') => repository().git('rev-parse', name)
  const openPlace = async (place: GitPlace = repository().place(), hooks = false) => {
    const opened = await openLanding({ ...place, sha256, clock }, { hooks })
    mkdirSync(`${opened.commonFolder}/premath`, { recursive: true })
    return opened
  }

  /** A commit on top of main that is on no branch, made in another worktree. */
  function candidate(change: (folder: string) => void): { base: string; commit: string } {
    const { git } = repository()
    const folder = repository().beside('elsewhere')
    git('worktree', 'add', '--quiet', '--detach', folder, 'main')
    change(folder)
    gitIn(folder, 'add', '--all', '--force')
    gitIn(folder, 'commit', '--quiet', '-m', 'the work')
    const made = gitIn(folder, 'rev-parse', 'HEAD')
    git('update-ref', 'refs/premath/candidates/x', made)
    git('worktree', 'remove', '--force', folder)
    return { base: head(), commit: made }
  }

  const write = (path: string, text: string) => (folder: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }

  const moves = async (made: { base: string; commit: string }, hooks = false) =>
    await moveTarget(await openPlace(repository().place(), hooks), { target, ...made })

  test('move together, and nothing is left behind', async () => {
    const made = candidate(folder => {
      write('a.txt', 'second')(folder)
      write('new/b.txt', 'b')(folder)
    })
    expect(await moves(made)).toEqual({ how: 'moved' })
    expect(head()).toBe(made.commit)
    expect([read('a.txt'), read('new/b.txt'), status()]).toEqual(['second', 'b', ''])
    expect(existsSync(at('.git/index.lock'))).toBe(false)
    expect(existsSync(at('.git/premath-index'))).toBe(false)
    expect(existsSync(at('.git/premath/landing.json'))).toBe(false)
  })

  test('a commit that is there already has landed', async () => {
    const made = candidate(write('b.txt', 'b'))
    await moves(made)
    commit(repository().root, 'c.txt')
    expect(await moves(made)).toEqual({ how: 'moved' })
  })

  test('edits of the person to other files stay, staged or not', async () => {
    commit(repository().root, 'mine.txt')
    commit(repository().root, 'staged.txt')
    const made = candidate(write('a.txt', 'second'))
    writeFileSync(at('mine.txt'), 'edited')
    writeFileSync(at('staged.txt'), 'edited')
    writeFileSync(at('untracked.txt'), 'new')
    repository().git('add', 'staged.txt')
    expect(await moves(made)).toEqual({ how: 'moved' })
    expect(status().split('\n')).toEqual([' M mine.txt', 'M  staged.txt', '?? untracked.txt'])
    expect([read('mine.txt'), read('staged.txt')]).toEqual(['edited', 'edited'])
  })

  test.each([
    ['an edit of the same file', 'a.txt', 'a.txt', (path: string) => writeFileSync(path, 'mine')],
    [
      'a staged edit of the same file',
      'a.txt',
      'a.txt',
      (path: string) => {
        writeFileSync(path, 'mine')
        repository().git('add', 'a.txt')
      },
    ],
    ['an ignored file', '.env', '.env', (path: string) => writeFileSync(path, 'SECRET')],
    [
      'a file in an ignored folder',
      'build/out.js',
      'build/out.js',
      (path: string) => {
        mkdirSync(join(path, '..'))
        writeFileSync(path, 'mine')
      },
    ],
    ['a file where a folder is to be', 'dir/a.txt', 'dir', () => writeFileSync(at('dir'), 'mine')],
    ['a link', 'link.txt', 'link.txt', (path: string) => symlinkSync('/nowhere', path)],
  ])('%s is in the way: nothing changes', async (_what, added, named, make) => {
    commit(repository().root, '.gitignore', '.env\nbuild/\n')
    const made = candidate(write(added, 'of the commit'))
    make(at(added))
    const before = status()
    expect(await moves(made)).toMatchObject({ how: 'parked', paths: [named] })
    expect(head()).toBe(made.base)
    expect(status()).toBe(before)
    expect(existsSync(at('.git/index.lock'))).toBe(false)
  })

  test('a folder with files of the person is in the way of a file', async () => {
    const made = candidate(write('thing', 'a file'))
    mkdirSync(at('thing'))
    writeFileSync(at('thing/mine'), 'mine')
    expect(await moves(made)).toMatchObject({ how: 'parked', paths: ['thing'] })
    expect(read('thing/mine')).toBe('mine')
  })

  test('an edit of the same size, in the second in which git last looked, stays an edit', async () => {
    const { git, root } = repository()
    commit(root, 'mine.txt', 'first')
    // The time of the last change of metadata cannot be set, and would give the edit away.
    git('config', 'core.trustctime', 'false')
    const other = candidate(write('b.txt', 'b'))
    const same = candidate(write('mine.txt', 'second'))
    const second = Math.floor(Date.now() / 1000) - 10
    utimesSync(at('mine.txt'), second, second)
    git('update-index', '--refresh')
    writeFileSync(at('mine.txt'), 'lines')
    for (const path of ['mine.txt', '.git/index']) utimesSync(at(path), second, second)
    expect(await moves(same)).toMatchObject({ how: 'parked', paths: ['mine.txt'] })
    expect(await moves(other)).toEqual({ how: 'moved' })
    expect([read('mine.txt'), status()]).toEqual(['lines', ' M mine.txt'])
  })

  test.each(['--assume-unchanged', '--skip-worktree'])(
    'a file that git is told not to look at stays as it is: %s',
    async bit => {
      const made = candidate(write('a.txt', 'second'))
      repository().git('update-index', bit, 'a.txt')
      for (const text of ['mine', '', 'second']) {
        writeFileSync(at('a.txt'), text)
        expect(await moves(made)).toMatchObject({
          how: 'parked',
          why: expect.stringContaining("'a.txt' not uptodate"),
        })
        expect([read('a.txt'), head()]).toEqual([text, made.base])
      }
    },
  )

  test('a worktree that is away, as on a drive, keeps the target where it is', async () => {
    const { git } = repository()
    const beside = (name: string) => repository().beside(name)
    git('switch', '--quiet', '-c', 'other')
    git('worktree', 'add', '--quiet', beside('drive'), 'main')
    git('worktree', 'lock', '--reason', 'on a drive', beside('drive'))
    renameSync(beside('drive'), beside('unplugged'))
    const made = candidate(write('b.txt', 'b'))
    expect(await moves(made)).toMatchObject({
      how: 'parked',
      why: expect.stringMatching(/drive has main checked out, and is not there/),
    })
    expect(head()).toBe(made.base)
    renameSync(beside('unplugged'), beside('drive'))
    expect(await moves(made)).toEqual({ how: 'moved' })
    expect(gitIn(beside('drive'), 'status', '--porcelain')).toBe('')
  })

  test('files in a submodule that becomes a file are in the way', async () => {
    const { git } = repository()
    const part = repository().beside('part')
    gitIn(repository().folder, 'init', '--quiet', part)
    commit(part, 'part.txt')
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', part, 'part')
    git('commit', '--quiet', '-m', 'add a part')
    const made = candidate(folder => {
      rmSync(join(folder, 'part'), { recursive: true })
      rmSync(join(folder, '.gitmodules'))
      write('part', 'a file')(folder)
    })
    writeFileSync(at('part/mine.txt'), 'mine')
    expect(await moves(made)).toMatchObject({ how: 'parked', paths: ['part'] })
    expect(read('part/mine.txt')).toBe('mine')
    git('submodule', '--quiet', 'deinit', '--force', 'part')
    expect(await moves(made)).toEqual({ how: 'moved' })
    expect([read('part'), status()]).toEqual(['a file', ''])
  })

  test('an identical file only gets other times, and is not in the way', async () => {
    const made = candidate(write('a.txt', 'second'))
    writeFileSync(at('a.txt'), read('a.txt'))
    expect(await moves(made)).toEqual({ how: 'moved' })
    expect(read('a.txt')).toBe('second')
  })

  test('a target that somebody else moved is told', async () => {
    const made = candidate(write('b.txt', 'b'))
    const other = commit(repository().root, 'c.txt')
    expect(await moves(made)).toEqual({ how: 'elsewhere', head: other })
  })

  test('a target that somebody moves in the last moment stays there, and the files go back', async () => {
    const made = candidate(write('b.txt', 'b'))
    const { commit: other } = candidate(write('a.txt', 'theirs'))
    const place = repository().placeWithGit(
      'case " $* " in *" update-ref -m "*)',
      `  real update-ref refs/heads/main ${other} ;;`,
      'esac',
    )
    expect(await moveTarget(await openPlace(place), { target, ...made })).toEqual({
      how: 'elsewhere',
      head: other,
    })
    expect([head(), existsSync(at('b.txt'))]).toEqual([other, false])
    expect(existsSync(at('.git/index.lock'))).toBe(false)
  })

  test('a second worktree that has the target follows', async () => {
    repository().git('switch', '--quiet', '-c', 'other')
    const second = repository().beside('second')
    repository().git('worktree', 'add', '--quiet', second, 'main')
    const made = candidate(write('b.txt', 'b'))
    expect(await moves(made)).toEqual({ how: 'moved' })
    expect(readFileSync(join(second, 'b.txt'), 'utf8')).toBe('b')
    expect(gitIn(second, 'status', '--porcelain')).toBe('')
    expect(existsSync(at('b.txt'))).toBe(false)
    expect(status()).toBe('')
  })

  test('a target that nobody has checked out moves alone', async () => {
    repository().git('switch', '--quiet', '-c', 'other')
    const made = candidate(write('b.txt', 'b'))
    expect(await moves(made)).toEqual({ how: 'moved' })
    expect([status(), head()]).toEqual(['', made.commit])
  })

  test('a rebase of the target is not disturbed, and can be continued', async () => {
    const { git, root } = repository()
    git('switch', '--quiet', '-c', 'upstream')
    commit(root, 'a.txt', 'upstream')
    git('switch', '--quiet', 'main')
    commit(root, 'a.txt', 'mine')
    const made = candidate(write('b.txt', 'b'))
    expect(() => git('rebase', 'upstream')).toThrow()
    expect(await moves(made)).toMatchObject({
      how: 'parked',
      why: expect.stringContaining('in the middle of a rebase of main'),
    })
    writeFileSync(at('a.txt'), 'both')
    git('add', 'a.txt')
    git('-c', 'core.editor=true', 'rebase', '--continue')
    expect(git('log', '--format=%s', '-2')).toBe('write a.txt\nwrite a.txt')
    expect(status()).toBe('')
  })

  test('a git command of the person that keeps the index is waited for', async () => {
    const made = candidate(write('b.txt', 'b'))
    writeFileSync(at('.git/index.lock'), '')
    setTimeout(() => rmSync(at('.git/index.lock')), 300)
    expect(await moves(made)).toEqual({ how: 'moved' })
  })

  test('a hook may refuse the change only where hooks are on', async () => {
    const made = candidate(write('b.txt', 'b'))
    const hook = at('.git/hooks/reference-transaction')
    mkdirSync(at('.git/hooks'), { recursive: true })
    writeFileSync(hook, '#!/bin/sh\necho "main is protected" >&2\nexit 1\n')
    chmodSync(hook, 0o755)
    expect(await moves(made, true)).toMatchObject({
      how: 'parked',
      why: expect.stringContaining('git refused to move main'),
    })
    expect([head(), status(), existsSync(at('b.txt'))]).toEqual([made.base, '', false])
    expect(await moves(made)).toEqual({ how: 'moved' })
  })

  test('a full disk in the middle leaves everything as it was', async () => {
    commit(repository().root, 'c.txt')
    const made = candidate(folder => {
      write('a.txt', 'second')(folder)
      write('b.txt', 'b')(folder)
      write('c.txt', 'second')(folder)
    })
    // Git has written one file and emptied another.
    const place = repository().placeWithGit(
      'case " $* " in *" read-tree -m -u "*)',
      '  printf second > a.txt; printf b > b.txt; : > c.txt',
      '  echo "fatal: No space left on device" >&2; exit 128;;',
      'esac',
    )
    expect(await moveTarget(await openPlace(place), { target, ...made })).toEqual({
      how: 'parked',
      why: expect.stringContaining('No space left on device'),
      paths: [],
    })
    expect([head(), status(), read('a.txt')]).toEqual([made.base, '', 'first'])
    expect(await moves(made)).toEqual({ how: 'moved' })
    expect(status()).toBe('')
  })

  test('a file whose filter landing does not run stops it', async () => {
    const { git, root } = repository()
    git('config', 'filter.rot.clean', 'tr a-y b-z')
    git('config', 'filter.rot.smudge', 'tr b-z a-y')
    commit(root, '.gitattributes', '*.rot filter=rot\n')
    const made = candidate(write('x.rot', 'abc'))
    expect(git('show', `${made.commit}:x.rot`)).toBe('bcd')
    const why = expect.stringContaining('x.rot has the filter "rot", which landing does not run')
    expect(await moves(made)).toMatchObject({ how: 'parked', why })
    expect([existsSync(join(root, 'x.rot')), status()]).toEqual([false, ''])
  })

  test('modes and line ends travel', async () => {
    commit(repository().root, '.gitattributes', '*.bat text eol=crlf\n')
    const made = candidate(folder => {
      write('run.sh', '#!/bin/sh\n')(folder)
      chmodSync(join(folder, 'run.sh'), 0o755)
      write('x.bat', 'a\r\nb\r\n')(folder)
    })
    expect(await moves(made)).toEqual({ how: 'moved' })
    expect([read('x.bat'), status()]).toEqual(['a\r\nb\r\n', ''])
    const mode = candidate(folder => chmodSync(join(folder, 'run.sh'), 0o644))
    expect(await moves(mode)).toEqual({ how: 'moved' })
    expect(status()).toBe('')
  })

  test.each(['before', 'after'] as const)(
    'a landing that was killed %s the target moved is settled by the next start',
    async when => {
      commit(repository().root, 'mine.txt')
      const made = candidate(folder => {
        write('a.txt', 'second')(folder)
        write('b.txt', 'b')(folder)
        rmSync(join(folder, 'mine.txt'))
      })
      appendFileSync(at('.git/info/exclude'), 'ignored\n')
      writeFileSync(at('ignored'), 'mine')
      const place = await openPlace()
      // The state in the middle: files are written, and the lock and the note are there.
      const { path, gitFolder } = { path: repository().root, gitFolder: at('.git') }
      const note = { target: 'main', ...made, holders: [{ path, gitFolder }] }
      writeFileSync(at('.git/premath/landing.json'), `${JSON.stringify(note)}\n`)
      writeFileSync(at('.git/index.lock'), `premath lands ${made.commit}\n`)
      writeFileSync(at('a.txt'), 'second')
      writeFileSync(at('b.txt'), 'b')
      rmSync(at('mine.txt'))
      if (when === 'after') repository().git('update-ref', 'refs/heads/main', made.commit)
      await settleFollowers(place)
      expect(status()).toBe('!! ignored')
      expect(existsSync(at('b.txt'))).toBe(when === 'after')
      expect(read('a.txt')).toBe(when === 'after' ? 'second' : 'first')
      expect(existsSync(at('.git/index.lock'))).toBe(false)
      expect(await moveTarget(place, { target, ...made })).toEqual({ how: 'moved' })
      expect(status()).toBe('!! ignored')
    },
  )

  test('the next landing settles the one that was killed', async () => {
    const killed = candidate(write('b.txt', 'b'))
    const next = candidate(write('c.txt', 'c'))
    const place = await openPlace()
    const holders = [{ path: repository().root, gitFolder: at('.git') }]
    const note = { target: 'main', ...killed, holders }
    writeFileSync(at('.git/premath/landing.json'), `${JSON.stringify(note)}\n`)
    writeFileSync(at('.git/index.lock'), `premath lands ${killed.commit}\n`)
    writeFileSync(at('b.txt'), 'b')
    expect(await moveTarget(place, { target, ...next })).toEqual({ how: 'moved' })
    expect([status(), existsSync(at('b.txt')), read('c.txt')]).toEqual(['', false, 'c'])
  })

  test('a lock that is not ours stays', async () => {
    const made = candidate(write('b.txt', 'b'))
    const place = await openPlace()
    const holders = [{ path: repository().root, gitFolder: at('.git') }]
    const note = { target: 'main', ...made, holders }
    writeFileSync(at('.git/premath/landing.json'), `${JSON.stringify(note)}\n`)
    writeFileSync(at('.git/index.lock'), '')
    await settleFollowers(place)
    expect(existsSync(at('.git/index.lock'))).toBe(true)
  })

  test.each(['before', 'after'])('an edit stays, after a crash %s the target moved', async when => {
    const made = candidate(write('a.txt', 'second'))
    const place = await openPlace()
    const holders = [{ path: repository().root, gitFolder: at('.git') }]
    const note = { target: 'main', ...made, holders }
    writeFileSync(at('.git/premath/landing.json'), `${JSON.stringify(note)}\n`)
    writeFileSync(at('.git/index.lock'), `premath lands ${made.commit}\n`)
    if (when === 'after') repository().git('update-ref', 'refs/heads/main', made.commit)
    writeFileSync(at('a.txt'), 'second, and mine')
    await settleFollowers(place)
    expect(status()).toBe(' M a.txt')
    expect(read('a.txt')).toBe('second, and mine')
  })

  /** A commit of changes that were made in the main worktree, and left there. */
  function takenHere(change: (folder: string) => void) {
    const made = candidate(change)
    change(repository().root)
    return { ...made, work: { commit: made.commit, top: repository().root } }
  }

  const edits = (folder: string) => {
    write('a.txt', 'second')(folder)
    write('b.txt', 'b')(folder)
    rmSync(join(folder, 'gone.txt'))
  }

  const movesWork = async (made: ReturnType<typeof takenHere>, hooks = false) =>
    await moveTarget(await openPlace(repository().place(), hooks), { target, ...made })

  test('[landing.27.work] the files that the work was taken from are not in its way', async () => {
    commit(repository().root, 'gone.txt')
    const made = takenHere(edits)
    const { base, commit: landing } = made
    expect(await moves({ base, commit: landing })).toMatchObject({
      how: 'parked',
      paths: ['a.txt', 'b.txt', 'gone.txt'],
    })
    expect(await movesWork(made)).toEqual({ how: 'moved' })
    expect([head(), status(), read('a.txt')]).toEqual([made.commit, '', 'second'])
  })

  test('[landing.27.work] edits since the work was taken stay, staged or not', async () => {
    commit(repository().root, 'gone.txt')
    const made = takenHere(edits)
    repository().git('add', 'b.txt')
    writeFileSync(at('a.txt'), 'third')
    expect(await movesWork(made)).toEqual({ how: 'moved' })
    expect([status(), read('a.txt')]).toEqual([' M a.txt', 'third'])
  })

  test('[landing.27.work] another staged version is in the way, and so is a file that lands merged', async () => {
    const made = takenHere(write('a.txt', 'second'))
    writeFileSync(at('a.txt'), 'staged')
    repository().git('add', 'a.txt')
    writeFileSync(at('a.txt'), 'third')
    expect(await movesWork(made)).toMatchObject({ how: 'parked', paths: ['a.txt'] })
    repository().git('reset', '--quiet')
    const { commit: merged } = candidate(write('a.txt', 'second, merged'))
    const other = { ...made, commit: merged }
    expect(await movesWork(other)).toMatchObject({ how: 'parked', paths: ['a.txt'] })
    expect([read('a.txt'), head()]).toEqual(['third', made.base])
  })

  test('[landing.27.work] the files of another worktree than that of the work are in the way', async () => {
    const made = takenHere(write('a.txt', 'second'))
    const work = { ...made.work, top: repository().beside('other') }
    expect(await movesWork({ ...made, work })).toMatchObject({ how: 'parked', paths: ['a.txt'] })
  })

  test('[landing.27.work-kept] a target that does not move leaves the files of the work', async () => {
    commit(repository().root, 'gone.txt')
    const made = takenHere(edits)
    // Taken back since then, so the landing writes it.
    rmSync(at('b.txt'))
    const hook = at('.git/hooks/reference-transaction')
    mkdirSync(at('.git/hooks'), { recursive: true })
    writeFileSync(hook, '#!/bin/sh\nexit 1\n')
    chmodSync(hook, 0o755)
    const before = status()
    expect(await movesWork(made, true)).toMatchObject({ how: 'parked' })
    expect([head(), status(), read('a.txt')]).toEqual([made.base, before, 'second'])
  })

  test.each(['before', 'after'])(
    '[landing.27.work-kept] a kill %s the target moved leaves the files of the work',
    async when => {
      commit(repository().root, 'gone.txt')
      const made = takenHere(edits)
      const before = status()
      // Git is killed where the target moves, so the landing leaves its note and its lock.
      const place = await openPlace(
        repository().placeWithGit(
          'case " $* " in *" update-ref -m "*)',
          when === 'after' ? '  real "$@"' : '',
          '  kill -9 $$;;',
          'esac',
        ),
      )
      await expect(moveTarget(place, { target, ...made })).rejects.toThrow('SIGKILL')
      await settleFollowers(await openPlace())
      expect(status()).toBe(when === 'after' ? '' : before)
      expect([read('a.txt'), read('b.txt')]).toEqual(['second', 'b'])
    },
  )
})
