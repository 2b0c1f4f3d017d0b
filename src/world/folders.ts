/** Makes and removes folders. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { callSystem, codeOf } from './system-error.ts'

/**
 * Makes a folder and those above it, and returns the topmost that was missing. Node's recursive
 * `mkdir` never returns below /proc, where the system reports a folder as missing and cannot make it.
 */
export function makeFolders(path: string): string | undefined {
  const missing: string[] = []
  for (let above = path; !isFolder(above) && above !== dirname(above); above = dirname(above)) {
    missing.push(above)
  }
  for (const folder of missing.toReversed()) makeFolder(folder)
  return missing.at(-1)
}

/** A file above it counts as missing: `mkdir` then reports the file. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return false
    throw error
  }
}

/** Another process may make the same folder at the same time. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !isFolder(path)) throw error
  }
}

export function makeTemporaryFolder(): string {
  const place = tmpdir()
  return callSystem('write', place, () => mkdtempSync(join(place, 'premath-')))
}

/** Removes the folder when `use` returns. Files that are open by then have no name, and stay open. */
export function inTemporaryFolder<T>(use: (folder: string) => T): T {
  const folder = makeTemporaryFolder()
  return callSystem('write', folder, () => {
    try {
      return use(folder)
    } finally {
      removeSmall(folder)
    }
  })
}

/** An empty folder needs no descriptor, which may be scarce. */
function removeSmall(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (codeOf(error) !== 'ENOTEMPTY') throw error
    rmSync(folder, { recursive: true })
  }
}

/**
 * Removes a folder and everything in it: also read-only parts, and folders nested deeper than the
 * longest possible path. Inner folders are moved to the top before they are emptied.
 */
export function removeTree(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (found.isDirectory()) removeFolder(path)
  else unlinkSync(path)
}

function removeFolder(path: string): void {
  const top = Buffer.from(path)
  const pending = removeFilesIn(top).map(name => within(top, name))
  const names = new FreshNames(pending)
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const name of removeFilesIn(next)) {
      const folder = within(next, name)
      // Moving a folder changes its `..` entry, so the folder itself must be writable.
      chmodSync(folder, ownerOnly)
      const moved = names.next(top)
      renameSync(folder, moved)
      pending.push(moved)
    }
    rmdirSync(next)
  }
  rmdirSync(path)
}

const ownerOnly = 0o700

/** Returns the names of the folders that are left. */
function removeFilesIn(folder: Buffer): Buffer[] {
  chmodSync(folder, ownerOnly)
  const folders: Buffer[] = []
  // A file name need not be valid UTF-8, so names are bytes.
  for (const one of readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })) {
    if (one.isDirectory()) folders.push(one.name)
    else unlinkSync(within(folder, one.name))
  }
  return folders
}

const within = (folder: Buffer, name: Buffer): Buffer =>
  Buffer.concat([folder, Buffer.from('/'), name])

/** Names that no folder at the top has: `rename` onto an empty folder would replace it. */
class FreshNames {
  readonly #taken: ReadonlySet<string>
  #last = 0

  constructor(taken: readonly Buffer[]) {
    this.#taken = new Set(taken.map(one => one.toString('latin1')))
  }

  next(top: Buffer): Buffer {
    this.#last++
    const path = within(top, Buffer.from(String(this.#last)))
    return this.#taken.has(path.toString('latin1')) ? this.next(top) : path
  }
}
