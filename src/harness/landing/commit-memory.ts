/** Commits issue memory to the target at the end of a run, so that clones get it with the work. */
import { treeOf } from './candidate.ts'
import { underLandingLock } from './land-issue.ts'
import { askLanding, type LandingPlace, landingGit, landingLine } from './landing-git.ts'
import { moveTarget, settleFollowers } from './move-target.ts'
import { headOf, type Target } from './target.ts'

/** Sessions, ledgers and trajectories stay out. */
const records = ['issues.jsonl', 'memory', 'proofs']

/** They decide how work is judged, so what work made of them is not committed. */
const settings = ['policy.json', 'config.json', '.gitignore', '.gitattributes']

/** The settings as somebody left them before a run, by name: their digests. */
export type KnownSettings = ReadonlyMap<string, string>

/** Call it before any command of the run begins. */
export async function settingsBefore(place: LandingPlace): Promise<KnownSettings> {
  const known = new Map<string, string>()
  for (const name of settings) {
    const path = settingPath(place, name)
    if (await place.disk.stamp(path)) known.set(name, await place.disk.sha256(path))
  }
  return known
}

/** The settings that differ from those before the run. */
async function changedSettings(
  place: LandingPlace,
  before: KnownSettings,
): Promise<readonly string[]> {
  const now = await settingsBefore(place)
  return settings.filter(name => now.get(name) !== before.get(name))
}

const settingPath = ({ top, prefix }: LandingPlace, name: string) =>
  `${top}/${prefix}.premath/${name}`

const message = 'Record issue memory\n'

/** True if the target tracks issue memory. */
export async function tracksMemory(place: LandingPlace, { ref }: Target): Promise<boolean> {
  const asked = ['cat-file', '-e', `${ref}:${place.prefix}.premath/issues.jsonl`]
  return (await askLanding(place, place.top, asked)).exitCode === 0
}

/** Returns the settings that changed meanwhile. They are left out. */
export async function commitMemory(
  place: LandingPlace,
  target: Target,
  before: KnownSettings,
): Promise<readonly string[]> {
  return await underLandingLock(place, async () => {
    await settleFollowers(place)
    const base = await headOf(place, target)
    const changed = await changedSettings(place, before)
    const kept = settings.filter(name => !changed.includes(name))
    const tree = await treeWithMemory(place, base, [...records, ...kept])
    if (tree === (await treeOf(place, base))) return changed
    const args = ['commit-tree', '-p', base, '-F', '-', tree]
    const commit = await landingLine(place, place.top, args, { stdin: message })
    await moveTarget(place, { target, base, commit, isFromDisk: true })
    return changed
  })
}

/** For people: why a setting is not in the commit. */
export const leftOutNote = (changed: readonly string[]): string =>
  `${changed.map(name => `.premath/${name}`).join(', ')} changed during the run, and is not committed: look at it with git diff, then commit or restore it`

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

async function treeWithMemory(
  place: LandingPlace,
  base: string,
  names: readonly string[],
): Promise<string> {
  const index = `${place.commonFolder}/premath/memory.index`
  const env = { GIT_INDEX_FILE: index }
  try {
    // A git that was killed may have left its lock.
    await place.disk.remove(`${index}.lock`)
    await landingGit(place, place.top, ['read-tree', base], { env })
    const paths: string[] = []
    for (const name of names) {
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
