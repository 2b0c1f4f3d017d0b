import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { nodeDisk } from '../world/node-disk.ts'
import { describeDisk } from './disk.contract.ts'
import { SimCrash, SimDisk, type SimFault } from './sim-disk.ts'

const root = mkdtempSync(join(tmpdir(), 'premath-disk-'))
afterAll(() => rmSync(root, { recursive: true }))

mkdirSync(join(root, 'contract'))
describeDisk('the machine', nodeDisk, join(root, 'contract'))
describeDisk('the simulated disk', new SimDisk({ files: { '/r/x': '' } }), '/r')

const bytes = (text: string) => new TextEncoder().encode(text)

describe('the machine', () => {
  test('replacing leaves no draft behind, also when it fails', async () => {
    const folder = join(root, 'drafts')
    mkdirSync(join(folder, 'taken', 'inside'), { recursive: true })
    await nodeDisk.replace(join(folder, 'file'), bytes('x'))
    await expect(nodeDisk.replace(join(folder, 'taken'), bytes('x'))).rejects.toMatchObject({
      code: 'unavailable',
    })
    const three = new Map(['a', 'taken', 'z'].map(name => [name, bytes('x')]))
    await expect(nodeDisk.replaceAll(folder, three)).rejects.toMatchObject({ code: 'unavailable' })
    expect(readdirSync(folder)).toEqual(['a', 'file', 'taken'])
  })

  test('a folder is removed with files of any name, and the targets of its links stay', async () => {
    const folder = join(root, 'named')
    for (const name of ['1/1/1', '2', 'a/2/3']) mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(root, 'kept'), 'x')
    symlinkSync('../../kept', join(folder, 'a', 'link'))
    symlinkSync('../..', join(folder, 'a', 'above'))
    writeFileSync(Buffer.from([...Buffer.from(join(folder, '2/')), 0x66, 0xff]), '')
    chmodSync(join(folder, 'a/2'), 0)
    chmodSync(join(folder, 'a'), 0o555)
    await nodeDisk.removeFolder(folder)
    expect(lstatSync(folder, { throwIfNoEntry: false })).toBeUndefined()
    expect(statSync(join(root, 'kept')).size).toBe(1)
  })

  test('a folder is removed at any depth of nesting', async () => {
    const folder = join(root, 'nested')
    mkdirSync(folder)
    const script =
      'for (let at = 0; at < 3000; at++) { fs.mkdirSync("a"); process.chdir("a") } fs.writeFileSync("b", "")'
    execFileSync(process.execPath, ['-e', script], { cwd: folder })
    await nodeDisk.removeFolder(folder)
    expect(lstatSync(folder, { throwIfNoEntry: false })).toBeUndefined()
  })

  test('the fault names a file or a dangling link in place of a folder', async () => {
    const folder = join(root, 'in-the-way')
    mkdirSync(folder)
    writeFileSync(join(folder, 'file'), '')
    symlinkSync('nowhere', join(folder, 'link'))
    const codes = ['file', 'file/a/b', 'link', 'link/a'].map(async name =>
      nodeDisk.makeFolder(join(folder, name)).catch(fault => fault.detail.code),
    )
    expect(await Promise.all(codes)).toEqual(['EEXIST', 'EEXIST', 'EEXIST', 'EEXIST'])
    expect(readdirSync(folder)).toEqual(['file', 'link'])
  })

  test.skipIf(process.platform !== 'linux')(
    'a folder that the system never makes is a fault',
    async () => {
      await expect(nodeDisk.makeFolderLoosely('/proc/premath/a/b')).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('could not make the folder /proc/premath/a/b'),
        hint: 'No folder can be made there: name another path.',
      })
    },
  )

  test('a replaced file keeps its permissions', async () => {
    const file = join(root, 'private')
    await nodeDisk.replace(file, bytes('x'))
    chmodSync(file, 0o600)
    await nodeDisk.replace(file, bytes('y'))
    expect([statSync(file).mode & 0o777, readFileSync(file, 'utf8')]).toEqual([0o600, 'y'])
  })

  test.skipIf(process.platform === 'win32')(
    'only regular files are opened, appended to or replaced',
    async () => {
      const folder = join(root, 'odd')
      mkdirSync(folder)
      const pipe = join(folder, 'pipe')
      execFileSync('mkfifo', [pipe])
      for (const act of [
        () => nodeDisk.stamp(pipe),
        () => nodeDisk.open(pipe),
        () => nodeDisk.openToAppend(pipe),
        () => nodeDisk.replace(pipe, bytes('x')),
        () => nodeDisk.replaceLoosely(pipe, bytes('x')),
      ]) {
        await expect(act()).rejects.toMatchObject({
          code: 'unavailable',
          message: `${pipe} is a device or a pipe, and a file is needed there`,
          hint: expect.stringContaining('Name a file'),
        })
      }
      expect(readdirSync(folder)).toEqual(['pipe'])
      expect(lstatSync(pipe).isFIFO()).toBe(true)
    },
  )

  test('a file with two hard links is not appended to', async () => {
    const [one, other] = [join(root, 'one name'), join(root, 'other name')]
    writeFileSync(one, 'x')
    linkSync(one, other)
    for (const name of [one, other]) {
      await expect(nodeDisk.openToAppend(name)).rejects.toMatchObject({
        code: 'unavailable',
        message: `${name} has another name, by a hard link`,
        hint: expect.stringContaining('a file of its own'),
      })
    }
    rmSync(other)
    await (await nodeDisk.openToAppend(one)).close()
  })

  test('a link in place of a premath file is not written through', async () => {
    const [kept, link] = [join(root, 'kept'), join(root, 'link to kept')]
    const dangling = join(root, 'link to nothing')
    writeFileSync(kept, 'kept')
    symlinkSync(kept, link)
    symlinkSync(join(root, 'not there'), dangling)
    for (const path of [link, dangling]) {
      for (const act of [
        () => nodeDisk.lock(path, 0),
        () => nodeDisk.openToAppend(path),
        () => nodeDisk.appendLoosely(path, bytes('more')),
        () => nodeDisk.overwrite(path, bytes('more')),
      ]) {
        await expect(act()).rejects.toMatchObject({
          code: 'unavailable',
          message: expect.stringContaining(path),
          hint: expect.stringContaining('It is a symbolic link'),
        })
      }
    }
    expect([readFileSync(kept, 'utf8'), existsSync(join(root, 'not there'))]).toEqual([
      'kept',
      false,
    ])
  })

  test('links are followed, and missing path segments are kept', async () => {
    mkdirSync(join(root, 'target'))
    symlinkSync('target', join(root, 'link'))
    const real = await nodeDisk.realPath(join(root, 'target'))
    expect(await nodeDisk.realPath(join(root, 'link/a/b'))).toBe(join(real, 'a/b'))
  })

  test('a copy of a link is a link, and a copy of a program is a program', async () => {
    symlinkSync('nowhere', join(root, 'a link'))
    writeFileSync(join(root, 'a program'), '#!/bin/sh\n', { mode: 0o755 })
    for (const name of ['a link', 'a program']) {
      await nodeDisk.copyEntry(join(root, name), join(root, `${name} copied`))
    }
    expect(await nodeDisk.entry(join(root, 'a link copied'))).toMatchObject({ target: 'nowhere' })
    expect(await nodeDisk.entry(join(root, 'a program copied'))).toMatchObject({
      isExecutable: true,
    })
  })

  test('a link is reported as a link, and a program is distinct from a file', async () => {
    symlinkSync('nowhere/at/all', join(root, 'dangling'))
    writeFileSync(join(root, 'program'), '#!/bin/sh\n', { mode: 0o755 })
    expect(await nodeDisk.entry(join(root, 'dangling'))).toEqual({
      kind: 'link',
      target: 'nowhere/at/all',
    })
    expect(await nodeDisk.entry(join(root, 'program'))).toMatchObject({
      kind: 'file',
      isExecutable: true,
      isPrivate: expect.any(Boolean),
      isReadOnly: false,
    })
    chmodSync(join(root, 'program'), 0o555)
    expect(await nodeDisk.entry(join(root, 'program'))).toMatchObject({ isReadOnly: true })
    expect(await nodeDisk.entry('/dev/null')).toEqual({ kind: 'other' })
    await expect(nodeDisk.sha256('/dev/zero')).rejects.toMatchObject({ code: 'unavailable' })
  })

  test.skipIf(process.getuid?.() === 0)('a folder we may not write names the remedy', async () => {
    const folder = join(root, 'read-only')
    mkdirSync(folder)
    chmodSync(folder, 0o555)
    await expect(nodeDisk.openToAppend(join(folder, 'file'))).rejects.toMatchObject({
      code: 'unavailable',
      hint: 'Give yourself permission to write there.',
    })
  })
})

