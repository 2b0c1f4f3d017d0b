/** Documents of the project that would pass for missing, though something stands in their place. */
import type { Files } from '../world/world.ts'

/** Why a path that could not be found is no missing document. Ask only where nothing was found. */
export async function whyNotMissing(
  path: string,
  files: Pick<Files, 'isLink'>,
): Promise<string | undefined> {
  return (await files.isLink(path)) ? 'it is a symbolic link that leads nowhere' : undefined
}
