import type { Harness } from './harness.ts'

/** A worktree may be gone, and what a worker told there with it: it is not made again for that. */
export async function hasDocuments({ session, recordsFolder, disk }: Harness): Promise<boolean> {
  const isProjects = folderOf(session.path) === recordsFolder
  return isProjects || (await disk.stamp(session.path)) !== undefined
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'))
