import type { Disk } from '../world/world.ts'

/** Creates a folder for files of this machine, with a `.gitignore` that excludes all of them. */
export async function makeGitignoredFolder(path: string, disk: Disk): Promise<void> {
  await disk.makeFolder(path)
  const ignore = `${path}/.gitignore`
  if (await disk.entry(ignore)) return
  await disk.replaceLoosely(ignore, new TextEncoder().encode('*\n'))
}
