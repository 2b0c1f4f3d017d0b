/** The required checks of a commit, for a rerun: by the rules of the commit before it. */
import { landingDelta } from '../../harness/landing/landing-delta.ts'
import type { LandingPlace } from '../../harness/landing/landing-git.ts'
import { isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import { requiredChecksPath } from '../../kernel/required/paths.ts'
import { stepChecks, timeoutMsOf } from '../../kernel/required/step-checks.ts'
import type { Project } from '../open.ts'
import { fromFiles } from '../policies/checks-file.ts'
import { readerAt, requiredRules } from '../required/required-on-target.ts'
import type { JudgingCommand } from './rerun-command.ts'
import { notRerunnable, type Unrun } from './rerun-commit.ts'

interface JudgedCommit {
  readonly base: string
  readonly commit: string
  /** No other command verifies it. */
  readonly isAlone: boolean
}

/** The files of the caller count where the base has no rules: its project keeps them out of git. */
export async function checksAgain(
  { base, commit, isAlone }: JudgedCommit,
  place: LandingPlace,
  project: Project,
): Promise<readonly JudgingCommand[] | Unrun> {
  const atBase = readerAt(place, base)
  const isThere = (await atBase(requiredChecksPath)) !== undefined
  const required = await requiredRules(project, isThere ? atBase : fromFiles(project))
  if (isRefused(required)) {
    return notRerunnable(`its required checks cannot be used: ${required.message}`)
  }
  const delta = await landingDelta(place, { from: base, to: commit })
  if (isRefused(delta)) return notRerunnable(delta.message)
  const { rules, commands } = required
  const { checkIds } = stepChecks(rules, delta.changedPaths, isAlone, project.sha256)
  return checkIds.map(id => {
    const command = commands.get(id) ?? ''
    const check = { id, timeoutMs: timeoutMsOf(rules, id) }
    return { role: 'verify', shown: command, command, recordedAs: command, check }
  })
}
