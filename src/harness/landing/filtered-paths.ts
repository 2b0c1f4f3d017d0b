/**
 * Paths whose content passes through a filter of git that landing does not run. Without its filter,
 * such as one that encrypts, a file would be stored or checked out as it is not meant to be.
 */
import { refusedFilters } from '../../kernel/landing/git-programs.ts'
import { shown } from '../../world/system-error.ts'
import { type AskOptions, gitPrograms } from '../worktree/git.ts'
import { type LandingPlace, landingGit, landingPaths } from './landing-git.ts'

interface FilteredPath {
  readonly path: string
  readonly filter: string
}

/** Those of the paths that have such a filter by the attributes of the worktree at `cwd`. */
export async function filteredPaths(
  place: LandingPlace,
  cwd: string,
  pathsIn: () => Promise<readonly string[]>,
  options: Pick<AskOptions, 'env'> = {},
): Promise<readonly FilteredPath[]> {
  const filters = refusedFilters(await gitPrograms(place, cwd, options.env))
  if (filters.size === 0) return []
  const paths = await pathsIn()
  if (paths.length === 0) return []
  const stdin = paths.map(path => `${path}\0`).join('')
  const asked = ['check-attr', '-z', '--stdin', 'filter']
  // Each path is followed by the attribute and its value.
  const words = (await landingGit(place, cwd, asked, { ...options, stdin })).split('\0')
  return paths
    .map((path, at) => ({ path, filter: words[at * 3 + 2] ?? '' }))
    .filter(({ filter }) => filters.has(filter))
}

/** Files of the worktree that git would add, and whose filter it may not run. */
export const filteredChanges = async (
  place: LandingPlace,
  worktree: string,
  options: Pick<AskOptions, 'env'> = {},
): Promise<readonly FilteredPath[]> => {
  const pathsIn = async () => {
    const asked = ['ls-files', '-z', '--modified', '--others', '--exclude-standard']
    const paths = [...new Set(await landingPaths(place, worktree, asked, options))]
    const entries = await Promise.all(paths.map(path => place.disk.entry(`${worktree}/${path}`)))
    // No filter has a say in a deletion.
    return paths.filter((_, at) => entries[at] !== undefined)
  }
  return await filteredPaths(place, worktree, pathsIn, options)
}

/** `the filter "crypt" of secret.txt …`, for the next attempt and for people. */
export function filterComplaint([first, ...others]: readonly FilteredPath[]): string | undefined {
  if (first === undefined) return undefined
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return `${shown(first.path)}${more} has the filter ${JSON.stringify(first.filter)}, which landing does not run; it runs only lfs`
}
