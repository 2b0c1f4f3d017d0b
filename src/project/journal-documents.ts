/** Checks the session and ledger that a journal names, since the journal may come with a clone. */
import type { RefusedPath } from '../harness/harness.ts'
import { listWorktrees } from '../harness/worktree/worktrees.ts'
import { keptFiles } from './harness-files.ts'
import type { Project } from './open.ts'
import { isWithin } from './paths.ts'
import { overwritten } from './safe-output.ts'

/**
 * The first path that a step of this project would not have named. `own` are the paths that flags
 * and environment of this command name: they may be anywhere.
 */
export async function refusedDocument(
  paths: readonly string[],
  own: readonly string[],
  project: Project,
): Promise<RefusedPath | undefined> {
  for (const path of paths) {
    const why = own.includes(path) ? undefined : await refusalOf(path, project)
    if (why !== undefined) return { refusedPath: path, why }
  }
  return undefined
}

async function refusalOf(path: string, project: Project): Promise<string | undefined> {
  if (!path.startsWith('/')) return 'which is not an absolute path'
  const disk = await project.disk()
  const real = await disk.realPath(path)
  const isInside = isWithin(real, await disk.realPath(project.root))
  if (!isInside && !(await isInWorktree(real, project))) return 'which is outside of the project'
  if (real.split('/').includes('.git')) return 'which is among the files of git'
  const kept = await overwritten(real, keptFiles(project), disk)
  return kept && `which is ${kept.isFolder ? 'among ' : ''}${kept.holds}`
}

/** Git's own list, which no commit can extend. */
async function isInWorktree(path: string, project: Project): Promise<boolean> {
  const here = await project.worktree()
  if (here !== undefined && isWithin(path, here)) return true
  if (!(await project.isInRepository())) return false
  const { root, env } = project
  const place = { root, env, disk: await project.disk(), processes: await project.processes() }
  return (await listWorktrees(place)).some(worktree => isWithin(path, worktree.path))
}
