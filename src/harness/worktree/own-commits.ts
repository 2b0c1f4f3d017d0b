import { type GitPlace, git } from './git.ts'
import type { Worktree } from './worktrees.ts'

/** Where a commit could be lost, and what else there is. */
interface Loss {
  readonly commit: string
  /** The branch that would go, if one would. */
  readonly branch: string | undefined
  /** Those that stay. */
  readonly others: readonly Worktree[]
}

/** How many commits no other branch has, here or at a remote, and no other worktree is at. */
export async function ownCommits(
  place: GitPlace,
  { commit, branch, others }: Loss,
): Promise<number> {
  const heads = others.flatMap(({ head, isPrunable }) => (head && !isPrunable ? [head] : []))
  const own = branch === undefined ? [] : [`--exclude=${branch}`]
  const known = ['--not', ...heads, ...own, '--branches', '--remotes']
  return Number(await git(place, place.root, ['rev-list', '--count', commit, ...known]))
}
