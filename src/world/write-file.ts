/** Writes files and waits for the disk. A new version is written beside the old one and renamed. */
import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fdatasync,
  fsync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { entryAt, foundAt } from './stat.ts'
import { codeOf } from './system-error.ts'

// Unlike other calls these are asynchronous: the other workers go on while one waits for the disk.
const syncFile = promisify(fsync)
export const syncContent = promisify(fdatasync)

/** For premath's own files: a link in their place would lead to somebody else's file. */
export const noFollow = constants.O_NOFOLLOW ?? 0

/** A write is partial only when the disk is nearly full; the next one then fails. */
export function writeAll(file: number, bytes: Uint8Array): void {
  let written = 0
  while (written < bytes.length) written += writeSync(file, bytes, written)
}

/** A file name is durable when its folder is synced. Windows has no such call and needs none. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    await syncFile(folder)
  } finally {
    closeSync(folder)
  }
}

interface Draft {
  readonly path: string
  readonly draft: string
  readonly file: number
}

let drafts = 0

const draftPath = (path: string) => `${path}.tmp.${process.pid}.${drafts++}`

/** A draft is in the same folder, so that one rename puts it in place. The caller closes it. */
function draftOf(path: string, content: Uint8Array): Draft {
  const found = foundAt(path)
  const draft = draftPath(path)
  const file = openSync(draft, 'w')
  try {
    if (found?.isFile()) fchmodSync(file, Number(found.mode & 0o777n))
    writeAll(file, content)
  } catch (error) {
    closeSync(file)
    rmSync(draft, { force: true })
    throw error
  }
  return { path, draft, file }
}

/** Does not wait for the disk. */
export function replaceWithoutSync(
  path: string,
  content: Uint8Array,
  prepare?: (file: number) => void,
): void {
  const { draft, file } = draftOf(path, content)
  try {
    try {
      prepare?.(file)
    } finally {
      closeSync(file)
    }
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

interface DraftSteps {
  /** Called with the open draft, before it is synced. */
  readonly prepare?: ((file: number) => void) | undefined
  /** Called just before the rename. It may throw to cancel it. */
  readonly lastLook?: (() => void) | undefined
}

export async function replaceDurably(
  path: string,
  content: Uint8Array,
  { prepare, lastLook }: DraftSteps = {},
): Promise<void> {
  const { draft, file } = draftOf(path, content)
  try {
    try {
      prepare?.(file)
      await syncFile(file)
      lastLook?.()
    } finally {
      closeSync(file)
    }
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Syncs all files at the same time, and the name of `first`, a folder that was made for them. */
export async function replaceTogether(
  folder: string,
  contents: ReadonlyMap<string, Uint8Array>,
  first: string | undefined,
): Promise<void> {
  const drafts: Draft[] = []
  try {
    for (const [name, content] of contents) drafts.push(draftOf(join(folder, name), content))
    const syncs = drafts.map(({ file }) => syncFile(file))
    if (first !== undefined) syncs.push(syncFolder(dirname(first)))
    // A file must not be closed while it is synced, so a failure waits for the others.
    await Promise.allSettled(syncs)
    await Promise.all(syncs)
    for (const { draft, path } of drafts) renameSync(draft, path)
  } catch (error) {
    for (const { draft } of drafts) rmSync(draft, { force: true })
    throw error
  } finally {
    for (const { file } of drafts) closeSync(file)
  }
}

const ownerOnly = 0o600

/** Whole or not at all, also after a crash: nobody can tell whose an empty lock is. */
export async function makePrivateFile(path: string, content: Uint8Array): Promise<boolean> {
  if (entryAt(path)) return false
  const draft = draftPath(path)
  try {
    const file = openSync(draft, 'wx', ownerOnly)
    try {
      writeAll(file, content)
      await syncFile(file)
    } finally {
      closeSync(file)
    }
    if (!isPutBeside(draft, path)) return false
  } finally {
    rmSync(draft, { force: true })
  }
  await syncFolder(dirname(path))
  return true
}

/** Gives the file its name, unless another file has it. A rename would replace that one. */
function isPutBeside(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (!withoutLinks.includes(codeOf(error))) throw error
    copyFileSync(draft, path, constants.COPYFILE_EXCL)
    return true
  }
}

/** Some file systems have no hard links: FAT, and some over a network. */
const withoutLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']
