/** Makes the candidate of an issue: its work merged into the base, if it leaves alone what judges it. */
import type { Issue } from '../../kernel/issues/issue.ts'
import { candidateMessage } from '../../kernel/landing/commit-message.ts'
import { candidateRef } from '../../kernel/landing/landing-refs.ts'
import type { Protection } from '../../kernel/landing/protected-paths.ts'
import { type Candidate, commitCandidate, mergeTrees } from './candidate.ts'
import { judgeChange } from './judge-change.ts'
import type { LandingPlace } from './landing-git.ts'
import type { Made } from './landing-queue.ts'

interface WorkToLand {
  readonly issue: Issue
  readonly stepId: string
  /** The commit that has the work. */
  readonly work: string
  /** The commit that the candidate stands on, which also says what judges the work. */
  readonly base: string
  /** True if the base may have the work already. */
  readonly mayStay: boolean
  readonly protection: Protection
  readonly verifyCommand: string
  readonly sign: boolean
}

export async function makeCandidate(
  place: LandingPlace,
  { issue, stepId, work, base, mayStay, protection, verifyCommand, sign }: WorkToLand,
): Promise<Made<Candidate>> {
  const merged = await mergeTrees(place, base, work)
  if (merged.conflicts) return { conflict: merged.conflicts }
  const { tree } = merged
  const judgeChanged = await judgeChange(place, { issue, base, tree, protection, verifyCommand })
  if (judgeChanged) return { judgeChanged }
  if (merged.isBase) {
    return mayStay ? { candidate: { commit: base, tree, base }, commit: base } : { nothing: true }
  }
  const message = candidateMessage({ issueId: issue.id, stepId, title: issue.title })
  const ref = candidateRef(issue.id, place.sha256)
  const candidate = await commitCandidate(place, { base, tree, message, ref, sign })
  return { candidate, commit: candidate.commit }
}
