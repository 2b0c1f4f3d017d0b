/** Files that others may have put there: read where they are plain, small, and where they seem to be. */
import { Fault } from '../fault.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import type { Disk } from '../world/world.ts'

/** Its text, or why it is not read. A value: what follows from it differs. */
export type PlainText = { readonly text: string } | { readonly why: string }

/** Ten thousand cases of a spec take a tenth of it. */
export const witnessBytesMax = 16 * 1024 * 1024

export async function readPlain(
  path: string,
  { root, disk }: { readonly root: string; readonly disk: Disk },
  bytesMax = witnessBytesMax,
): Promise<PlainText> {
  const entry = await disk.entry(path)
  if (entry === undefined) return { why: 'it is gone' }
  if (entry.kind === 'link') return { why: 'it is a symbolic link' }
  if (entry.kind !== 'file') return { why: 'it is no file' }
  if (entry.stamp.size > bytesMax) return { why: `it is larger than ${bytesMax} bytes` }
  if (await leadsAway(path, root, disk)) return { why: 'it lies behind a symbolic link' }
  const file = await disk.open(path)
  if (!file) return { why: 'it is gone' }
  try {
    return textIn(await file.read(0, entry.stamp.size))
  } finally {
    await file.close()
  }
}

/** A link on the way that a repository brought along must not make us believe something else. */
export async function leadsAway(path: string, root: string, disk: Disk): Promise<boolean> {
  if (path !== root && !path.startsWith(root === '/' ? root : `${root}/`)) return true
  const real = await disk.realPath(path)
  // Then there is no link on the way to the root either.
  if (real === path) return false
  const realRoot = await disk.realPath(root)
  return real !== `${realRoot === '/' ? '' : realRoot}${path.slice(root.length)}`
}

function textIn(bytes: Uint8Array): PlainText {
  try {
    return { text: decodeUtf8(bytes) }
  } catch (error) {
    if (error instanceof Fault) return { why: `it ${error.message}` }
    throw error
  }
}
