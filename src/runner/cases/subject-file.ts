/** Files as subjects: UTF-8 text of a bounded size. */
import { decodeUtf8 } from '../../world/utf8.ts'
import type { RunnerWorld } from '../runner-world.ts'

/** A larger file is no subject: it would have to be held in memory, and searched. */
const fileBytesMax = 64 * 1024 * 1024

/** The text at a path whose links were followed, or why there is none. Other failures are faults. */
export async function subjectText(
  path: string,
  { files, disk }: Pick<RunnerWorld, 'files' | 'disk'>,
): Promise<{ readonly text: string } | { readonly refused: string }> {
  // Looked at first: a pipe would be waited for.
  const stamp = await (await disk()).stamp(path)
  if (stamp !== undefined && stamp.size > fileBytesMax) {
    return { refused: `is larger than ${fileBytesMax / 1024 / 1024} MB` }
  }
  return { text: decodeUtf8(await files.read(path)) }
}
