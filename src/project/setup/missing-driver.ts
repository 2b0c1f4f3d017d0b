/** Tells that a clone has no merge driver, although the repository asks for one. */
import { repositoryAround } from '../../harness/worktree/repository.ts'
import { unlessFault } from '../../store/cache-file.ts'
import { readTextIfPresent } from '../../world/read-text.ts'
import type { OperationContext } from '../context.ts'

/**
 * The note for whoever works in such a clone: git shares `.gitattributes`, and no configuration. It
 * asks git only if the configuration of the clone has no driver.
 */
export async function missingDriverNote(
  root: string,
  project: OperationContext,
): Promise<string | undefined> {
  // A note about a merge to come must not stop a command.
  const isMissing = await unlessFault(() => isDriverMissing(root, project))
  return isMissing ? note : undefined
}

const note =
  'note: .gitattributes names the merge driver premath, and this clone has none, so merges of issue memory conflict\n  Set it up once in this clone: premath init --merge-driver'

async function isDriverMissing(root: string, project: OperationContext): Promise<boolean> {
  const disk = await project.disk()
  const repository = await repositoryAround(disk, root)
  if (!repository) return false
  const attributes = await readTextIfPresent(disk, `${repository.top}/.gitattributes`)
  if (!attributes || !/^[^#\n].*\smerge=premath\b/m.test(attributes)) return false
  const config = await readTextIfPresent(disk, `${repository.common}/config`)
  if (config?.includes('[merge "premath"]')) return false
  // Loaded in a clone without a driver: every change would load the code that starts git.
  const { askGit } = await import('../../harness/worktree/git.ts')
  const place = { root, env: project.env, processes: await project.processes(), disk }
  const asked = ['config', '--get', 'merge.premath.driver']
  return (await askGit(place, repository.top, asked)).exitCode === 1
}
