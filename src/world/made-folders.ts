import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from './system-error.ts'

/**
 * Makes a folder and those above it, one by one, and returns the first that was not there. Node's
 * own way never ends where the system says that a folder is not there and does not make it either,
 * as below /proc.
 */
export function madeFolders(path: string): string | undefined {
  const missing: string[] = []
  for (let above = path; !isFolder(above) && above !== dirname(above); above = dirname(above)) {
    missing.push(above)
  }
  for (const folder of missing.toReversed()) make(folder)
  return missing.at(-1)
}

/** Where a file stands in the way, making the folder says so. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return false
    throw error
  }
}

/** Somebody else may have made it in the meantime. */
function make(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !isFolder(path)) throw error
  }
}
