/** Documents of the project that would pass for missing, though something stands in their place. */
import type { Disk } from '../world/world.ts'

/** Why a path that could not be found is no missing document. Ask only where nothing was found. */
export async function whyNotMissing(path: string, disk: Disk): Promise<string | undefined> {
  const isLink = (await disk.entry(path))?.kind === 'link'
  return isLink ? 'it is a symbolic link that leads nowhere' : undefined
}
