/** What is at a path, for Node. */
import { type BigIntStats, lstatSync, readlinkSync, statSync } from 'node:fs'
import { noFile, otherName } from './disk-fault.ts'
import { codeOf } from './system-error.ts'
import type { DiskEntry, FileStamp } from './world.ts'

/** What is there, which is a file or a folder: a device must neither be written nor be replaced. */
export function foundAt(path: string): BigIntStats | undefined {
  const found = ifPresent(() => statSync(path, { bigint: true, throwIfNoEntry: false }))
  if (!found || found.isFile() || found.isDirectory()) return found
  throw noFile(path)
}

/** What is added under one name is there under the other, where another rule may hold. */
export function mustHaveOneName(path: string, found: BigIntStats | undefined): void {
  if (!found?.isFile() || found.nlink <= 1n) return
  throw otherName(path)
}

const executableBits = 0o111n
const othersBits = 0o077n
const writingBits = 0o222n

export function entryAt(path: string): DiskEntry | undefined {
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

interface SystemStamp {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
}

export const stampOf = ({ dev, ino, size, mtimeNs, ctimeNs }: SystemStamp): FileStamp => ({
  identity: `${dev}:${ino}`,
  size: Number(size),
  modifiedNs: mtimeNs,
  changedNs: ctimeNs,
})

export function ifPresent<T>(call: () => T): T | undefined {
  try {
    return call()
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}
