/** Reads the kind, stamp and permissions of a path. */
import { type BigIntStats, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Fault } from '../fault.ts'
import { codeOf, ifPresent, shown } from './system-error.ts'
import type { DiskEntry, FileStamp } from './world.ts'

/** Fails on a device or a pipe: neither may be written to or replaced. */
export function foundAt(path: string): BigIntStats | undefined {
  const found = ifPresent(() => statSync(path, { bigint: true, throwIfNoEntry: false }))
  if (!found || found.isFile() || found.isDirectory()) return found
  throw noFile(path)
}

export const noFile = (path: string) =>
  new Fault('unavailable', `${shown(path)} is a device or a pipe, and a file is needed there`, {
    hint: 'Nothing was changed. Name a file. premath doctor tells how to replace one of the project.',
    detail: { path: shown(path), code: 'EINVAL' },
  })

/** A change under one name would also appear under the other, where other rules may apply. */
export function mustHaveOneName(path: string, found: BigIntStats | undefined): void {
  if (!found?.isFile() || found.nlink <= 1n) return
  throw new Fault('unavailable', `${shown(path)} has another name, by a hard link`, {
    hint: 'Make it a file of its own: copy it, and move the copy into its place.',
    detail: { path },
  })
}

const executableBits = 0o111n
const othersBits = 0o077n
const writableBits = 0o222n

export function entryAt(path: string): DiskEntry | undefined {
  const found = ifPresent(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }))
  if (found === undefined) return undefined
  if (found.isDirectory()) return { kind: 'folder' }
  if (found.isSymbolicLink()) return { kind: 'link', target: readlinkSync(path) }
  if (!found.isFile()) return { kind: 'other' }
  const isExecutable = (found.mode & executableBits) !== 0n
  // On Windows these bits say nothing about other users.
  const isPrivate = process.platform === 'win32' || (found.mode & othersBits) === 0n
  const isReadOnly = (found.mode & writableBits) === 0n
  return { kind: 'file', isExecutable, isPrivate, isReadOnly, stamp: stampOf(found) }
}

type Found = Pick<BigIntStats, 'dev' | 'ino' | 'birthtimeNs' | 'size' | 'mtimeNs' | 'ctimeNs'>

/** For one of many files: the time of its last change tells whether it was made anew. */
export const stampOf = ({ dev, ino, size, mtimeNs, ctimeNs }: Found): FileStamp => ({
  identity: `${dev}:${ino}`,
  size: Number(size),
  modifiedNs: mtimeNs,
  changedNs: ctimeNs,
})

/**
 * For a file that grows. A new file often has the number of one that was removed, and only the time of
 * its birth tells them apart.
 */
export const grownStampOf = (found: Found): FileStamp => ({
  ...stampOf(found),
  identity: `${found.dev}:${found.ino}:${found.birthtimeNs}`,
})

const linksMax = 40

/** Also resolves a path that does not exist yet, and a link whose target does not. */
export function realPathOf(path: string, links = 0): string {
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
