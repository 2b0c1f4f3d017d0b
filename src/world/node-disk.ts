import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { awaiting, doing, making, notFollowed } from './disk-fault.ts'
import { madeFolders } from './made-folders.ts'
import { entryAt, foundAt, ifPresent, mustHaveOneName, stampOf } from './node-found.ts'
import { lockFile } from './node-lock.ts'
import { realPathOf } from './node-real-path.ts'
import { madePrivate, replaceDurably, replaceLoosely, replaceTogether } from './node-replace.ts'
import { contentToDisk, syncFolder, writeAll } from './node-writing.ts'
import { removeTree } from './remove-tree.ts'
import { codeOf } from './system-error.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'
import type { Disk, DiskFile } from './world.ts'

// Calls are synchronous for the reason given in node-world.ts: a command waits for nothing else. But
// for those that wait for the disk itself.

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
    doing('write', path, () => replaceLoosely(path, content))
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
