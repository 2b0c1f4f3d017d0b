/**
 * Moves the target to a verified commit, and every worktree that has it checked out. Nothing of a
 * person is lost: a file that would be overwritten stops the landing. The caller holds the landing
 * lock.
 */
import { Flaw, shaped } from '../../kernel/artifact/flaw.ts'
import { jsonIn } from '../../kernel/json.ts'
import { LandingNote } from '../../wire/landing/landing-note.ts'
import { readTextIfPresent } from '../../world/read-text.ts'
import type { ProcessGroup } from '../../world/world.ts'
import { listWorktrees, type Worktree } from '../worktree/worktrees.ts'
import { Follower, type Holder, type Move } from './follower.ts'
import { askLanding, commitOf, isIn, type LandingPlace, landingPaths } from './landing-git.ts'
import type { Target } from './target.ts'

export type Moved =
  | { readonly how: 'moved' }
  /** The target is at another commit than the base. */
  | { readonly how: 'elsewhere'; readonly head: string }
  /** A person has to act first. */
  | { readonly how: 'parked'; readonly why: string; readonly paths: readonly string[] }

export async function moveTarget(place: LandingPlace, move: Move): Promise<Moved> {
  await settleFollowers(place)
  const { target, base, commit } = move
  const worktrees = await listWorktrees(place)
  // The list names the commit of each worktree, so git is asked again only if none has the target.
  const listed = worktrees.find(({ branch }) => branch === target.branch)?.head
  const head = listed ?? (await commitOf(place, target.ref))
  if (head === undefined) return parked(`the branch ${target.branch} is gone`)
  if (head !== base || head === commit) {
    return (await isIn(place, commit, head)) ? { how: 'moved' } : { how: 'elsewhere', head }
  }
  const { holders, busy } = await holdersOf(place, worktrees, target)
  if (busy !== undefined) return parked(busy)
  const { isFromDisk = false } = move
  const note = { target: target.branch, base, commit, isFromDisk }
  const record = async (group: ProcessGroup): Promise<void> =>
    await writeNote(place, { ...note, holders: followers.map(({ holder }) => holder), group })
  await writeNote(place, { ...note, holders })
  const followers: readonly Follower[] = holders.map(
    holder => new Follower(place, holder, move, record),
  )
  const moved = (await refusalOf(followers)) ?? (await updateTarget(place, move, record))
  for (const follower of followers) {
    if (moved.how === 'moved') await follower.install()
    else await follower.undo()
  }
  await place.disk.remove(notePath(place))
  return moved
}

const parked = (why: string): Moved => ({ how: 'parked', why, paths: [] })

/** Writes the files of every worktree. Returns why one cannot follow. */
async function refusalOf(followers: readonly Follower[]): Promise<Moved | undefined> {
  for (const follower of followers) {
    if (!(await follower.lock())) {
      const { gitFolder, path } = follower.holder
      const lock = `${gitFolder}/index.lock`
      return parked(`another git command runs in ${path}, or a killed one left ${lock}`)
    }
    const failed = await follower.follow()
    if (failed) return { how: 'parked', ...failed }
  }
  return undefined
}

async function updateTarget(
  place: LandingPlace,
  { target, commit, base }: Move,
  beforeRun: (group: ProcessGroup) => Promise<void>,
): Promise<Moved> {
  const args = ['update-ref', '-m', 'premath: land', target.ref, commit, base]
  const answer = await askLanding(place, place.top, args, { withHooks: true, beforeRun })
  if (answer.exitCode === 0) return { how: 'moved' }
  const head = await commitOf(place, target.ref)
  if (head !== undefined && head !== base) return { how: 'elsewhere', head }
  return parked(`git refused to move ${target.branch}: ${answer.complaint}`)
}

/** Operations that end by moving the branch themselves. Until then nobody else may move it. */
const operations = {
  'rebase-merge/head-name': 'a rebase',
  'rebase-apply/head-name': 'a rebase',
  BISECT_START: 'a bisect',
} as const

interface Holders {
  readonly holders: readonly Holder[]
  /** Why the branch must not move now. */
  readonly busy: string | undefined
  /** The operation that keeps it there, if that is why. */
  readonly operation: InTheWay | undefined
}

