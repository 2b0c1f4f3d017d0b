/**
 * Names issue memory by the end of its file: how long it is, and what its last bytes are. Rows are
 * only appended, so that the cost does not depend on their number.
 */
import type { Sha256 } from '../../kernel/canonical.ts'
import type { DiskFile } from '../../world/world.ts'
import type { LogState } from '../issue-store.ts'
import { tailOf } from './issue-cache.ts'

export const logRefOf = (bytes: number, tail: Uint8Array, sha256: Sha256): string =>
  `log1_${bytes}_${sha256(new TextDecoder().decode(tail))}`

/** `unknown` where the file was rewritten since, as a compaction does. */
export async function logStateAt(
  ref: string,
  file: DiskFile,
  end: number,
  sha256: Sha256,
): Promise<LogState> {
  const bytes = Number(/^log1_(\d{1,15})_/.exec(ref)?.[1])
  if (!(bytes <= end)) return 'unknown'
  if (logRefOf(bytes, await tailOf(file, bytes), sha256) !== ref) return 'unknown'
  return bytes === end ? 'same' : 'moved'
}
