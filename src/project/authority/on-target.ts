/** Reads a file from the commit of the target branch, which work cannot edit. */
import { Fault } from '../../fault.ts'
import { askLanding, commitOf } from '../../harness/landing/landing-git.ts'
import { targetIfAny } from '../../harness/landing/target.ts'
import { configPath } from '../../wire/config/config.ts'
import { landingPlaceOf } from '../loop/landing-status.ts'
import type { Project } from '../open.ts'
import { agentIn } from './authority.ts'

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

/**
 * An agent that starts a step does not choose how its work is verified: neither by a flag or a
 * variable, nor by settings that differ from the target's.
 */
export async function mustNotChooseVerification(
  { verifyCmd, verifySpec, verifyRequired }: VerificationFlags,
  project: Project,
): Promise<void> {
  const agent = agentIn(project)
  if (agent === undefined) return
  const isChosen = verifyCmd !== undefined || verifySpec.length > 0 || verifyRequired
  if (isChosen || project.env['PREMATH_VERIFY_CMD']) {
    throw new Fault('usage', `${agent} may not choose how its work is verified`, {
      hint: 'Leave it to the setting verify of the project, or let a person run the command.',
    })
  }
  const held = await textOnTarget(configPath, project)
  const bytes = await project.files.readIfPresent(project.at(configPath))
  if (typeof held !== 'string' || (bytes && new TextDecoder().decode(bytes) === held)) return
  throw new Fault('usage', `${configPath} differs from the commit of the target branch`, {
    hint: `${agent} works with the settings of the target. Restore the file, or let a person commit it.`,
    detail: { path: configPath },
  })
}

interface VerificationFlags {
  readonly verifyCmd: string | undefined
  readonly verifySpec: readonly string[]
  readonly verifyRequired: boolean
}
