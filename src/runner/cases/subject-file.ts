/** Files as subjects: UTF-8 text of a bounded size. */
import { decodeUtf8 } from '../../world/utf8.ts'
import type { RunnerWorld } from '../runner-world.ts'

/** Larger files are refused, because a subject is held and searched in memory. */
const fileBytesMax = 64 * 1024 * 1024

/** Returns the text at a resolved path, or why it has none. Other failures throw a fault. */
export async function subjectText(
  path: string,
  { files, disk }: Pick<RunnerWorld, 'files' | 'disk'>,
): Promise<{ readonly text: string } | { readonly refused: string }> {
  // Check the kind first: reading a pipe would block.
  const stamp = await (await disk()).stamp(path)
  if (stamp !== undefined && stamp.size > fileBytesMax) {
    return { refused: `is larger than ${fileBytesMax / 1024 / 1024} MB` }
  }
  return { text: decodeUtf8(await files.read(path)) }
}
