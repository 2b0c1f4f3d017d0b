/** Files from a clone or from another program: read only if plain, small and not behind a link. */
import { Fault } from '../fault.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import type { Disk } from '../world/world.ts'

/** The text, or the reason why it is not read: callers draw different conclusions from it. */
export type PlainText = { readonly text: string } | { readonly why: string }

/** The most bytes of a witness. One with ten thousand cases takes a tenth of it. */
export const witnessBytesMax = 16 * 1024 * 1024

export async function readPlain(
  path: string,
  { root, disk }: { readonly root: string; readonly disk: Disk },
  bytesMax = witnessBytesMax,
): Promise<PlainText> {
  const entry = await disk.entry(path)
  if (entry === undefined) return { why: 'it is gone' }
  if (entry.kind === 'link') return { why: 'it is a symbolic link' }
  if (entry.kind !== 'file') return { why: 'it is not a file' }
  if (entry.stamp.size > bytesMax) return { why: `it is larger than ${bytesMax} bytes` }
  if (await leadsOutside(path, root, disk)) return { why: 'it lies behind a symbolic link' }
  const file = await disk.open(path)
  if (!file) return { why: 'it is gone' }
  try {
    return textIn(await file.read(0, entry.stamp.size))
  } finally {
    await file.close()
  }
}

/** A repository may contain links. A path inside the project must not lead out of it. */
export async function leadsOutside(path: string, root: string, disk: Disk): Promise<boolean> {
  if (path !== root && !path.startsWith(root === '/' ? root : `${root}/`)) return true
  const real = await disk.realPath(path)
  // There is no link on the way to the root either.
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