/** The worktrees that have the target checked out. */
async function holdersOf(
  place: LandingPlace,
  worktrees: readonly Worktree[],
  { branch, ref }: Target,
): Promise<Holders> {
  const holders: Holder[] = []
  let operation: InTheWay | undefined
  let busy: string | undefined
  for (const { path, branch: own, isPrunable } of worktrees) {
    const gitFolder = isPrunable ? undefined : await gitFolderOf(place, path)
    // It would come back with old files, which look like edits that undo the landing.
    if (own === branch && !isPrunable && gitFolder === undefined) {
      busy ??= `${path} has ${branch} checked out, and is not there`
    }
    if (gitFolder === undefined) continue
    if (own === branch) holders.push({ path, gitFolder })
    for (const [file, words] of Object.entries(operations)) {
      const name = (await readTextIfPresent(place.disk, `${gitFolder}/${file}`))?.trim()
      if (name === ref || name === branch) {
        operation ??= { path, operation: words }
        busy ??= `${path} is in the middle of ${words} of ${branch}`
      }
    }
  }
  return { holders, busy, operation }
}

/** A git command of a person that is not finished, as words. */
export type OpenOperation =
  | (typeof operations)[keyof typeof operations]
  | (typeof merging)[keyof typeof merging]

interface InTheWay {
  readonly path: string
  /** `undefined` for unmerged files alone, as after git stash pop. */
  readonly operation: OpenOperation | undefined
}

/** Commands that leave files unmerged in the index, by the ref that tells that one is open. */
const merging = {
  MERGE_HEAD: 'a merge',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
} as const

/**
 * The operation that keeps every landing from the target, if one is open where it is checked out. A
 * merge whose files are all resolved does not.
 */
export async function operationInTheWay(
  place: LandingPlace,
  target: Target,
): Promise<InTheWay | undefined> {
  const { holders, operation } = await holdersOf(place, await listWorktrees(place), target)
  if (operation) return operation
  for (const { path, gitFolder } of holders) {
    if ((await landingPaths(place, path, ['ls-files', '-z', '--unmerged'])).length === 0) continue
    for (const [file, words] of Object.entries(merging)) {
      if (await place.disk.stamp(`${gitFolder}/${file}`)) return { path, operation: words }
    }
    return { path, operation: undefined }
  }
  return undefined
}

/** `.git` is the folder itself in the main worktree, or a link to it, and names it in the others. */
async function gitFolderOf({ disk }: LandingPlace, path: string): Promise<string | undefined> {
  if (await disk.stamp(`${path}/.git/HEAD`)) return `${path}/.git`
  const text = (await readTextIfPresent(disk, `${path}/.git`))?.trim()
  const named = text?.startsWith('gitdir: ') ? text.slice('gitdir: '.length) : undefined
  return named === undefined || named.startsWith('/') ? named : `${path}/${named}`
}

/** Finishes or undoes what an interrupted landing did to worktrees. */
export async function settleFollowers(place: LandingPlace): Promise<void> {
  const text = await readTextIfPresent(place.disk, notePath(place))
  if (text === undefined) return
  const note = shaped(LandingNote, text.endsWith('\n') ? jsonIn(text) : undefined)
  if (!(note instanceof Flaw)) {
    const { target: branch, base, commit, isFromDisk, holders, group } = note
    const move = { target: { branch, ref: `refs/heads/${branch}` }, base, commit, isFromDisk }
    if (group) await place.processes.endGroup(group)
    const isLanded = await isIn(place, commit, move.target.ref)
    for (const holder of holders) {
      if ((await place.disk.stamp(holder.gitFolder)) === undefined) continue
      await new Follower(place, holder, move).settle(isLanded)
    }
  }
  await place.disk.remove(notePath(place))
}

/** The note of a landing under way, in the git folder that all worktrees share. */
const notePath = ({ commonFolder }: LandingPlace) => `${commonFolder}/premath/landing.json`

async function writeNote(place: LandingPlace, note: LandingNote): Promise<void> {
  const text = `${JSON.stringify(note)}\n`
  await place.disk.replaceLoosely(notePath(place), new TextEncoder().encode(text))
}
