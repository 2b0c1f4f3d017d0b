/** Runs the command for a branch for review, such as one that opens a pull request. */
import { landCommandClass } from '../../kernel/harness/step/step-decision.ts'
import { issueBranch } from '../../kernel/landing/landing-refs.ts'
import type { Harness } from '../harness.ts'
import { describeEnd, runCommand } from '../step/command.ts'
import type { Submission } from './candidate-verifier.ts'
import type { Submitted } from './landing.ts'
import type { LandingPlace } from './landing-git.ts'
import type { Target } from './target.ts'

interface Announcement {
  readonly command: string
  readonly place: LandingPlace
  readonly target: Target
  readonly timeoutMs: number
}

/** The verified work, which fails if the command does. */
export async function announceBranch(
  harness: Harness,
  { command, place, target, timeoutMs }: Announcement,
  { issue, run }: Pick<Submission, 'issue' | 'run'>,
  submitted: Submitted,
): Promise<Submitted> {
  const env = {
    ...run.env,
    PREMATH_BRANCH: issueBranch(issue.id, place.sha256),
    PREMATH_COMMIT: submitted.candidate?.commit,
    PREMATH_TARGET: target.branch,
  }
  const at = { ...harness, worktree: harness.root }
  const ran = await runCommand(at, 'land', command, { ...run, env, timeoutMs })
  const { verification } = submitted
  const commands = [...verification.commands, ran.command]
  if (!ran.failure) return { ...submitted, verification: { ...verification, commands } }
  return {
    ...submitted,
    verification: {
      passed: false,
      stopped: ran.end.stopped,
      commands,
      failed: ran,
      failureClasses: [landCommandClass],
      summary: `the command for the branch ${describeEnd(ran.end)}`,
    },
  }
}
