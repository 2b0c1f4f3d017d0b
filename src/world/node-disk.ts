import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  openSync,
  readdirSync,
  readSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { makeFolders, makeTemporaryFolder, removeTree } from './folders.ts'
import { entryAt, foundAt, grownStampOf, mustHaveOneName, realPathOf, stampOf } from './stat.ts'
import { awaitSystem, callSystem, codeOf, diskFault, ifPresent } from './system-error.ts'
import type { Disk, DiskFile, HashedFile } from './world.ts'
import {
  makePrivateFile,
  noFollow,
  replaceDurably,
  replaceTogether,
  replaceWithoutSync,
  syncContent,
  syncFolder,
  writeAll,
} from './write-file.ts'

// Calls are synchronous, but for those that sync: a command has nothing else to do meanwhile.

export const nodeDisk: Disk = {
  async open(path) {
    return callSystem('read', path, () => {
      // Checked before it is opened: opening a pipe waits for a writer.
      foundAt(path)
      const file = ifPresent(() => openSync(path, 'r'))
      return file === undefined ? undefined : diskFile(file, path)
    })
  },

  async openPlain(path) {
    return callSystem('read', path, () => {
      const file = plainFile(path)
      return file === undefined ? undefined : diskFile(file, path)
    })
  },

  async openToAppend(path) {
    return await awaitSystem('write', path, async () => {
      mustHaveOneName(path, foundAt(path))
      const file = ifPresent(() => openSync(path, append))
      return diskFile(file ?? (await createFile(path)), path)
    })
  },

  async stamp(path) {
    return callSystem('read', path, () => {
      const found = foundAt(path)
      return found && grownStampOf(found)
    })
  },

  async folderId(path) {
    return callSystem('read', path, () => {
      const found = foundAt(path)
      return found?.isDirectory() ? `${found.dev}-${found.ino}-${found.birthtimeNs}` : undefined
    })
  },

  async entry(path) {
    return callSystem('read', path, () => entryAt(path))
  },

  async names(folder) {
    return callSystem('read', folder, () => ifPresent(() => readdirSync(folder)) ?? [])
  },

  async sha256(path) {
    return callSystem('read', path, () => {
      foundAt(path)
      return hashedFile(path).sha256
    })
  },

  async hashed(path) {
    return callSystem('read', path, () => hashedFile(path))
  },

  async replace(path, content, lastLook) {
    await awaitSystem('write', path, async () => {
      await replaceDurably(path, content, { lastLook })
      await syncFolder(dirname(path))
    })
  },

  async replaceAll(folder, contents) {
    const first = callSystem('make the folder', folder, () => makeFolders(folder))
    await awaitSystem('write', folder, async () => {
      await replaceTogether(folder, contents, first)
      await syncFolder(folder)
    })
  },

  async makePrivate(path, content) {
    return await awaitSystem('write', path, () => makePrivateFile(path, content))
  },

  async replaceLoosely(path, content) {
    callSystem('write', path, () => replaceWithoutSync(path, content))
  },

  async copy(from, to) {
    const fill = fillFrom(from)
    if (!fill) return false
    await awaitSystem('write', to, async () => {
      await replaceDurably(to, nothing, { prepare: fill })
      await syncFolder(dirname(to))
    })
    return true
  },

  async copyLoosely(from, to) {
    const fill = fillFrom(from)
    if (!fill) return false
    callSystem('write', to, () => replaceWithoutSync(to, nothing, fill))
    return true
  },

  async copyEntry(from, to) {
    const entry = callSystem('read', from, () => entryAt(from))
    if (entry?.kind === 'link') {
      callSystem('write', to, () => symlinkSync(entry.target, to))
      return true
    }
    if (entry?.kind !== 'file') return false
    callSystem('write', to, () => copyFileSync(from, to, constants.COPYFILE_EXCL))
    return true
  },

  async appendLoosely(path, content) {
    callSystem('write', path, () => {
      foundAt(path)
      const file = openSync(path, append | constants.O_CREAT)
      try {
        writeAll(file, content)
      } finally {
        closeSync(file)
      }
    })
  },

  async overwrite(path, content, at = 0) {
    callSystem('write', path, () => {
      const file = openSync(path, constants.O_RDWR | constants.O_CREAT | noFollow)
      try {
        writeSync(file, content, 0, content.length, at)
      } finally {
        closeSync(file)
      }
    })
  },

  async lock(path, waitMs) {
    // A question takes no lock.
    const { lockFile } = await import('./file-lock.ts')
    return await lockFile(path, waitMs)
  },

  async checkWritable(folder) {
    callSystem('write', folder, () => accessSync(folder, constants.W_OK | constants.X_OK))
  },

  async makeFolder(path) {
    await awaitSystem('make the folder', path, async () => {
      const first = makeFolders(path)
      if (first !== undefined) await syncFolder(dirname(first))
    })
  },

  async makeFolderLoosely(path) {
    callSystem('make the folder', path, () => makeFolders(path))
  },

  async makeTemporaryFolder() {
    return makeTemporaryFolder()
  },

  async remove(path) {
    callSystem('remove', path, () => ifPresent(() => unlinkSync(path)))
  },

  async removeFolder(path) {
    callSystem('remove', path, () => removeTree(path))
  },

  async realPath(path) {
    return callSystem('reach', path, () => realPathOf(path))
  },
}

