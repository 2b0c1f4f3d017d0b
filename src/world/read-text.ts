/** Reads a whole small file. Returns `undefined` if it does not exist. */
import type { Disk } from './world.ts'

export async function readTextIfPresent(disk: Disk, path: string): Promise<string | undefined> {
  const file = await disk.open(path)
  if (!file) return undefined
  try {
    return new TextDecoder().decode(await file.read(0, (await file.stamp()).size))
  } finally {
    await file.close()
  }
}
