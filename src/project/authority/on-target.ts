/** Reads a file from the commit of the target branch, which work cannot edit. */
import { askLanding, commitOf } from '../../harness/landing/landing-git.ts'
import { targetIfAny } from '../../harness/landing/target.ts'
import { landingPlaceOf } from '../loop/landing-status.ts'
import type { Project } from '../open.ts'

/**
 * `undefined` without git and before the first commit: there is no target. `null` where the target
 * lacks the file, and on a detached head without the setting `onto`. `path` is from the root.
 */
export async function textOnTarget(
  path: string,
  project: Project,
): Promise<string | null | undefined> {
  if (!(await project.isInRepository())) return undefined
  const place = await landingPlaceOf(project)
  const { config } = await project.config()
  const target = await targetIfAny(place, config.onto)
  // In CI the branch is often known as that of the remote alone, or not at all.
  const ref = target?.ref ?? `refs/remotes/origin/${config.onto}`
  const commit = await commitOf(place, ref)
  if (commit === undefined) {
    return (await commitOf(place, 'HEAD')) === undefined ? undefined : null
  }
  const asked = ['cat-file', 'blob', `${commit}:${place.prefix}${path}`]
  const { exitCode, stdout } = await askLanding(place, place.top, asked)
  return exitCode === 0 ? stdout : null
}
