import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fdatasync,
  fstatSync,
  fsync,
  ftruncateSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { awaiting, doing, making, noFile, notFollowed, otherName } from './disk-fault.ts'
import { madeFolders } from './made-folders.ts'
import { lockFile } from './node-lock.ts'
import { removeTree } from './remove-tree.ts'
import { codeOf } from './system-error.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'
import type { Disk, DiskEntry, DiskFile, FileStamp } from './world.ts'

// Calls are synchronous for the reason given in node-world.ts: a command waits for nothing else. But
// for those that wait for the disk itself: of several workers, only one has to.
const toDisk = promisify(fsync)
const contentToDisk = promisify(fdatasync)

export const nodeDisk: Disk = {
  async open(path) {
    return doing('read', path, () => {
      // Before it is opened: opening a pipe waits until somebody writes to it.
      foundAt(path)
      const file = ifPresent(() => openSync(path, 'r'))
      return file === undefined ? undefined : diskFile(file, path)
    })
  },

  async openToAppend(path) {
    return await awaiting('write', path, async () => {
      mustHaveOneName(path, foundAt(path))
      const file = ifPresent(() => openSync(path, append))
      return diskFile(file ?? (await made(path)), path)
    })
  },

  async stamp(path) {
    return doing('read', path, () => {
      const found = foundAt(path)
      return found && stampOf(found)
    })
  },

  async entry(path) {
    return doing('read', path, () => entryAt(path))
  },

  async sha256(path) {
    return doing('read', path, () => {
      foundAt(path)
      return sha256Of(path)
    })
  },

  async replace(path, content, lastLook) {
    await awaiting('write', path, async () => {
      await replaceDurably(path, content, lastLook)
      await syncFolder(dirname(path))
    })
  },

  async replaceAll(folder, contents) {
    const first = doing(making, folder, () => madeFolders(folder))
    await awaiting('write', folder, async () => {
      await replaceTogether(folder, contents, first)
      await syncFolder(folder)
    })
  },

  async makePrivate(path, content) {
    return await awaiting('write', path, () => madePrivate(path, content))
  },

  async replaceLoosely(path, content) {
    doing('write', path, () => {
      const { draft, file } = draftOf(path, content)
      closeSync(file)
      putInPlace(draft, path)
    })
  },

  async appendLoosely(path, content) {
    doing('write', path, () => {
      foundAt(path)
      const file = openSync(path, append | constants.O_CREAT)
      try {
        writeAll(file, content)
      } finally {
        closeSync(file)
      }
    })
  },

  async overwrite(path, content) {
    doing('write', path, () => {
      const file = openSync(path, constants.O_RDWR | constants.O_CREAT | notFollowed)
      try {
        writeSync(file, content, 0, content.length, 0)
      } finally {
        closeSync(file)
      }
    })
  },

  async lock(path, waitMs) {
    return await lockFile(path, waitMs)
  },

  async checkWritable(folder) {
    doing('write', folder, () => accessSync(folder, constants.W_OK | constants.X_OK))
  },

  async makeFolder(path) {
    await awaiting(making, path, async () => {
      const first = madeFolders(path)
      if (first !== undefined) await syncFolder(dirname(first))
    })
  },

  async makeFolderLoosely(path) {
    doing(making, path, () => madeFolders(path))
  },

  async makeTemporaryFolder() {
    return makeTemporaryFolder()
  },

  async remove(path) {
    doing('remove', path, () => ifPresent(() => unlinkSync(path)))
  },

  async removeFolder(path) {
    doing('remove', path, () => removeTree(path))
  },

  async realPath(path) {
    return doing('reach', path, () => realPathOf(path))
  },
}

/** What is there, which is a file or a folder: a device must neither be written nor be replaced. */
function foundAt(path: string): BigIntStats | undefined {
  const found = ifPresent(() => statSync(path, { bigint: true, throwIfNoEntry: false }))
  if (!found || found.isFile() || found.isDirectory()) return found
  throw noFile(path)
}

/** What is added under one name is there under the other, where another rule may hold. */
function mustHaveOneName(path: string, found: BigIntStats | undefined): void {
  if (!found?.isFile() || found.nlink <= 1n) return
  throw otherName(path)
}

const executableBits = 0o111n
const othersBits = 0o077n
const writingBits = 0o222n
const ownerOnly = 0o600

function entryAt(path: string): DiskEntry | undefined {
  const found = ifPresent(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }))
  if (found === undefined) return undefined
  if (found.isDirectory()) return { kind: 'folder' }
  if (found.isSymbolicLink()) return { kind: 'link', target: readlinkSync(path) }
  if (!found.isFile()) return { kind: 'other' }
  const isExecutable = (found.mode & executableBits) !== 0n
  // Windows has no such bits, and tells nothing of others by them.
  const isPrivate = process.platform === 'win32' || (found.mode & othersBits) === 0n
  const isReadOnly = (found.mode & writingBits) === 0n
  return { kind: 'file', isExecutable, isPrivate, isReadOnly, stamp: stampOf(found) }
}

const hashed = Buffer.allocUnsafe(256 * 1024)

