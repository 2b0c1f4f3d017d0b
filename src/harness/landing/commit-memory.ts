/** Commits issue memory to the target at the end of a run, so that clones get it with the work. */
import { treeOf } from './candidate.ts'
import { underLandingLock } from './land-issue.ts'
import { askLanding, type LandingPlace, landingGit, landingLine } from './landing-git.ts'
import { moveTarget, settleFollowers } from './move-target.ts'
import { headOf, type Target } from './target.ts'

/** Issues, proofs, policy and configuration. Sessions, ledgers and trajectories stay out. */
const committed = [
  'issues.jsonl',
  'memory',
  'proofs',
  'policy.json',
  'config.json',
  '.gitignore',
  '.gitattributes',
]

const message = 'Record issue memory\n'

/** True if the target tracks issue memory. */
export async function tracksMemory(place: LandingPlace, { ref }: Target): Promise<boolean> {
  const asked = ['cat-file', '-e', `${ref}:${place.prefix}.premath/issues.jsonl`]
  return (await askLanding(place, place.top, asked)).exitCode === 0
}

/** Returns the commit, or `undefined` if nothing has changed or the target cannot move now. */
export async function commitMemory(
  place: LandingPlace,
  target: Target,
): Promise<string | undefined> {
  return await underLandingLock(place, async () => {
    await settleFollowers(place)
    const base = await headOf(place, target)
    const tree = await treeWithMemory(place, base)
    if (tree === (await treeOf(place, base))) return undefined
    const args = ['commit-tree', '-p', base, '-F', '-', tree]
    const commit = await landingLine(place, place.top, args, { stdin: message })
    const moved = await moveTarget(place, { target, base, commit, isFromDisk: true })
    return moved.how === 'moved' ? commit : undefined
  })
}

/** A project may ignore some of them, and git add would refuse. Tracked files are never ignored. */
async function withoutIgnored(
  place: LandingPlace,
  paths: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const stdin = paths.map(path => `${path}\0`).join('')
  const asked = ['check-ignore', '-z', '--stdin']
  const { stdout } = await askLanding(place, place.top, asked, { env, stdin })
  const ignored = new Set(stdout.split('\0'))
  return paths.filter(path => !ignored.has(path))
}

async function treeWithMemory(place: LandingPlace, base: string): Promise<string> {
  const index = `${place.commonFolder}/premath/memory.index`
  const env = { GIT_INDEX_FILE: index }
  try {
    // A git that was killed may have left its lock.
    await place.disk.remove(`${index}.lock`)
    await landingGit(place, place.top, ['read-tree', base], { env })
    const paths: string[] = []
    for (const name of committed) {
      const path = `${place.prefix}.premath/${name}`
      if (await place.disk.stamp(`${place.top}/${path}`)) paths.push(path)
    }
    const kept = await withoutIgnored(place, paths, env)
    await landingGit(place, place.top, ['add', '--all', '--', ...kept], { env })
    return await landingLine(place, place.top, ['write-tree'], { env })
  } finally {
    await place.disk.remove(index)
  }
}
