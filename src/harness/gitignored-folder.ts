import type { Disk } from '../world/world.ts'

/** A folder of what belongs to this machine: git is told to leave it alone. */
export async function makeOwnFolder(path: string, disk: Disk): Promise<void> {
  await disk.makeFolder(path)
  const ignore = `${path}/.gitignore`
  if (await disk.stamp(ignore)) return
  await disk.replaceLoosely(ignore, new TextEncoder().encode('*\n'))
}
