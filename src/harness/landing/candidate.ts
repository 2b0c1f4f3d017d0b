/**
 * Makes the commit that is to land, without a worktree: the work of an issue, merged into its base.
 * Whatever commits the agent made on its branch, one commit lands.
 */
import { Fault } from '../../fault.ts'
import { shown } from '../../world/system-error.ts'
import { askLanding, type LandingPlace, landingLine, landingPaths } from './landing-git.ts'
import type { Target } from './target.ts'

export interface Candidate {
  readonly commit: string
  readonly tree: string
  readonly base: string
  /** The commit or tree before the work, if that is not the base; `null` if every file is new. */
  readonly before?: string | null
}

export type Merged =
  | { readonly tree: string; readonly isBase: boolean; readonly conflicts?: undefined }
  | { readonly tree?: undefined; readonly conflicts: readonly string[] }

/** The tree of base and work together. Issue memory stays as it is in the base. */
export async function mergeTrees(place: LandingPlace, base: string, work: string): Promise<Merged> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', base, work]
  const answer = await askLanding(place, place.top, args)
  if (answer.exitCode > 1) throw unmergeable(answer.complaint, work)
  const [tree = '', ...paths] = answer.stdout.split('\0')
  const own = memoryPath(place)
  const conflicts = paths.filter(path => path !== '' && !path.startsWith(`${own}/`))
  if (conflicts.length > 0) return { conflicts: [...new Set(conflicts)] }
  const changed = await changedEntries(place, base, tree)
  const [first] = own.split('/')
  if (first !== undefined && !changed.includes(first)) return { tree, isBase: changed.length === 0 }
  const kept = await withMemoryOf(place, base, tree)
  return { tree: kept, isBase: kept === (await treeOf(place, base)) }
}

/** The entries at the top of the tree that differ. Git looks into no folder for them. */
const changedEntries = async (
  place: LandingPlace,
  base: string,
  tree: string,
): Promise<readonly string[]> => {
  const asked = ['diff-tree', '-z', '--name-only', '--no-renames', '--ignore-submodules=none']
  return await landingPaths(place, place.top, [...asked, base, tree])
}

/** `.premath`, from the top of the repository. */
export const memoryPath = ({ prefix }: LandingPlace): string => `${prefix}.premath`

/** How many of them are named. */
const namedMax = 20

/** The files of issue memory and configuration that the work changed, for people. */
export async function memoryEdits(
  place: LandingPlace,
  { ref }: Pick<Target, 'ref'>,
  work: string,
): Promise<readonly string[]> {
  // Since the commit that both have, because the target has changes of its own.
  const asked = ['diff', '-z', '--name-only', '--no-renames', `${ref}...${work}`]
  const { exitCode, stdout } = await askLanding(place, place.top, [
    ...asked,
    '--',
    `:(top,literal)${memoryPath(place)}`,
  ])
  if (exitCode !== 0) return []
  return stdout.split('\0').filter(Boolean).slice(0, namedMax)
}

const unmergeable = (complaint: string, work: string) =>
  new Fault('unavailable', `git could not merge ${shown(work)}: ${complaint}`, {
    hint: 'Merge the two commits by hand to see why.',
    detail: { work },
  })

/** The work must not change issue memory, so its folder is taken from the base. */
async function withMemoryOf(place: LandingPlace, base: string, tree: string): Promise<string> {
  const own = memoryPath(place)
  const same = ['diff-tree', '--quiet', base, tree, '--', own]
  if ((await askLanding(place, place.top, same)).exitCode === 0) return tree
  const index = `${place.commonFolder}/premath/merge-${tree}.index`
  await place.disk.makeFolderLoosely(`${place.commonFolder}/premath`)
  const env = { GIT_INDEX_FILE: index }
  try {
    await landingPaths(place, place.top, ['read-tree', tree], { env })
    const remove = ['rm', '-r', '--force', '--cached', '--quiet', '--ignore-unmatch', '--', own]
    await landingPaths(place, place.top, remove, { env })
    const before = await askLanding(place, place.top, ['rev-parse', '--verify', `${base}:${own}`])
    if (before.exitCode === 0) {
      await landingPaths(
        place,
        place.top,
        ['read-tree', `--prefix=${own}/`, before.stdout.trim()],
        {
          env,
        },
      )
    }
    return await landingLine(place, place.top, ['write-tree'], { env })
  } finally {
    await place.disk.remove(index)
  }
}

export const treeOf = async (place: LandingPlace, commit: string): Promise<string> =>
  await landingLine(place, place.top, ['rev-parse', '--verify', `${commit}^{tree}`])

/** Writes the commit and keeps it at its ref. */
export async function commitCandidate(
  place: LandingPlace,
  { ref, ...parts }: CommitParts & { readonly ref: string },
): Promise<Candidate> {
  const candidate = await writeCommit(place, parts)
  await landingPaths(place, place.top, ['update-ref', ref, candidate.commit])
  return candidate
}

/** Writes a commit to which no ref points. */
export async function writeCommit(
  place: LandingPlace,
  { base, tree, message, sign }: CommitParts,
): Promise<Candidate> {
  const args = ['commit-tree', ...(sign ? ['-S'] : []), '-p', base, '-F', '-', tree]
  const commit = await landingLine(place, place.top, args, { stdin: message })
  return { commit, tree, base }
}

interface CommitParts {
  readonly base: string
  readonly tree: string
  readonly message: string
  readonly sign: boolean
}
