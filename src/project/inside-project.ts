import { Fault } from '../fault.ts'
import type { Disk } from '../world/world.ts'

/**
 * The real path. One that lies in the project must still lie there when links are followed: what
 * is shared with a repository must not reach files outside of it. `flag` could have named it.
 */
export async function insideProject(
  path: string,
  { root, disk, flag }: { readonly root: string; readonly disk: Disk; readonly flag: string },
): Promise<string> {
  const { real, leadsOut } = await followed(path, root, disk)
  if (!leadsOut) return real
  throw new Fault('unavailable', `${path} leaves the project through a symbolic link`, {
    hint: `It leads to ${real}. Put the file into the project, or name that path with ${flag}.`,
    detail: { path, leadsTo: real },
  })
}

/** Where the path leads, and whether that is out of the project that it seems to lie in. */
export async function followed(path: string, root: string, disk: Disk) {
  const [real, realRoot] = await Promise.all([disk.realPath(path), disk.realPath(root)])
  const seemsInside = isWithin(path, root) || isWithin(path, realRoot)
  return { real, leadsOut: seemsInside && !isWithin(real, realRoot) }
}

export const isWithin = (path: string, folder: string) =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
