/**
 * Makes the commit that takes back what an issue landed, without a worktree: the head of the target,
 * merged with the inverse of the landed commit. It changes no issue and does not move the target.
 */
import { revertMessage } from '../../kernel/landing/commit-message.ts'
import { underLock } from '../../store/lock.ts'
import { type Candidate, mergeTrees, treeOf, writeCommit } from './candidate.ts'
import { commitOf, type LandingPlace, landingGit, landingLine } from './landing-git.ts'
import { headOf, type Target } from './target.ts'

export interface RevertRequest {
  readonly issueId: string
  readonly stepId: string
  /** The commit to take back. */
  readonly landed: string
  readonly reason: string | undefined
  readonly sign: boolean
}

export type MadeRevert =
  | { readonly candidate: Candidate }
  | { readonly conflicts: readonly string[] }
  /** The target has nothing of the commit any more. */
  | { readonly nothing: true }

export async function makeRevert(
  place: LandingPlace,
  target: Target,
  { issueId, stepId, landed, reason, sign }: RevertRequest,
): Promise<MadeRevert> {
  const base = await headOf(place, target)
  const merged = await mergeTrees(place, base, await inverseOf(place, landed))
  if (merged.conflicts) return { conflicts: merged.conflicts }
  if (merged.isBase) return { nothing: true }
  const subject = await landingLine(place, place.top, ['log', '-1', '--format=%s', landed])
  const message = revertMessage({ issueId, stepId, subject, landed, reason })
  return { candidate: await writeCommit(place, { base, tree: merged.tree, message, sign }) }
}

/**
 * A commit on the landed one with the files of the commit before it. The target contains the landed
 * commit, so that is the base of the merge. Git before 2.40 cannot be given a base.
 */
async function inverseOf(place: LandingPlace, landed: string): Promise<string> {
  const before = await commitOf(place, `${landed}^`)
  const tree = before === undefined ? await emptyTree(place) : await treeOf(place, before)
  const message = `Inverse of ${landed}\n`
  return (await writeCommit(place, { base: landed, tree, message, sign: false })).commit
}

const emptyTree = async (place: LandingPlace) =>
  await landingLine(place, place.top, ['hash-object', '-w', '-t', 'tree', '--stdin'], { stdin: '' })

/** The issues that the trailers of a commit name. */
export async function issuesOf(place: LandingPlace, commit: string): Promise<readonly string[]> {
  const format = '--format=%(trailers:key=Premath-Issue,valueonly)'
  const text = await landingGit(place, place.top, ['log', '-1', format, commit])
  return text.split('\n').filter(line => line !== '')
}

/** The worktree in which reverts are verified. One beside it is of a run. */
export const revertWorktree = 'revert.1'

const lockPath = ({ commonFolder }: LandingPlace) => `${commonFolder}/premath/revert.lock`

/** Holds the worktree of reverts, also while a run goes on. */
export async function underRevertLock<T>(place: LandingPlace, act: () => Promise<T>): Promise<T> {
  await place.disk.makeFolderLoosely(`${place.commonFolder}/premath`)
  return await underLock(place.disk, lockPath(place), lockWaitMs, act, {
    noun: 'revert',
    hint: 'Another process reverts an issue. Run the command again when it has ended.',
  })
}

/** A verification takes minutes, so a second revert fails instead of waiting. */
const lockWaitMs = 200

export async function isReverting(place: LandingPlace): Promise<boolean> {
  if (!(await place.disk.stamp(lockPath(place)))) return false
  const lock = await place.disk.lock(lockPath(place), 0)
  if (lock.held) await lock.release()
  return !lock.held
}
