/** Reads text files that a case names. None lies outside the contract root. */
import { Fault } from '../../fault.ts'
import type { ContractPath } from '../../kernel/spec/contract-path.ts'
import { decodeUtf8 } from '../../world/utf8.ts'
import type { ExecutionContext } from '../execution-context.ts'
import type { RunnerWorld } from '../runner-world.ts'

/** Why there is no text: the path must not be read, or the file has none. */
export type NoText = { readonly refused: string } | { readonly unread: string }

export async function contractText(
  path: ContractPath,
  { document, run }: Pick<ExecutionContext, 'document' | 'run'>,
): Promise<{ readonly text: string } | NoText> {
  try {
    const place = await run.roots.confined(document.root, path)
    if ('refused' in place) return place
    const found = await subjectText(place.realPath, run.world)
    return 'refused' in found ? { unread: found.refused } : found
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { unread: run.roots.withoutRoot(error, document.root) }
  }
}

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