function sha256Of(path: string): string {
  // Loaded when it is wanted: it takes long, and most commands hash no file.
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  const file = openSync(path, 'r')
  try {
    for (let read = readSync(file, hashed); read > 0; read = readSync(file, hashed)) {
      hash.update(hashed.subarray(0, read))
    }
  } finally {
    closeSync(file)
  }
  return hash.digest('hex')
}

/** Read too, so that what is at the end can be looked at before more is added. Makes nothing. */
const append = constants.O_RDWR | constants.O_APPEND | notFollowed
const maker = 'ax+'

async function made(path: string): Promise<number> {
  let file: number
  try {
    file = openSync(path, maker)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    return openSync(path, append)
  }
  await syncFolder(dirname(path))
  return file
}

function diskFile(file: number, path: string): DiskFile {
  return {
    async stamp() {
      return doing('read', path, () => stampOf(fstatSync(file, { bigint: true })))
    },
    async read(at, length) {
      return doing('read', path, () => readAt(file, at, length))
    },
    readNow(at, length) {
      return doing('read', path, () => readAt(file, at, length))
    },
    async append(bytes) {
      doing('write', path, () => writeAll(file, bytes))
    },
    async cut(size) {
      doing('write', path, () => ftruncateSync(file, size))
    },
    async sync() {
      await awaiting('write', path, () => contentToDisk(file))
    },
    async close() {
      closeSync(file)
    },
  }
}

function readAt(file: number, at: number, length: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(length)
  let read = 0
  while (read < length) {
    const more = readSync(file, bytes, read, length - read, at + read)
    if (more === 0) break
    read += more
  }
  return bytes.subarray(0, read)
}

/** One write takes it all, unless the disk is nearly full; then the next one says so. */
function writeAll(file: number, bytes: Uint8Array): void {
  let written = 0
  while (written < bytes.length) written += writeSync(file, bytes, written)
}

interface SystemStamp {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
}

const stampOf = ({ dev, ino, size, mtimeNs, ctimeNs }: SystemStamp): FileStamp => ({
  identity: `${dev}:${ino}`,
  size: Number(size),
  modifiedNs: mtimeNs,
  changedNs: ctimeNs,
})

let replaced = 0

/** Beside the path, so that it can be moved there in one step. Whoever asked closes it. */
function draftOf(path: string, content: Uint8Array): { draft: string; file: number } {
  const found = foundAt(path)
  const draft = `${path}.tmp.${process.pid}.${replaced++}`
  const file = openSync(draft, 'w')
  try {
    // What was kept from others stays so.
    if (found?.isFile()) fchmodSync(file, Number(found.mode & 0o777n))
    writeAll(file, content)
  } catch (error) {
    closeSync(file)
    rmSync(draft, { force: true })
    throw error
  }
  return { draft, file }
}

function putInPlace(draft: string, path: string): void {
  try {
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

async function replaceDurably(
  path: string,
  content: Uint8Array,
  lastLook?: () => void,
): Promise<void> {
  const { draft, file } = draftOf(path, content)
  try {
    await toDisk(file)
    lastLook?.()
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
  putInPlace(draft, path)
}

/** Waits once for all of them, and for the name of the first folder that was made for them. */
async function replaceTogether(
  folder: string,
  contents: ReadonlyMap<string, Uint8Array>,
  first: string | undefined,
): Promise<void> {
  const drafts: { path: string; draft: string; file: number }[] = []
  try {
    for (const [name, content] of contents) {
      const path = join(folder, name)
      drafts.push({ path, ...draftOf(path, content) })
    }
    const syncs = drafts.map(({ file }) => toDisk(file))
    if (first !== undefined) syncs.push(syncFolder(dirname(first)))
    await allOf(syncs)
    for (const { draft, path } of drafts) renameSync(draft, path)
  } catch (error) {
    for (const { draft } of drafts) rmSync(draft, { force: true })
    throw error
  } finally {
    for (const { file } of drafts) closeSync(file)
  }
}

/** Not before the last has ended: what is still synced must not be closed. */
async function allOf(syncs: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(syncs)
  await Promise.all(syncs)
}

async function madePrivate(path: string, content: Uint8Array): Promise<boolean> {
  let file: number
  try {
    file = openSync(path, 'wx', ownerOnly)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  try {
    writeAll(file, content)
    await toDisk(file)
  } finally {
    closeSync(file)
  }
  await syncFolder(dirname(path))
  return true
}

/** A name is durable when the folder that holds it is. Windows has no such call and needs none. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    await toDisk(folder)
  } finally {
    closeSync(folder)
  }
}

const linksMax = 40

/** Also of a path that is not there yet, and of a link whose target is not. */
function realPathOf(path: string, links = 0): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || links > linksMax) throw error
    const target = linkAt(path)
    if (target !== undefined) return realPathOf(resolve(dirname(path), target), links + 1)
    const above = dirname(path)
    return above === path ? path : join(realPathOf(above, links + 1), basename(path))
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch (error) {
    if (codeOf(error) === 'EINVAL' || codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function ifPresent<T>(call: () => T): T | undefined {
  try {
    return call()
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}
