import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aRepository, describeWithGit, gitEnv, gitIn } from '../../../test/a-repository.ts'
import { nodeDisk } from '../../world/node-disk.ts'
import { nodeProcesses } from '../../world/node-processes.ts'
import { nodeWorld } from '../../world/node-world.ts'
import type { Disk, DiskEntry, FileStamp } from '../../world/world.ts'
import { readTree } from './tree.ts'

const sha256Of = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Every file is read, and git is asked for their names only. */
function digestOfAllBytes(root: string): string {
  const lines = new Map<string, string>()
  const visit = (below: string): void => {
    const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
    for (const name of gitIn(join(root, below), ...listed).split('\0')) {
      const path = join(below, name).replace(/\/$/, '')
      const found = lstatSync(join(root, path), { throwIfNoEntry: false })
      if (name === '' || /^(\.premath|artifacts)(\/|$)/.test(path)) continue
      if (found?.isDirectory()) visit(path)
      if (found?.isSymbolicLink()) {
        lines.set(path, `120000 ${sha256Of(readlinkSync(join(root, path)))}`)
      }
      if (!found?.isFile()) continue
      const mode = (found.mode & 0o111) === 0 ? '100644' : '100755'
      lines.set(path, `${mode} ${sha256Of(readFileSync(join(root, path)))}`)
    }
  }
  visit('')
  const paths = [...lines.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return `tree1_${sha256Of(paths.map(path => `${lines.get(path)} ${path}\0`).join(''))}`
}

/** The real disk, which notes the files whose content was read. */
const notingDisk = (read: string[], disk: Disk = nodeDisk): Disk => ({
  ...disk,
  hashed: path => {
    read.push(path)
    return disk.hashed(path)
  },
})

/**
 * A disk whose clock has two ticks: one up to a moment, and one from then on. All other times are the
 * same to it.
 */
function tickingDisk(disk: Disk = nodeDisk): Disk & { tick(): void } {
  let moment: bigint | undefined
  const ticked = (time: bigint) => (moment === undefined || time < moment ? 1n : 2n)
  const coarse = (stamp: FileStamp): FileStamp => ({
    ...stamp,
    modifiedNs: ticked(stamp.modifiedNs),
    changedNs: ticked(stamp.changedNs),
  })
  const coarseEntry = (entry: DiskEntry | undefined) =>
    entry?.kind === 'file' ? { ...entry, stamp: coarse(entry.stamp) } : entry
  return {
    ...disk,
    entry: async path => coarseEntry(await disk.entry(path)),
    hashed: async path => {
      const { sha256, stamp } = await disk.hashed(path)
      return { sha256, stamp: coarse(stamp) }
    },
    stamp: async path => {
      const stamp = await disk.stamp(path)
      return stamp && coarse(stamp)
    },
    tick() {
      settle()
      moment = BigInt(Date.now()) * 1_000_000n
      settle()
    },
  }
}

/** Longer than a tick of the clock of the disk, so that what is written next has another time. */
const settle = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25)

