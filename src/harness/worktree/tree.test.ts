import {
  chmodSync,
  cpSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aRepository, describeWithGit, gitEnv, gitIn } from '../../../test/a-repository.ts'
import { nodeDisk } from '../../world/node-disk.ts'
import { nodeProcesses } from '../../world/node-processes.ts'
import { nodeWorld } from '../../world/node-world.ts'
import { readTree } from './tree.ts'

describeWithGit('the tree of a project', () => {
  const repository = aRepository()
  const { files, sha256 } = nodeWorld()
  const place = (root: string) => ({
    root,
    files,
    sha256,
    disk: nodeDisk,
    processes: nodeProcesses,
    env: gitEnv,
  })
  const treeOf = (root: string) => readTree(place(root))
  const digestOf = async (root: string) => (await treeOf(root)).digest

  const write = (path: string, text: string) => {
    const whole = join(repository().root, path)
    mkdirSync(join(whole, '..'), { recursive: true })
    writeFileSync(whole, text)
  }

  test('changes with its content, and with nothing else', async () => {
    const { root } = repository()
    write('src/a.ts', 'a')
    write('.gitignore', 'dist/\n')
    const first = await digestOf(root)
    expect(first).toMatch(/^tree1_[0-9a-f]{64}$/)

    write('dist/out.js', 'ignored')
    write('.premath/issues.jsonl', '')
    write('artifacts/ciwitness/spec/a.json', '{}')
    utimesSync(join(root, 'src/a.ts'), 1, 1)
    gitIn(root, 'add', '.')
    gitIn(root, 'commit', '--message=more')
    expect(await digestOf(root)).toBe(first)

    const changes: (() => void)[] = [
      () => write('src/a.ts', 'b'),
      () => chmodSync(join(root, 'src/a.ts'), 0o755),
      () => write('src/new.ts', ''),
      () => rmSync(join(root, 'src/a.ts')),
      () => symlinkSync('nowhere', join(root, 'src/a.ts')),
      () => write('sub/.premath/x', 'only the one at the top is ours'),
    ]
    const seen = new Set([first])
    for (const change of changes) {
      change()
      seen.add(await digestOf(root))
    }
    expect(seen.size).toBe(changes.length + 1)
  })

  test('includes files in the place of a submodule that is not checked out', async () => {
    const { root } = repository()
    const allowed = ['-c', 'protocol.file.allow=always']
    const part = repository().beside('part')
    write('a', 'a')
    gitIn(root, 'add', '.')
    gitIn(root, 'commit', '--quiet', '--message=a')
    gitIn(root, 'clone', '--quiet', root, part)
    gitIn(root, ...allowed, 'submodule', '--quiet', 'add', part, 'mod')
    gitIn(root, 'commit', '--quiet', '--all', '--message=mod')
    const clone = repository().beside('clone')
    gitIn(root, 'clone', '--quiet', root, clone)
    const empty = await digestOf(clone)
    mkdirSync(join(clone, 'mod/deep'))
    writeFileSync(join(clone, 'mod/deep/a'), 'a')
    expect(await digestOf(clone)).not.toBe(empty)
    expect(await digestOf(root)).not.toBe(empty)
  })

  test('is the same without git, if git ignores none of its files', async () => {
    const { root } = repository()
    write('src/a.ts', 'a')
    write('b', 'b')
    symlinkSync('src/a.ts', join(root, 'link'))
    const copy = `${root}-copy`
    cpSync(root, copy, { recursive: true, verbatimSymlinks: true })
    rmSync(join(copy, '.git'), { recursive: true })
    const [tree, without] = [await treeOf(root), await treeOf(copy)]
    expect(without.digest).toBe(tree.digest)
    expect([without.entries, await without.head()]).toEqual([tree.entries, null])
    expect(await tree.head()).toBe(gitIn(root, 'rev-parse', 'HEAD').trim())
    rmSync(copy, { recursive: true })
  })

  test('includes the files of a nested repository', async () => {
    const { root } = repository()
    mkdirSync(join(root, 'inner'))
    gitIn(join(root, 'inner'), 'init')
    write('inner/a', 'a')
    const first = await digestOf(root)
    write('inner/a', 'b')
    expect(await digestOf(root)).not.toBe(first)
  })

  test('reports if anything was written since it was read', async () => {
    const { root } = repository()
    write('a', 'a')
    const tree = await treeOf(root)
    write('artifacts/x', 'x')
    expect(await tree.isUnchanged()).toBe(true)
    write('a', 'b')
    write('a', 'a')
    expect(await tree.isUnchanged()).toBe(false)
    expect(await digestOf(root)).toBe(tree.digest)
  })

  test('is refused if a file name cannot be read', async () => {
    const { root } = repository()
    const name = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0x61])])
    writeFileSync(name, 'x')
    await expect(treeOf(root)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('is not UTF-8'),
    })
    rmSync(name)
  })
})
