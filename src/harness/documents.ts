import type { Harness } from './harness.ts'

/** A removed worktree takes its session and ledger with it. premath does not create them again. */
export async function hasDocuments({ session, recordsFolder, disk }: Harness): Promise<boolean> {
  const isProjects = folderOf(session.path) === recordsFolder
  return isProjects || (await disk.stamp(session.path)) !== undefined
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'))
