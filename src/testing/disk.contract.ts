import { describe, expect, test } from 'vitest'
import { Fault } from '../fault.ts'
import type { Disk } from '../world/world.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (found: Uint8Array) => new TextDecoder().decode(found)

/** The contract of `Disk`. `root` is an existing empty folder. */
export function describeDisk(name: string, disk: Disk, root: string) {
  describe(`${name} keeps the promises of a disk`, () => {
    const contentOf = async (path: string) => {
      const file = await disk.open(path)
      const found = file && text(await file.read(0, 1000))
      await file?.close()
      return found
    }

    test('a missing path has no entry', async () => {
      expect(await disk.open(`${root}/none`)).toBeUndefined()
      expect(await disk.stamp(`${root}/none`)).toBeUndefined()
      await disk.remove(`${root}/none`)
    })

    test('a plain file is opened, and nothing else', async () => {
      await disk.replaceLoosely(`${root}/plain`, bytes('plain'))
      const file = await disk.openPlain(`${root}/plain`)
      expect(file && text(await file.read(0, 100))).toBe('plain')
      await file?.close()
      await disk.remove(`${root}/plain`)
      await disk.makeFolder(`${root}/folder-of-none`)
      expect(await disk.openPlain(`${root}/folder-of-none`)).toBeUndefined()
      await disk.removeFolder(`${root}/folder-of-none`)
      expect(await disk.openPlain(`${root}/none`)).toBeUndefined()
    })

    test('appending makes a file, and adds at its end', async () => {
      const file = await disk.openToAppend(`${root}/log`)
      await file.append(bytes('one\n'))
      await file.append(bytes('two\n'))
      await file.sync()
      expect(text(await file.read(0, 100))).toBe('one\ntwo\n')
      expect(text(await file.read(2, 3))).toBe('e\nt')
      expect(text(file.readNow(4, 100))).toBe('two\n')
      expect(await file.read(8, 1)).toHaveLength(0)
      await file.close()
      const again = await disk.openToAppend(`${root}/log`)
      await again.append(bytes('three'))
      await again.close()
      expect(await contentOf(`${root}/log`)).toBe('one\ntwo\nthree')
    })

    test('a file is written over in place, where others append', async () => {
      const path = `${root}/written-over`
      const file = await disk.openToAppend(path)
      await file.append(bytes('one\ntwo\n'))
      await disk.overwrite(path, bytes('ONE'))
      await disk.overwrite(path, bytes('TW'), 4)
      await file.append(bytes('three\n'))
      await file.close()
      expect(await contentOf(path)).toBe('ONE\nTWo\nthree\n')
      await disk.overwrite(`${root}/written-new`, bytes('new'))
      expect(await contentOf(`${root}/written-new`)).toBe('new')
    })

    test('a file that need not be durable is made and grows in one write', async () => {
      await disk.makeFolderLoosely(`${root}/loose/folder`)
      await disk.appendLoosely(`${root}/loose/folder/notes`, bytes('one\n'))
      await disk.appendLoosely(`${root}/loose/folder/notes`, bytes('two\n'))
      expect(await contentOf(`${root}/loose/folder/notes`)).toBe('one\ntwo\n')
      await disk.makeFolderLoosely(`${root}/loose/folder`)
      await expect(disk.appendLoosely(`${root}/nowhere/notes`, bytes('x'))).rejects.toThrow(Fault)
    })

    test('a folder has an id of its own, and a file has none', async () => {
      await disk.makeFolderLoosely(`${root}/ids/one`)
      await disk.makeFolderLoosely(`${root}/ids/two`)
      await disk.replaceLoosely(`${root}/ids/file`, bytes('abc'))
      const [one, two] = [
        await disk.folderId(`${root}/ids/one`),
        await disk.folderId(`${root}/ids/two`),
      ]
      expect(one).toEqual(expect.any(String))
      expect([await disk.folderId(`${root}/ids/one`), two === one]).toEqual([one, false])
      expect(await disk.folderId(`${root}/ids/file`)).toBeUndefined()
      expect(await disk.folderId(`${root}/ids/none`)).toBeUndefined()
    })

    test('an entry has the kind of the path, and for a file the digest of its bytes', async () => {
      await disk.makeFolderLoosely(`${root}/stands`)
      await disk.replaceLoosely(`${root}/stands/file`, bytes('abc'))
      const stamp = await disk.stamp(`${root}/stands/file`)
      expect(await disk.entry(`${root}/stands/file`)).toEqual({
        kind: 'file',
        isExecutable: false,
        isPrivate: false,
        isReadOnly: false,
        // An entry is one of many files, so its identity is a simpler one.
        stamp: { ...stamp, identity: expect.any(String) },
      })
      expect(await disk.entry(`${root}/stands`)).toEqual({ kind: 'folder' })
      expect(await disk.names(`${root}/stands`)).toEqual(['file'])
      expect(await disk.names(`${root}/none`)).toEqual([])
      expect(await disk.stamp(`${root}/stands`)).toBeDefined()
      expect(await disk.entry(`${root}/stands/none`)).toBeUndefined()
      expect(await disk.sha256(`${root}/stands/file`)).toBe(
        'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      )
      expect(await disk.hashed(`${root}/stands/file`)).toEqual({
        sha256: await disk.sha256(`${root}/stands/file`),
        stamp: { ...stamp, identity: expect.any(String) },
      })
      await expect(disk.hashed(`${root}/stands/none`)).rejects.toThrow(Fault)
      await expect(disk.sha256(`${root}/stands/none`)).rejects.toThrow(Fault)
    })

    test('a file is truncated, and continues from there', async () => {
      const file = await disk.openToAppend(`${root}/cut`)
      await file.append(bytes('one two'))
      await file.cut(3)
      await file.append(bytes(' three'))
      await file.close()
      expect(await contentOf(`${root}/cut`)).toBe('one three')
    })

    test('an entry is copied, and one that is not there is not', async () => {
      await disk.replaceLoosely(`${root}/entry`, bytes('copied'))
      expect(await disk.copyEntry(`${root}/entry`, `${root}/entry copy`)).toBe(true)
      expect(await disk.copyEntry(`${root}/no entry`, `${root}/no copy`)).toBe(false)
      expect(await contentOf(`${root}/entry copy`)).toBe('copied')
      expect(await contentOf(`${root}/no copy`)).toBeUndefined()
    })

    test('a temporary folder is new, and is removed with its content', async () => {
      const [one, other] = [await disk.makeTemporaryFolder(), await disk.makeTemporaryFolder()]
      expect(one).not.toBe(other)
      await disk.makeFolderLoosely(`${one}/a/b`)
      await disk.replaceLoosely(`${one}/a/b/c`, bytes('x'))
      await disk.replaceLoosely(`${other}/c`, bytes('y'))
      await disk.removeFolder(one)
      expect([await contentOf(`${one}/a/b/c`), await contentOf(`${other}/c`)]).toEqual([
        undefined,
        'y',
      ])
      await expect(disk.replaceLoosely(`${one}/c`, bytes('x'))).rejects.toThrow(Fault)
      await disk.removeFolder(other)
      await disk.removeFolder(other)
    })

    test('a stamp identifies a file, its size and its last change', async () => {
      const file = await disk.openToAppend(`${root}/stamped`)
      await file.append(bytes('one'))
      const first = await file.stamp()
      expect(first.size).toBe(3)
      expect(await disk.stamp(`${root}/stamped`)).toEqual(first)
      await new Promise(resolve => setTimeout(resolve, 20))
      await file.append(bytes('two'))
      const second = await file.stamp()
      expect(second.identity).toBe(first.identity)
      expect(second.modifiedNs).toBeGreaterThan(first.modifiedNs)
      expect(second.changedNs).toBeGreaterThan(first.changedNs)
      await file.close()
      await disk.replace(`${root}/stamped`, bytes('onetwo'))
      expect((await disk.stamp(`${root}/stamped`))?.identity).not.toBe(first.identity)
    })

    test.each(['copy', 'copyLoosely'] as const)(
      '%s gives the content and the second of its original, and replaces a file',
      async copy => {
        await disk.replace(`${root}/original`, bytes('new'))
        await disk.replace(`${root}/copied by ${copy}`, bytes('old'))
        expect(await disk[copy](`${root}/none`, `${root}/copied by ${copy}`)).toBe(false)
        expect(await contentOf(`${root}/copied by ${copy}`)).toBe('old')
        await new Promise(resolve => setTimeout(resolve, 1100))
        expect(await disk[copy](`${root}/original`, `${root}/copied by ${copy}`)).toBe(true)
        expect(await contentOf(`${root}/copied by ${copy}`)).toBe('new')
        const [first, second] = [
          (await disk.stamp(`${root}/original`))?.modifiedNs ?? 0n,
          (await disk.stamp(`${root}/copied by ${copy}`))?.modifiedNs ?? 0n,
        ]
        expect(second).toBeLessThanOrEqual(first)
        expect(second / 1_000_000_000n).toBe(first / 1_000_000_000n)
      },
    )

    test.each(['replace', 'replaceLoosely'] as const)(
      '%s puts new content under a name; an open handle keeps the old file',
      async replace => {
        const path = `${root}/${replace}`
        await disk[replace](path, bytes('old'))
        const open = await disk.open(path)
        await disk[replace](path, bytes('new and longer'))
        expect(await contentOf(path)).toBe('new and longer')
        expect(open && text(await open.read(0, 100))).toBe('old')
        await open?.close()
      },
    )

    test('a private file is made once, and stays as it was made', async () => {
      const path = `${root}/private`
      expect(await disk.makePrivate(path, bytes('mine'))).toBe(true)
      expect(await disk.makePrivate(path, bytes('other'))).toBe(false)
      expect(await contentOf(path)).toBe('mine')
      expect(await disk.entry(path)).toMatchObject({ kind: 'file', isPrivate: true })
    })

    test('files of one folder are replaced together, and the folder is made for them', async () => {
      const folder = `${root}/above/together`
      const all = (a: string, b: string) =>
        new Map([
          ['a', bytes(a)],
          ['b', bytes(b)],
        ])
      for (const [a, b] of [
        ['one', 'two'],
        ['three', 'four'],
      ] as const) {
        await disk.replaceAll(folder, all(a, b))
        expect([await contentOf(`${folder}/a`), await contentOf(`${folder}/b`)]).toEqual([a, b])
      }
    })

    test('a replacement that is cancelled at the last check leaves the old content', async () => {
      const path = `${root}/called-off`
      await disk.replace(path, bytes('old'))
      const no = new Fault('conflict', 'no')
      const replacing = disk.replace(path, bytes('new'), () => {
        throw no
      })
      await expect(replacing).rejects.toBe(no)
      expect(await contentOf(path)).toBe('old')
    })

    test('folders are made with those above, and making them again is no error', async () => {
      await disk.makeFolder(`${root}/a/b/c`)
      await disk.makeFolder(`${root}/a/b/c`)
      await disk.replace(`${root}/a/b/c/file`, bytes('x'))
      expect(await contentOf(`${root}/a/b/c/file`)).toBe('x')
      await disk.remove(`${root}/a/b/c/file`)
      expect(await contentOf(`${root}/a/b/c/file`)).toBeUndefined()
    })

    test('files can be made in an existing folder', async () => {
      await disk.checkWritable(root)
      await expect(disk.checkWritable(`${root}/no/folder`)).rejects.toMatchObject({
        code: 'unavailable',
      })
    })

    test('one of two callers gets the lock, and the other learns the holder', async () => {
      const path = `${root}/lock`
      const first = await disk.lock(path, 0)
      expect(first.held).toBe(true)
      const second = await disk.lock(path, 30)
      expect(second).toEqual({ held: false, holder: expect.stringMatching(/^pid \d+ .*since/) })
      if (first.held) await first.release()
      const third = await disk.lock(path, 0)
      expect(third.held).toBe(true)
      if (third.held) await third.release()
    })

    test('the holder is known where a waiter left its mark before the note', async () => {
      const path = `${root}/lock-marked`
      const first = await disk.lock(path, 0)
      await disk.overwrite(path, bytes(`..${(await contentOf(path)) ?? ''}`))
      const second = await disk.lock(path, 0)
      expect(second).toEqual({ held: false, holder: expect.stringMatching(/^pid \d+ .*since/) })
      if (first.held) await first.release()
    })

    test('a waiting caller gets the lock when it is released', async () => {
      const path = `${root}/lock-wait`
      const first = await disk.lock(path, 0)
      const second = disk.lock(path, 5_000)
      if (first.held) await first.release()
      const got = await second
      expect(got.held).toBe(true)
      if (got.held) await got.release()
    })

    test('a lock file without a holder does not lock', async () => {
      await disk.replace(`${root}/left.lock`, bytes('pid: 1\nutc: 2026-02-22T00:00:00Z\n'))
      const lock = await disk.lock(`${root}/left.lock`, 0)
      expect(lock.held).toBe(true)
      if (lock.held) await lock.release()
    })

    test('a lock whose file was removed blocks nobody, and reports it', async () => {
      const path = `${root}/removed.lock`
      const first = await disk.lock(path, 0)
      if (!first.held) throw new Error('nobody else has it')
      expect(first.isValid()).toBe(true)
      await disk.remove(path)
      const second = await disk.lock(path, 0)
      expect(second.held).toBe(true)
      expect(first.isValid()).toBe(false)
      await first.release()
      if (second.held) {
        expect(second.isValid()).toBe(true)
        await second.release()
      }
    })

    test.each([
      ['appending to', () => disk.openToAppend(`${root}/no/folder/file`)],
      ['replacing', () => disk.replace(`${root}/no/folder/file`, bytes(''))],
      ['locking', () => disk.lock(`${root}/no/folder/file`, 0)],
    ])('%s a file without its folder is a failure of the environment', async (_, act) => {
      await expect(act()).rejects.toMatchObject({
        code: 'unavailable',
        detail: { code: 'ENOENT', path: `${root}/no/folder/file` },
      })
    })
  })
}