describe('the simulated disk', () => {
  const failing = (what: string, fault: SimFault, chance = 0.5) =>
    new SimDisk({
      files: { '/r/log': 'kept' },
      chance: () => chance,
      fault: (_, call) => (call === what ? fault : undefined),
    })
  const after = (disk: SimDisk) => new TextDecoder().decode(disk.contents().get('/r/log'))

  test('loses unsynced data in a power failure', async () => {
    for (const [chance, left] of [
      [0, 'kept'],
      [0.5, 'kept a'],
      [0.99, 'kept and'],
    ] as const) {
      const disk = new SimDisk({ files: { '/r/log': 'kept' }, chance: () => chance })
      const file = await disk.openToAppend('/r/log')
      await file.append(bytes(' and'))
      expect(after(disk.afterCrash())).toBe(left)
      await file.sync()
      expect(after(disk.afterCrash())).toBe('kept and')
    }
  })

  test('tears a write', async () => {
    const disk = failing('write', 'torn')
    const file = await disk.openToAppend('/r/log')
    await expect(file.append(bytes(' and'))).rejects.toMatchObject({ code: 'unavailable' })
    expect(after(disk)).toBe('kept a')
  })

  test('crashes in the middle of a write', async () => {
    const disk = failing('write', 'torn crash')
    const file = await disk.openToAppend('/r/log')
    await expect(file.append(bytes(' and'))).rejects.toThrow(SimCrash)
    expect(after(disk.afterCrash())).toBe('kept ')
  })

  test('does not write data later that a failed sync lost', async () => {
    let failed = false
    const disk = new SimDisk({
      files: { '/r/log': 'kept' },
      chance: () => 0.99,
      fault: (_, call) => {
        const fails = call === 'sync' && !failed
        failed ||= fails
        return fails ? 'EIO' : undefined
      },
    })
    const file = await disk.openToAppend('/r/log')
    await file.append(bytes(' and'))
    await expect(file.sync()).rejects.toMatchObject({ code: 'unavailable' })
    await file.sync()
    expect(after(disk.afterCrash())).not.toBe('kept and')
    await file.cut(4)
    await file.append(bytes(' or'))
    await file.sync()
    expect(after(disk.afterCrash())).toBe('kept or')
  })
})
