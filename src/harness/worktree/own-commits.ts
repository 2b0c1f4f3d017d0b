import { type GitPlace, git } from './git.ts'
import type { Worktree } from './worktrees.ts'

interface Loss {
  readonly commit: string
  /** The branch that would be deleted, if any. */
  readonly branch: string | undefined
  /** The worktrees that stay. */
  readonly others: readonly Worktree[]
}

/** Counts commits that no other branch, remote branch or worktree has. */
export async function ownCommits(
  place: GitPlace,
  { commit, branch, others }: Loss,
): Promise<number> {
  const heads = others.flatMap(({ head, isPrunable }) => (head && !isPrunable ? [head] : []))
  const own = branch === undefined ? [] : [`--exclude=${branch}`]
  const known = ['--not', ...heads, ...own, '--branches', '--remotes']
  return Number(await git(place, place.root, ['rev-list', '--count', commit, ...known]))
}
