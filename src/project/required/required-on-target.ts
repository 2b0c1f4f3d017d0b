/**
 * Reads the rules of required checks and their commands from the commit of the target branch, which
 * the work cannot edit. A project whose target has no `.premath` has them on disk alone.
 */
import { Fault } from '../../fault.ts'
import { askLanding, commitOf, type LandingPlace } from '../../harness/landing/landing-git.ts'
import { targetIfAny } from '../../harness/landing/target.ts'
import { type InstructionRefusal, isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import { requiredChecksPath } from '../../kernel/required/paths.ts'
import type { RequiredRules } from '../../kernel/required/step-checks.ts'
import { landingPlaceOf } from '../loop/landing-status.ts'
import type { Project } from '../open.ts'
import { fromFiles, type ReadsDocument } from '../policies/checks-file.ts'
import { parsedSmall } from '../small-document.ts'
import { openPathRules, requiredCommands } from './open-rules.ts'

/** Every check needs a command, since any change may require it. Faults before anything is claimed. */
export async function requiredOnTarget(
  project: Project,
  onto: string | undefined,
): Promise<RequiredRules> {
  const held = await heldOnTarget(project, onto)
  const required = await requiredRules(project, held?.read ?? fromFiles(project))
  if (!isRefused(required)) return required
  const hint = held
    ? `Nothing was claimed. Commit the file on ${held.name}, which judges the work; premath schema premath.required_checks.v1 prints its schema.`
    : 'Nothing was claimed. premath schema premath.required_checks.v1 prints the schema of the file.'
  const where = held ? ` of ${held.name}` : ''
  throw new Fault('usage', `the required checks${where} cannot be used: ${required.message}`, {
    hint,
    detail: { failureClass: required.failureClass, path: requiredChecksPath },
  })
}

/** The rules that a reader finds, with a command for every check. */
export async function requiredRules(
  project: Project,
  read: ReadsDocument,
): Promise<RequiredRules | InstructionRefusal> {
  const rules = await openPathRules(project, read)
  if (isRefused(rules)) return rules
  const commands = await requiredCommands(rules.order, rules, project, read)
  return isRefused(commands) ? commands : { rules, commands }
}

interface Held {
  /** The branch or commit, for messages. */
  readonly name: string
  readonly read: ReadsDocument
}

async function heldOnTarget(project: Project, onto: string | undefined): Promise<Held | undefined> {
  if (!(await project.isInRepository())) return undefined
  const place = await landingPlaceOf(project)
  const { config } = await project.config()
  const target = await targetIfAny(place, onto ?? config.onto)
  const commit = await commitOf(place, target?.ref ?? 'HEAD')
  if (commit === undefined || !(await holdsMemory(place, commit))) return undefined
  return { name: target?.branch ?? commit.slice(0, 9), read: readerAt(place, commit) }
}

/** Then a file on disk does not count, because an agent may have written it. */
async function holdsMemory(place: LandingPlace, commit: string): Promise<boolean> {
  const below = `${place.prefix}.premath/`
  const asked = ['ls-tree', '--name-only', commit, below]
  return (await askLanding(place, place.top, asked)).stdout !== ''
}

/** The documents of a commit. */
export const readerAt =
  (place: LandingPlace, commit: string): ReadsDocument =>
  async path => {
    const asked = ['cat-file', 'blob', `${commit}:${place.prefix}${path}`]
    const { exitCode, stdout } = await askLanding(place, place.top, asked)
    return exitCode === 0 ? await parsedSmall(stdout) : undefined
  }
