/** Putting a whole file in the place of another one, or of none: drafted beside it, and moved. */
import { closeSync, fchmodSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { foundAt } from './node-found.ts'
import { syncFolder, toDisk, writeAll } from './node-writing.ts'
import { codeOf } from './system-error.ts'

const ownerOnly = 0o600

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

/** Without waiting for the disk. */
export function replaceLoosely(path: string, content: Uint8Array): void {
  const { draft, file } = draftOf(path, content)
  closeSync(file)
  putInPlace(draft, path)
}

export async function replaceDurably(
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
export async function replaceTogether(
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

export async function madePrivate(path: string, content: Uint8Array): Promise<boolean> {
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
