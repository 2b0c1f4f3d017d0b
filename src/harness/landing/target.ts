/** The branch on which work lands, fixed when a run starts. */
import { Fault } from '../../fault.ts'
import { branchFolder } from '../../kernel/landing/landing-refs.ts'
import { counted } from '../../kernel/text/counted.ts'
import { askLanding, commitOf, commitsOf, type LandingPlace } from './landing-git.ts'

export interface Target {
  /** The short name: `main`. */
  readonly branch: string
  readonly ref: string
}

/** The named branch, otherwise the one that the main worktree has checked out. */
export async function openTarget(place: LandingPlace, onto: string | undefined): Promise<Target> {
  const branch = onto ?? (await currentBranch(place))
  const target = { branch, ref: `refs/heads/${branch}` }
  const asked = ['check-ref-format', target.ref]
  if ((await askLanding(place, place.top, asked)).exitCode !== 0) {
    throw new Fault('usage', `${JSON.stringify(branch)} is not a name for a branch`, {
      hint: 'Name a branch of this repository: --onto main.',
    })
  }
  const refs = [target.ref, `refs/heads/${branchFolder}`]
  const [head, blocking] = await commitsOf(place, place.top, refs)
  if (head === undefined) throw await withoutCommit(place, target)
  if (blocking !== undefined) throw blocksBranches()
  return target
}

/** The same for a question: `undefined` where work has no target, or the target has no commit. */
export async function targetIfAny(
  place: LandingPlace,
  onto: string | undefined,
): Promise<Target | undefined> {
  const branch = onto ?? (await branchIfAny(place))
  if (branch === undefined) return undefined
  const ref = `refs/heads/${branch}`
  return (await commitOf(place, ref)) === undefined ? undefined : { branch, ref }
}

/** The branch of the main worktree. A detached head names no branch that could move. */
export async function branchIfAny(place: LandingPlace): Promise<string | undefined> {
  // Whole, since the short name is `heads/main` where a tag is called main.
  const asked = ['symbolic-ref', '--quiet', 'HEAD']
  const { exitCode, stdout } = await askLanding(place, place.top, asked)
  return exitCode === 0 ? stdout.trim().replace(/^refs\/heads\//, '') : undefined
}

async function currentBranch(place: LandingPlace): Promise<string> {
  const branch = await branchIfAny(place)
  if (branch !== undefined) return branch
  throw new Fault('usage', `no branch is checked out in ${place.top}, so work has no target`, {
    hint: 'Name the branch on which work lands: --onto main.',
    detail: { top: place.top },
  })
}

async function withoutCommit(place: LandingPlace, { branch }: Target): Promise<Fault> {
  const isEmpty = (await commitOf(place, 'HEAD')) === undefined
  return new Fault(
    'usage',
    isEmpty ? `the branch ${branch} has no commit yet` : `there is no branch ${branch}`,
    {
      hint: isEmpty
        ? 'Commit what there is: git add --all && git commit.'
        : `Create it: git branch ${branch}. git branch --list shows the others.`,
      detail: { branch },
    },
  )
}

/** Git keeps branches as paths, so a branch called `premath` leaves no room for `premath/bd-1`. */
const blocksBranches = () =>
  new Fault('conflict', `a branch called ${branchFolder} blocks the branches of issues`, {
    hint: `Rename it: git branch -m ${branchFolder} <name>.`,
  })

/** Notes for a person before a run, about the target and the main worktree. */
export async function targetNotes(place: LandingPlace, target: Target): Promise<readonly string[]> {
  const notes = [await upstreamNote(place, target), await sparseNote(place)]
  return notes.filter(note => note !== undefined)
}

/** premath does not fetch, so the upstream is known as of the last fetch. */
async function upstreamNote(
  place: LandingPlace,
  { branch, ref }: Target,
): Promise<string | undefined> {
  const format = '--format=%(upstream:short)%09%(upstream:track,nobracket)'
  const { stdout } = await askLanding(place, place.top, ['for-each-ref', format, ref])
  const [upstream = '', track = ''] = stdout.trim().split('\t')
  const [, behind] = /behind (\d+)/.exec(track) ?? []
  if (behind === undefined) return undefined
  const commits = counted(Number(behind), 'commit')
  return `${upstream} has ${commits} that ${branch} lacks, so work lands beside them: update ${branch} first, or merge later`
}

/** New worktrees get the same sparse checkout, and the verification with them. */
async function sparseNote(place: LandingPlace): Promise<string | undefined> {
  const asked = ['config', '--bool', 'core.sparseCheckout']
  const { stdout } = await askLanding(place, place.top, asked)
  return stdout.trim() === 'true'
    ? 'the main worktree uses sparse checkout, so work and verification see a part of the files'
    : undefined
}

/** The commit at which the target is now. It may be gone, because anyone may delete a branch. */
export async function headOf(place: LandingPlace, target: Target): Promise<string> {
  const head = await commitOf(place, target.ref)
  if (head !== undefined) return head
  throw targetGone(target)
}

export const targetGone = ({ branch }: Target): Fault =>
  new Fault('unavailable', `the branch ${branch} is gone`, {
    // Without a commit on the branch that is checked out, git reflog shows nothing.
    hint: `Find its last commit: git log --all --reflog. Restore it: git branch ${branch} <commit>. Then run the command again.`,
    detail: { branch },
  })
