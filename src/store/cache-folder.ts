import type { Disk } from '../world/world.ts'

/** A folder for what can be made again; git leaves it alone. */
export async function makeCacheFolder(disk: Disk, folder: string): Promise<void> {
  await disk.makeFolder(folder)
  const ignore = `${folder}/.gitignore`
  if (await disk.stamp(ignore)) return
  await disk.replaceLoosely(ignore, new TextEncoder().encode('*\n'))
}
