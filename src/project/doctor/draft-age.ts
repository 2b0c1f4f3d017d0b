import type { Disk } from '../../world/world.ts'

/** Where nobody holds a lock while a file is written, one that is new may be somebody's. */
const writingNs = 60_000_000_000n

export async function isOldDraft(path: string, disk: Disk, now: bigint): Promise<boolean> {
  const entry = await disk.entry(path)
  return entry?.kind === 'file' && now - entry.stamp.modifiedNs > writingNs
}
