/** Opens the place where a revert is verified. A run may go on beside it. */
import {
  CandidateVerifier,
  type CandidateVerifierParts,
} from '../../harness/landing/candidate-verifier.ts'
import type { LandingPlace } from '../../harness/landing/landing-git.ts'
import { revertWorktree } from '../../harness/landing/revert.ts'
import {
  filesToCopy,
  openRunWorktree,
  removeRunWorktree,
} from '../../harness/landing/run-worktrees.ts'
import { headOf, type Target } from '../../harness/landing/target.ts'
import {
  VerificationWorktree,
  VerificationWorktrees,
} from '../../harness/landing/verification-worktrees.ts'
import { type Project, projectFrom } from '../open.ts'
import { stepProofs } from '../proofs/step-proofs.ts'
import type { RunPlan } from './run-landing.ts'

type RevertPlan = Pick<RunPlan, 'copyFiles' | 'startUp'>

/** The caller holds the lock of reverts. `act` verifies commits, and lands one of them. */
export async function withRevertWorktree<T>(
  { place, target, plan }: RevertPlace,
  project: Project,
  verify: Pick<CandidateVerifierParts, 'verifiersAt' | 'verifyTimeoutMs'>,
  act: (verifier: CandidateVerifier) => Promise<T>,
): Promise<T> {
  const commit = await headOf(place, target)
  const copyFiles = await filesToCopy(place, plan.copyFiles)
  const { files } = await openRunWorktree(place, { name: revertWorktree, commit, copyFiles })
  const worktree = new VerificationWorktree(place, files, plan.startUp)
  const verifier = new CandidateVerifier({
    place,
    verification: new VerificationWorktrees([worktree]),
    ...verify,
    proofsAt: folder => stepProofs(projectFrom(project, { ...project, cwd: () => folder })),
  })
  try {
    return await act(verifier)
  } finally {
    await removeRunWorktree(place, files)
  }
}

interface RevertPlace {
  readonly place: LandingPlace
  readonly target: Target
  readonly plan: RevertPlan
}
