/** Notices that somebody switched the branch of the main worktree during a run. */
import { tracksMemory } from './commit-memory.ts'
import { askLanding, type LandingPlace } from './landing-git.ts'
import { branchIfAny, type Target } from './target.ts'

/**
 * Begins to watch, and returns what says it at the end. The run wrote issue memory beside that
 * branch, and git switches back only after a commit of it.
 */
export async function watchBranch(
  place: LandingPlace,
  target: Target,
): Promise<() => Promise<string | undefined>> {
  const wasThere = (await branchIfAny(place)) === target.branch
  return async () => {
    const now = await branchIfAny(place)
    // A detached head is in the middle of something else, or was chosen for a look.
    if (!wasThere || now === undefined || now === target.branch) return undefined
    const back = await wayBack(place, target)
    return `the main worktree has ${now} checked out, and the results are on ${target.branch}. To go back to it: ${back}`
  }
}

async function wayBack(place: LandingPlace, target: Target): Promise<string> {
  const folder = `${place.top}/${place.prefix}.premath`
  const asked = ['status', '--porcelain', '--', folder]
  const isInTheWay =
    (await tracksMemory(place, target)) &&
    (await askLanding(place, place.top, asked)).stdout.trim() !== ''
  return isInTheWay
    ? `git add .premath && git commit -m "Record issue memory" .premath && git switch ${target.branch}`
    : `git switch ${target.branch}`
}