describeWithGit('the digests of files that were read before', () => {
  const repository = aRepository()
  const { files, sha256 } = nodeWorld()
  const digestOf = async (root: string, disk: Disk = nodeDisk) => {
    const place = { root, files, sha256, disk, processes: nodeProcesses, env: gitEnv }
    return (await readTree(place)).digest
  }
  const write = (path: string, text: string) => {
    const whole = join(repository().root, path)
    mkdirSync(join(whole, '..'), { recursive: true })
    writeFileSync(whole, text)
  }
  const fill = () => {
    for (const name of ['a', 'b', 'deep/c', 'deep/d', 'kept/e']) {
      write(name, `content of ${name}`)
      // A time that can be set back exactly.
      utimesSync(join(repository().root, name), 1_000, 1_000)
    }
    symlinkSync('deep/c', join(repository().root, 'link'))
    gitIn(repository().root, 'add', '.')
    gitIn(repository().root, 'commit', '--quiet', '--message=files')
    write('untracked', 'new')
    settle()
  }
  const cache = () => join(repository().root, '.git/premath/digests/files')

  test('[memory.6.digest-known] a file that has not changed is not read again', async () => {
    const { root } = repository()
    fill()
    const first: string[] = []
    expect(await digestOf(root, notingDisk(first))).toBe(digestOfAllBytes(root))
    expect(first).toHaveLength(7)
    const second: string[] = []
    expect(await digestOf(root, notingDisk(second))).toBe(digestOfAllBytes(root))
    expect(second).toEqual([])

    write('deep/c', 'other')
    settle()
    const third: string[] = []
    expect(await digestOf(root, notingDisk(third))).toBe(digestOfAllBytes(root))
    expect(third).toEqual([join(root, 'deep/c')])
    const fourth: string[] = []
    expect(await digestOf(root, notingDisk(fourth))).toBe(digestOfAllBytes(root))
    expect(fourth).toEqual([])
  })

  test('[memory.6.digest-known] each worktree and each project in it knows its own files', async () => {
    const { root, git } = repository()
    fill()
    const other = repository().beside('other')
    git('worktree', 'add', '--quiet', other)
    writeFileSync(join(other, 'a'), 'elsewhere')
    settle()
    for (const folder of [root, other, join(root, 'deep')]) {
      for (const _ of ['cold', 'warm']) {
        expect(await digestOf(folder)).toBe(digestOfAllBytes(folder))
      }
    }
    expect(readdirSync(join(root, '.git/premath/digests'))).toHaveLength(3)
    git('worktree', 'remove', '--force', other)
    expect(readdirSync(join(root, '.git'))).not.toContain('worktrees')
  })

  const at = (name: string) => join(repository().root, name)
  const git = (...args: readonly string[]) => gitIn(repository().root, ...args)
  const sameTimes = (name: string, change: (path: string) => void) => {
    const { atime, mtime } = lstatSync(at(name))
    change(at(name))
    utimesSync(at(name), atime, mtime)
  }
  const changes: Readonly<Record<string, () => void>> = {
    'other content of the same size, with the time set back': () =>
      sameTimes('a', path => writeFileSync(path, 'CONTENT OF A')),
    'more content': () => appendFileSync(at('a'), '!'),
    'less content': () => truncateSync(at('a'), 3),
    'a file that is renamed over it': () => {
      writeFileSync(at('b2'), 'content of B')
      const { atime, mtime } = lstatSync(at('b'))
      utimesSync(at('b2'), atime, mtime)
      renameSync(at('b2'), at('b'))
    },
    'two files that change places': () => {
      renameSync(at('a'), at('t'))
      renameSync(at('b'), at('a'))
      renameSync(at('t'), at('b'))
    },
    'two folders that change places': () => {
      renameSync(at('deep'), at('t'))
      renameSync(at('kept'), at('deep'))
      renameSync(at('t'), at('kept'))
    },
    'an executable bit': () => chmodSync(at('a'), 0o755),
    'a time alone': () => utimesSync(at('a'), 1, 1),
    'a second name': () => linkSync(at('a'), at('a2')),
    'content by the second name': () => {
      linkSync(at('a'), at('.git/outside'))
      sameTimes('a', () => writeFileSync(at('.git/outside'), 'CONTENT OF A'))
    },
    'a file in place of a link': () => {
      rmSync(at('link'))
      writeFileSync(at('link'), 'deep/c')
    },
    'a link in place of a file': () => {
      rmSync(at('a'))
      symlinkSync('content of a', at('a'))
    },
    'another target of a link': () => {
      rmSync(at('link'))
      symlinkSync('deep/d', at('link'))
    },
    'a deleted file': () => rmSync(at('a')),
    'a folder in place of a file': () => {
      rmSync(at('a'))
      mkdirSync(at('a'))
      writeFileSync(at('a/a'), 'content of a')
    },
    'another case of a name': () => renameSync(at('a'), at('A')),
    'a file that git is told to assume unchanged': () => {
      git('update-index', '--assume-unchanged', 'a')
      sameTimes('a', path => writeFileSync(path, 'CONTENT OF A'))
    },
    'a file that git is told to skip': () => {
      git('update-index', '--skip-worktree', 'a')
      writeFileSync(at('a'), 'other')
    },
    'a file that is ignored now': () => write('.gitignore', 'untracked\n'),
    'a file that git tracks although it ignores it': () => {
      write('.gitignore', 'x\n')
      write('x', 'x')
      git('add', '--force', 'x')
    },
    'line ends that git translates': () => {
      write('.gitattributes', '* text eol=crlf\n')
      rmSync(at('a'))
      git('add', '.gitattributes')
      writeFileSync(at('b'), 'one\ntwo\n')
      git('add', 'b')
      rmSync(at('b'))
      git('checkout', '--quiet', '--', 'a', 'b')
      expect(readFileSync(at('b'), 'utf8')).toBe('one\r\ntwo\r\n')
    },
    'a filter that changes what git checks out': () => {
      write('.gitattributes', 'a filter=upper\n')
      git('config', 'filter.upper.smudge', 'tr a-z A-Z')
      git('config', 'filter.upper.clean', 'tr A-Z a-z')
      rmSync(at('a'))
      git('checkout', '--quiet', '--', 'a')
      expect(readFileSync(at('a'), 'utf8')).toBe('CONTENT OF A')
    },
    'a submodule, and a change in it': () => {
      gitIn(at(''), 'clone', '--quiet', at(''), at('part'))
      git('add', 'part')
      writeFileSync(at('part/a'), 'in the part')
    },
    'an unmerged file': () => {
      git('checkout', '--quiet', '-b', 'other')
      writeFileSync(at('a'), 'theirs')
      git('commit', '--quiet', '--all', '--message=theirs')
      git('checkout', '--quiet', 'main')
      writeFileSync(at('a'), 'ours')
      git('commit', '--quiet', '--all', '--message=ours')
      expect(() => git('merge', 'other')).toThrow()
    },
    'another commit': () => {
      writeFileSync(at('a'), 'next')
      git('commit', '--quiet', '--all', '--message=next')
      git('checkout', '--quiet', 'HEAD^')
    },
  }

  test.each(Object.entries(changes))(
    '[memory.6.digest-exact] %s counts as a full reading says',
    async (_, change) => {
      const { root } = repository()
      fill()
      await digestOf(root)
      change()
      expect(await digestOf(root)).toBe(digestOfAllBytes(root))
      settle()
      expect(await digestOf(root)).toBe(digestOfAllBytes(root))
      expect(await digestOf(root)).toBe(digestOfAllBytes(root))
    },
  )

  test('[memory.6.digest-exact] after any changes the digest is that of a full reading', async () => {
    const names = ['a', 'b', 'deep/c', 'deep/d', 'new']
    const name = fc.constantFrom(...names)
    const isThere = (path: string) => lstatSync(at(path), { throwIfNoEntry: false })?.isFile()
    const step = fc.oneof(
      fc.tuple(name, fc.constantFrom('x', 'y', 'zz')).map(([one, text]) => () => {
        rmSync(at(one), { force: true })
        write(one, text)
      }),
      fc.tuple(name, fc.constantFrom('x', 'y', 'zz')).map(([one, text]) => () => {
        if (isThere(one)) sameTimes(one, path => writeFileSync(path, text))
      }),
      fc.tuple(name, name).map(([one, other]) => () => {
        if (isThere(one)) renameSync(at(one), at(other))
      }),
      name.map(one => () => rmSync(at(one), { force: true })),
      name.map(one => () => {
        if (isThere(one)) chmodSync(at(one), lstatSync(at(one)).mode ^ 0o111)
      }),
      fc.constant(settle),
    )
    fill()
    const few = fc.array(step, { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(few, async steps => {
        for (const one of steps) one()
        const { root } = repository()
        expect(await digestOf(root)).toBe(digestOfAllBytes(root))
      }),
      { numRuns: 25 },
    )
  })

  test('[memory.6.digest-exact] a folder that takes the place of another counts with its own files', async () => {
    const { root } = repository()
    fill()
    write('other/c', 'Content of deep/c')
    write('other/d', 'Content of deep/d')
    for (const name of ['other/c', 'other/d']) utimesSync(at(name), 1_000, 1_000)
    const disk = tickingDisk()
    disk.tick()
    await digestOf(root, disk)
    // The times of the files stay as they are.
    renameSync(at('deep'), at('t'))
    renameSync(at('other'), at('deep'))
    renameSync(at('t'), at('other'))
    expect(await digestOf(root, disk)).toBe(digestOfAllBytes(root))
  })

  test('[memory.6.digest-racy] a file that changed in the same tick of the clock is read again', async () => {
    const { root } = repository()
    fill()
    const disk = tickingDisk()
    await digestOf(root, disk)
    sameTimes('a', path => writeFileSync(path, 'CONTENT OF A'))
    expect(await digestOf(root, disk)).toBe(digestOfAllBytes(root))

    disk.tick()
    const read: string[] = []
    await digestOf(root, notingDisk([], disk))
    expect(await digestOf(root, notingDisk(read, disk))).toBe(digestOfAllBytes(root))
    expect(read).toEqual([])
    writeFileSync(at('a'), 'second tick!')
    await digestOf(root, disk)
    writeFileSync(at('a'), 'SECOND TICK!')
    expect(await digestOf(root, disk)).toBe(digestOfAllBytes(root))
  })

  test('[memory.6.digest-racy] a change of the time alone does not hide one of the same tick', async () => {
    const { root } = repository()
    fill()
    const disk = tickingDisk()
    disk.tick()
    // The time of the last change cannot be set.
    writeFileSync(at('a'), 'second tick!')
    utimesSync(at('a'), 1, 1)
    await digestOf(root, disk)
    writeFileSync(at('a'), 'SECOND TICK!')
    utimesSync(at('a'), 1, 1)
    expect(await digestOf(root, disk)).toBe(digestOfAllBytes(root))
  })

  test('[memory.6.digest-racy] a file that was written after it was read, in the same tick, is read again', async () => {
    const { root } = repository()
    fill()
    const disk = tickingDisk()
    const slow: Disk = {
      ...disk,
      hashed: async path => {
        const read = await disk.hashed(path)
        if (path === at('a')) {
          sameTimes('a', whole => writeFileSync(whole, 'CONTENT OF A'))
          disk.tick()
        }
        return read
      },
    }
    await digestOf(root, slow)
    expect(await digestOf(root, disk)).toBe(digestOfAllBytes(root))
  })

  test('[memory.6.digest-racy] a file that took the place of another while it was read has its own mode', async () => {
    const { root } = repository()
    fill()
    mkdirSync(at('elsewhere'))
    writeFileSync(at('elsewhere/c'), 'Content of deep/c', { mode: 0o755 })
    writeFileSync(at('elsewhere/d'), 'Content of deep/d')
    settle()
    // The times of a file say nothing about the folder around it.
    const swapping: Disk = {
      ...nodeDisk,
      hashed: async path => {
        if (path === at('deep/c')) {
          renameSync(at('deep'), at('t'))
          renameSync(at('elsewhere'), at('deep'))
        }
        return await nodeDisk.hashed(path)
      },
    }
    await digestOf(root, swapping)
    expect(await digestOf(root)).toBe(digestOfAllBytes(root))
  })

  test('[memory.6.digest-racy] a file on another device is read each time, since its clock may differ', async () => {
    const { root } = repository()
    fill()
    const elsewhere: Disk = {
      ...nodeDisk,
      stamp: async path => {
        const stamp = await nodeDisk.stamp(path)
        return stamp && { ...stamp, identity: `other${stamp.identity}` }
      },
    }
    await digestOf(root, elsewhere)
    const read: string[] = []
    expect(await digestOf(root, notingDisk(read, elsewhere))).toBe(digestOfAllBytes(root))
    expect(read).toHaveLength(7)
  })

  test('[memory.6.digest-damaged] a damaged cache counts as none', async () => {
    const { root } = repository()
    fill()
    await digestOf(root)
    const whole = readFileSync(cache())
    const damages = [
      ...Array.from({ length: 60 }, (_, at) => {
        const bytes = Buffer.from(whole)
        const place = Math.floor((at * whole.length) / 60)
        bytes[place] = (bytes[place] as number) ^ (1 << (at % 8))
        return bytes
      }),
      whole.subarray(0, whole.length / 2),
      Buffer.concat([whole, whole]),
      Buffer.from(''),
      Buffer.from('text that is no cache'),
    ]
    for (const damaged of damages) {
      writeFileSync(cache(), damaged)
      const read: string[] = []
      expect(await digestOf(root, notingDisk(read))).toBe(digestOfAllBytes(root))
      expect(read).toHaveLength(7)
    }
  })

  test('[memory.6.digest-damaged] a cache that cannot be written is no failure', async () => {
    const { root } = repository()
    fill()
    writeFileSync(at('.git/premath'), 'a file in place of the folder')
    expect(await digestOf(root)).toBe(digestOfAllBytes(root))
    expect(await digestOf(root)).toBe(digestOfAllBytes(root))
  })
})
