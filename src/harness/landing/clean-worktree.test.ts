import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aRepository, commit, describeWithGit } from '../../../test/a-repository.ts'
import { CleanWorktree } from './clean-worktree.ts'
import { openLanding } from './landing-git.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const clock = { now: () => 0n, steady: () => 0n, sleep: async () => {} }

describeWithGit('what a start-up command made', () => {
  const repository = aRepository()
  const at = (path: string) => join(repository().beside('checkout'), path)

  /** A worktree with outputs in a folder, with a file of its own, and with a copied file. */
  async function started() {
    const { git, root, place } = repository()
    const head = commit(root, '.gitignore', 'deps/\no\n.env\n')
    writeFileSync(join(root, '.env'), 'A=1\n')
    git('worktree', 'add', '--quiet', '--detach', at(''))
    const opened = await openLanding({ ...place(), sha256, clock }, { hooks: false })
    const files = new CleanWorktree(opened, at('').replace(/\/$/, ''), {
      folder: root,
      paths: ['.env'],
    })
    await files.checkOut(head)
    mkdirSync(at('deps/one/lib'), { recursive: true })
    writeFileSync(at('deps/one/lib/a.js'), 'one')
    writeFileSync(at('o'), 'output')
    await files.keepOutputs()
    return { files, head }
  }

  test('stays for the next commit, and is the same', async () => {
    const { files, head } = await started()
    const before = await files.outputs()
    expect([...before.keys()]).toEqual(['deps/one/lib/a.js', 'o'])
    await new Promise(settle => setTimeout(settle, 20))
    await files.checkOut(head)
    expect(await files.outputs()).toEqual(before)
    writeFileSync(at('untracked'), '')
    expect(await files.outputs()).toEqual(before)
  })

  test('[trust.29.attributes] is beside files that are written again for other attributes', async () => {
    const { files } = await started()
    const { root } = repository()
    await files.checkOut(commit(root, 'kept.txt', 'kept\n'))
    // Git looks again at files that are as young as its index, so the index is made younger.
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: at('') })
    await new Promise(settle => setTimeout(settle, 50))
    git('read-tree', 'HEAD')
    git('update-index', '--refresh')
    expect(readFileSync(at('kept.txt'), 'utf8')).toBe('kept\n')
    await files.checkOut(commit(root, '.gitattributes', 'kept.txt text eol=crlf\n'))
    expect(readFileSync(at('kept.txt'), 'utf8')).toBe('kept\r\n')
  })

  test.each<[string, () => void]>([
    ['written in place', () => writeFileSync(at('deps/one/lib/a.js'), 'two!')],
    ['touched', () => utimesSync(at('deps/one/lib/a.js'), 1, 1)],
    ['removed', () => rmSync(at('o'))],
    ['added', () => writeFileSync(at('deps/one/b.js'), '')],
    ['added as a link', () => symlinkSync('a.js', at('deps/one/lib/b.js'))],
  ])('is different after a file was %s', async (_how, change) => {
    const { files } = await started()
    const before = await files.outputs()
    change()
    expect(await files.outputs()).not.toEqual(before)
  })

  test('can be removed, and copied files stay', async () => {
    const { files } = await started()
    await files.removeOutputs()
    expect([existsSync(at('deps')), existsSync(at('o'))]).toEqual([false, false])
    expect(readFileSync(at('.env'), 'utf8')).toBe('A=1\n')
    expect(await files.outputs()).toEqual(new Map())
  })
})