const nsPerSecond = 1_000_000_000n

const nothing = new Uint8Array()
const piece = Buffer.allocUnsafe(256 * 1024)

/** Fills an empty file with the content of another one, and gives it the second of its original. */
function fillFrom(from: string) {
  const found = callSystem('read', from, () => foundAt(from))
  if (!found) return undefined
  const modified = Number(found.mtimeNs / nsPerSecond)
  return (to: number) => {
    const file = callSystem('read', from, () => openSync(from, 'r'))
    try {
      const next = () => callSystem('read', from, () => readSync(file, piece))
      for (let read = next(); read > 0; read = next()) writeAll(to, piece.subarray(0, read))
    } finally {
      closeSync(file)
    }
    futimesSync(to, modified, modified)
  }
}

function hashedFile(path: string): HashedFile {
  // `node:crypto` is slow to load, and most commands hash no file.
  const { createHash, hash } = process.getBuiltinModule('node:crypto')
  // Opening a pipe does not wait for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const first = readSync(file, piece)
    const found = fstatSync(file, { bigint: true })
    // Most files end here, so that their end need not be read.
    if (found.isFile() && found.size === BigInt(first)) {
      const sha256 = hash('sha256', piece.subarray(0, first), 'hex')
      return { sha256, stamp: stampOf(found) }
    }
    foundAt(path)
    const whole = createHash('sha256')
    for (let read = first; read > 0; read = readSync(file, piece)) {
      whole.update(piece.subarray(0, read))
    }
    return { sha256: whole.digest('hex'), stamp: stampOf(fstatSync(file, { bigint: true })) }
  } finally {
    closeSync(file)
  }
}

/** Readable too, because the store reads the end of a file before it appends. Creates no file. */
const append = constants.O_RDWR | constants.O_APPEND | noFollow

async function createFile(path: string): Promise<number> {
  let file: number
  try {
    file = openSync(path, 'ax+')
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    return openSync(path, append)
  }
  await syncFolder(dirname(path))
  return file
}

/** Without this flag, opening a pipe waits for a writer. */
const plain = constants.O_RDONLY | constants.O_NONBLOCK | noFollow

/** A link, a socket, and a file that nobody may read. */
const notPlain = ['ELOOP', 'ENXIO', 'EACCES', 'EPERM']

function plainFile(path: string): number | undefined {
  try {
    const file = ifPresent(() => openSync(path, plain))
    if (file === undefined || fstatSync(file).isFile()) return file
    closeSync(file)
    return undefined
  } catch (error) {
    if (notPlain.includes(codeOf(error))) return undefined
    throw error
  }
}

function diskFile(file: number, path: string): DiskFile {
  let isSynced = true
  return {
    async stamp() {
      return callSystem('read', path, () => grownStampOf(fstatSync(file, { bigint: true })))
    },
    async read(at, length) {
      return callSystem('read', path, () => readAt(file, at, length))
    },
    readNow(at, length) {
      return callSystem('read', path, () => readAt(file, at, length))
    },
    async append(bytes) {
      isSynced = false
      callSystem('write', path, () => writeAll(file, bytes))
    },
    async cut(size) {
      isSynced = false
      callSystem('write', path, () => ftruncateSync(file, size))
    },
    async sync() {
      await awaitSystem('write', path, () => syncContent(file))
      isSynced = true
    },
    async close() {
      try {
        closeSync(file)
      } catch (error) {
        // The file is closed all the same. A disk on a network reports here that a write was lost.
        if (!isSynced) throw diskFault('write', path, error)
      }
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
