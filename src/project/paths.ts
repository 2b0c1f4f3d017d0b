/** Paths in a project, and the check that a symbolic link does not lead out of it. */
import { Fault } from '../fault.ts'
import type { Disk } from '../world/world.ts'

/** The path from `folder`, without `.` and `..`; an absolute path stays as it is. */
export function resolvePath(folder: string, path: string): string {
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : `${folder}/${path}`).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

export const isWithin = (path: string, folder: string) =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

/**
 * A project cannot start inside a `.premath`: its policy would replace that of the outer project.
 */
export const isInDotPremath = (path: string): boolean => path.split('/').includes('.premath')

/** Git and others name folders in lines of text, so that a step would begin and not end there. */
export function mustBeOneLine(folder: string): void {
  if (!/[\r\n]/.test(folder)) return
  throw new Fault('usage', `the path of the folder has a line break: ${JSON.stringify(folder)}`, {
    hint: 'Nothing was changed. Rename the folder, or work in another one.',
    detail: { path: folder },
  })
}

/** The path with its links followed, and whether they lead out of the project it seems to be in. */
export async function followLinks(path: string, root: string, disk: Disk) {
  const [real, realRoot] = await Promise.all([disk.realPath(path), disk.realPath(root)])
  const seemsInside = isWithin(path, root) || isWithin(path, realRoot)
  return { real, leadsOut: seemsInside && !isWithin(real, realRoot) }
}

/**
 * The real path of a file to read or write. A path in the project must not leave it through a
 * link: a cloned repository could otherwise point at any file. `flag` names a path elsewhere.
 */
export async function insideProject(
  path: string,
  { root, disk, flag }: { readonly root: string; readonly disk: Disk; readonly flag: string },
): Promise<string> {
  const { real, leadsOut } = await followLinks(path, root, disk)
  if (!leadsOut) return real
  throw leavesProject(path, real, `Put the file into the project, or name that path with ${flag}.`)
}

/** Before a write at a fixed place of the project: that place must not be a link to elsewhere. */
export async function mustStayInside(path: string, root: string, disk: Disk): Promise<void> {
  const [real, realRoot] = [await disk.realPath(path), await disk.realPath(root)]
  if (real.startsWith(realRoot === '/' ? '/' : `${realRoot}/`)) return
  throw leavesProject(path, real, 'Remove the link. premath makes what is missing.')
}

const leavesProject = (path: string, real: string, remedy: string) =>
  new Fault('unavailable', `${path} leaves the project through a symbolic link`, {
    hint: `It leads to ${real}. ${remedy}`,
    detail: { path, leadsTo: real },
  })
