import type { Disk } from '../../world/world.ts'
import type { OperationContext } from '../context.ts'

/** Keeps a file that is about to be replaced, under the name of its digest: the same one once. */
export async function keptBeside(
  path: string,
  bytes: Uint8Array,
  disk: Disk,
  { sha256 }: OperationContext,
): Promise<string> {
  const digest = sha256(new TextDecoder().decode(bytes))
  const kept = `${path.replace(/\.jsonl$/, '')}.before-${digest.slice(0, 12)}.jsonl`
  await disk.replace(kept, bytes)
  return kept
}
