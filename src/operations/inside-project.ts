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
  const [real, realRoot] = await Promise.all([disk.realPath(path), disk.realPath(root)])
  if (!isWithin(path, root) && !isWithin(path, realRoot)) return real
  if (isWithin(real, realRoot)) return real
  throw new Fault('unavailable', `${path} leaves the project through a symbolic link`, {
    hint: `It leads to ${real}. Put the file into the project, or name that path with ${flag}.`,
    detail: { path, leadsTo: real },
  })
}

const isWithin = (path: string, folder: string) =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
