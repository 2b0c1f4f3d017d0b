import { describe, expect, test } from 'vitest'
import type { Disk, Watching, WatchListener } from '../world/world.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** Lets every callback run that is due. */
const nextTurn = () => new Promise(resolve => setImmediate(resolve))

interface WatchedWorld {
  watch(listener: WatchListener): Promise<Watching>
  readonly disk: Disk
  /** An empty folder that exists. */
  readonly root: string
}

/** The contract of `watch`. */
export function describeWatch(name: string, { watch, disk, root }: WatchedWorld) {
  const watched = async (...paths: readonly string[]) => {
    const reported = new Set<string>()
    const watching = await watch({
      changed: path => void reported.add(path),
      failed: fault => void reported.add(fault.message),
      passesOver: one => one === 'installed',
    })
    await watching.follow(paths)
    return { watching, reported }
  }
  const hears = (reported: ReadonlySet<string>, path: string) =>
    expect.poll(() => [...reported]).toContain(path)

  describe(`${name} keeps the promises of watching`, () => {
    test('reports each file that is made, changed or removed, at any depth', async () => {
      const folder = `${root}/deep`
      await disk.makeFolder(`${folder}/er/installed`)
      const { watching, reported } = await watched(folder)
      const path = `${folder}/er/file`
      for (const text of ['made', 'changed']) {
        reported.clear()
        await disk.replaceLoosely(path, bytes(text))
        await hears(reported, path)
      }
      reported.clear()
      await disk.remove(path)
      await hears(reported, path)
      await watching.close()
    })

    test('does not report files in a skipped folder, unless a file is watched itself', async () => {
      const folder = `${root}/partly`
      await disk.makeFolder(`${folder}/installed`)
      const named = `${folder}/installed/named`
      const other = `${folder}/installed/other`
      await disk.replaceLoosely(named, bytes('before'))
      const { watching, reported } = await watched(folder)
      await watching.follow([named])
      await disk.replaceLoosely(other, bytes('after'))
      await disk.replaceLoosely(named, bytes('after'))
      await hears(reported, named)
      expect([...reported]).not.toContain(other)
      await watching.close()
    })

    test('reports a missing file when it appears', async () => {
      const path = `${root}/later`
      const { watching, reported } = await watched(path)
      await disk.replaceLoosely(path, bytes('now'))
      await hears(reported, path)
      await watching.close()
    })

    test('reports a file in a new folder, however soon after the folder it is made', async () => {
      const { watching, reported } = await watched(`${root}/young`)
      const files = Array.from({ length: 500 }, (_, at) => `${root}/young/${at}/file`)
      for (const [at, path] of files.entries()) {
        await disk.makeFolderLoosely(path.slice(0, -'/file'.length))
        for (let turn = 0; turn < at % 25; turn += 1) await nextTurn()
        await disk.replaceLoosely(path, bytes('x'))
      }
      await expect.poll(() => files.filter(path => !reported.has(path))).toEqual([])
      await watching.close()
    })

    test('reports nothing after it is closed', async () => {
      const { watching, reported } = await watched(root)
      await watching.close()
      await disk.replaceLoosely(`${root}/after`, bytes('x'))
      const again = await watched(root)
      await disk.replaceLoosely(`${root}/last`, bytes('x'))
      await hears(again.reported, `${root}/last`)
      expect([...reported]).toEqual([])
      await again.watching.close()
    })
  })
}
