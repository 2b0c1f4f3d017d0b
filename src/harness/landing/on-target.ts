/** Finds verified work of an issue on the target, where somebody merged it by another way. */
import {
  askLanding,
  commitOf,
  isIn,
  type LandingPlace,
  landingGit,
  landingPaths,
} from './landing-git.ts'
import type { Target } from './target.ts'

/** The commit on the target that has the work: the candidate itself, or one with the same changes. */
export async function commitOnTarget(
  place: LandingPlace,
  candidate: string,
  { ref }: Target,
): Promise<string | undefined> {
  if (await isIn(place, candidate, ref)) return candidate
  const base = await commitOf(place, `${candidate}^`)
  if (base === undefined) return undefined
  const [own] = await patchIds(place, ['diff-tree', '-p', base, candidate])
  if (own === undefined) return undefined
  const changed = ['diff-tree', '-r', '-z', '--name-only', base, candidate]
  const paths = await landingPaths(place, place.top, changed)
  const log = ['log', '-p', '--no-merges', '--format=commit %H', `${base}..${ref}`, '--', ...paths]
  const others = await patchIds(place, log)
  return others.find(({ id }) => id === own.id)?.commit
}

/** A patch id stays the same when a commit is rebased or squashed. */
async function patchIds(place: LandingPlace, args: readonly string[]) {
  const patches = await landingGit(place, place.top, args)
  if (patches === '') return []
  const options = { stdin: patches }
  const { stdout } = await askLanding(place, place.top, ['patch-id', '--stable'], options)
  return stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => line.split(' '))
    .map(([id = '', commit = '']) => ({ id, commit }))
}
