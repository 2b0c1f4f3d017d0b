/** The work of an issue on its branch, in the worktree of a worker. */
import { Fault } from '../../fault.ts'
import { attemptsFolder, branchFolder, issueBranch } from '../../kernel/landing/landing-refs.ts'
import { shellWord } from '../../kernel/text/shell-word.ts'
import type { Conflict } from '../../wire/harness/feedback.ts'
import { readTextIfPresent } from '../../world/read-text.ts'
import { shown } from '../../world/system-error.ts'
import { contains, listWorktrees } from '../worktree/worktrees.ts'
import { memoryPath } from './candidate.ts'
import { CleanWorktree, nothingCopied } from './clean-worktree.ts'
import { filterComplaint, filteredChanges } from './filtered-paths.ts'
import {
  askLanding,
  commitOf,
  commitsOf,
  isIn,
  type LandingPlace,
  landingGit,
  landingLine,
  landingPaths,
} from './landing-git.ts'
import { type Target, targetGone } from './target.ts'

/** Begins the branch of the issue at the head of the target. Keeps what an earlier attempt left. */
export async function beginBranch(
  place: LandingPlace,
  worktree: CleanWorktree,
  { issueId, target }: { readonly issueId: string; readonly target: Target },
): Promise<void> {
  const branch = issueBranch(issueId, place.sha256)
  await keepLeftWork(place, worktree)
  const names = [target.ref, `refs/heads/${branch}`]
  const [head, left] = await commitsOf(place, place.top, names)
  if (head === undefined) throw targetGone(target)
  if (left !== undefined) {
    await freeBranch(place, branch, worktree.path)
    await keepAttempt(place, issueId, branch, head)
  }
  await worktree.checkOut(head, branch)
}

/** Checks out the branch of the issue as it is. */
export async function resumeBranch(
  place: LandingPlace,
  worktree: CleanWorktree,
  issueId: string,
): Promise<void> {
  const branch = issueBranch(issueId, place.sha256)
  await freeBranch(place, branch, worktree.path)
  const tip = await commitOf(place, `refs/heads/${branch}`)
  if (tip !== undefined) await worktree.checkOut(tip, branch)
}

/** Puts the branch of the issue at its verified commit. The worktree keeps its files. */
export async function leaveOnBranch(
  place: LandingPlace,
  { path }: CleanWorktree,
  issueId: string,
  commit: string,
): Promise<void> {
  const ref = `refs/heads/${issueBranch(issueId, place.sha256)}`
  await landingGit(place, path, ['checkout', '--quiet', '--detach'])
  await landingGit(place, path, ['update-ref', ref, commit])
}

/** The same for work that came from no worktree of a run. */
export async function leaveForReview(
  place: LandingPlace,
  issueId: string,
  commit: string,
): Promise<void> {
  const branch = issueBranch(issueId, place.sha256)
  await detachFrom(place, branch)
  await landingGit(place, place.top, ['update-ref', `refs/heads/${branch}`, commit])
}

/** Without their branch the worktrees keep their files and their commit. */
export async function detachFrom(place: LandingPlace, branch: string): Promise<void> {
  for (const { branch: own, path } of await listWorktrees(place)) {
    if (own === branch) await askLanding(place, path, ['checkout', '--quiet', '--detach'])
  }
}

/** Commits what the worktree holds on the issue branch that is checked out there. */
export async function keepLeftWork(place: LandingPlace, worktree: CleanWorktree): Promise<void> {
  const folder = await worktree.gitFolder()
  const head = await readTextIfPresent(place.disk, `${folder}/HEAD`)
  const start = `ref: refs/heads/${branchFolder}/`
  if (!head?.startsWith(start)) return
  const name = head.slice(start.length).trim()
  await setConflictAside(place, worktree, `refs/premath/attempts/${name}`)
  await commitWork(place, worktree, 'Keep the work of an interrupted attempt\n')
}

/**
 * Keeps a conflict that nobody resolved out of the branch, because its markers would land with it
 * later: it becomes an attempt.
 */
async function setConflictAside(
  place: LandingPlace,
  worktree: CleanWorktree,
  attempts: string,
): Promise<void> {
  await worktree.gitFolder()
  if ((await markedFiles(place, worktree, [])).length === 0) return
  const { path } = worktree
  await addAll(place, path, [])
  const tree = await landingLine(place, path, ['write-tree'])
  const args = ['commit-tree', '-p', 'HEAD', '-m', 'Keep a conflict that was not resolved', tree]
  const commit = await landingLine(place, path, args)
  await landingGit(place, path, ['update-ref', `${attempts}/${commit.slice(0, 12)}`, commit])
  await landingGit(place, path, ['reset', '--quiet', '--hard'])
}

/** Keeps the work of an attempt that does not land, on the branch of its issue. */
export async function keepWork(
  place: LandingPlace,
  worktree: CleanWorktree,
  work: { readonly issueId: string; readonly message: string },
): Promise<void> {
  const attempts = attemptsFolder(work.issueId, place.sha256)
  await setConflictAside(place, worktree, attempts)
  await commitOnBranch(place, worktree, work)
}

/** A worktree of a crashed worker may still have the branch checked out. */
async function freeBranch(place: LandingPlace, branch: string, own: string): Promise<void> {
  const holder = (await listWorktrees(place)).find(one => one.branch === branch && one.path !== own)
  if (!holder) return
  const folder = own.slice(0, own.lastIndexOf('/'))
  if (!contains(folder, holder.path)) {
    throw new Fault('conflict', `the branch ${branch} is checked out at ${shown(holder.path)}`, {
      hint: `Check out another branch there: git -C ${shellWord(holder.path)} switch --detach.`,
      detail: { branch, path: holder.path },
    })
  }
  if ((await place.disk.entry(holder.path))?.kind !== 'folder') {
    // The work removed its worktree. What it had committed is on the branch.
    await landingGit(place, place.top, ['worktree', 'remove', '--force', holder.path])
    return
  }
  await keepLeftWork(place, new CleanWorktree(place, holder.path, nothingCopied))
  await landingGit(place, holder.path, ['checkout', '--quiet', '--force', '--detach'])
}

/** Keeps the commits of an earlier attempt that the target lacks. */
async function keepAttempt(
  place: LandingPlace,
  issueId: string,
  branch: string,
  head: string,
): Promise<void> {
  const tip = await commitOf(place, `refs/heads/${branch}`)
  if (tip === undefined || (await isIn(place, tip, head))) return
  const ref = `${attemptsFolder(issueId, place.sha256)}/${tip.slice(0, 12)}`
  await landingGit(place, place.top, ['update-ref', ref, tip])
}

/** The commit of the work, or why git could not commit all of it. */
export type WorkCommit = { readonly work: string } | { readonly complaint: string }

/**
 * Commits all changes, and puts the commit on the branch of the issue. The agent may have left the
 * branch.
 */
export async function commitOnBranch(
  place: LandingPlace,
  worktree: CleanWorktree,
  { issueId, message }: { readonly issueId: string; readonly message: string },
): Promise<WorkCommit> {
  const { path, begunAt } = worktree
  const complaint = await commitWork(place, worktree, message)
  const ref = `refs/heads/${issueBranch(issueId, place.sha256)}`
  const [own, parent, tip] = await commitsOf(place, path, ['HEAD', 'HEAD~1', ref])
  if (own === undefined) return { complaint: complaint ?? 'the work left no commit' }
  // One commit on top of where the work began is the usual case.
  const isOnTop = begunAt === undefined || begunAt === own || begunAt === parent
  const head = isOnTop ? own : await relatedHead(place, { path, begunAt }, own, message)
  if (tip !== head) await landingGit(place, path, ['update-ref', ref, head])
  return complaint === undefined ? { work: head } : { complaint }
}

/**
 * The commit that is checked out. If it shares no history with the commit at which the work began,
 * as after git checkout --orphan, its files become a commit on top of that one.
 */
async function relatedHead(
  place: LandingPlace,
  { path, begunAt }: { readonly path: string; readonly begunAt: string },
  head: string,
  message: string,
): Promise<string> {
  const related = await askLanding(place, path, ['merge-base', begunAt, head])
  if (related.exitCode === 0) return head
  const args = ['commit-tree', '-p', begunAt, '-F', '-', `${head}^{tree}`]
  return await landingLine(place, path, args, { stdin: message })
}

/**
 * Commits what git can add. Returns why it could not add the rest, such as a repository without a
 * commit in a folder.
 */
async function commitWork(
  place: LandingPlace,
  worktree: CleanWorktree,
  message: string,
): Promise<string | undefined> {
  const { path } = worktree
  const folder = await worktree.gitFolder()
  // A killed git leaves its lock. No command of the work runs any more.
  await place.disk.remove(`${folder}/index.lock`)
  const complaint = await addAll(place, path, ['--sparse'])
  const isMerging = (await place.disk.stamp(`${folder}/MERGE_HEAD`)) !== undefined
  const isSame = (await askLanding(place, path, ['diff', '--cached', '--quiet'])).exitCode === 0
  if (!isSame || isMerging) {
    const args = ['commit', '--quiet', '--no-verify', '--allow-empty', '-F', '-']
    const committed = await askLanding(place, path, args, { stdin: message })
    if (committed.exitCode !== 0) return complaint ?? committed.complaint
  }
  return complaint
}

/** Stages what git can add. Returns why it could not add the rest. */
async function addAll(
  place: LandingPlace,
  path: string,
  more: readonly string[],
): Promise<string | undefined> {
  const filtered = await filteredChanges(place, path)
  const others = filtered.map(one => `:(top,exclude,literal)${one.path}`)
  const where = others.length === 0 ? [] : ['--', ':/', ...others]
  const args = ['add', '--all', ...more, '--ignore-errors', ...where]
  const { exitCode, complaint } = await askLanding(place, path, args)
  return exitCode === 0 ? filterComplaint(filtered) : complaint
}

/** Why the state of the worktree cannot be landed, although the work command passed. */
export async function unfinishedWork(
  place: LandingPlace,
  worktree: CleanWorktree,
  conflicts: readonly string[],
): Promise<string | undefined> {
  const folder = await worktree.gitFolder()
  for (const mark of ['rebase-merge', 'rebase-apply']) {
    if (await place.disk.stamp(`${folder}/${mark}`)) return 'the work left an unfinished rebase'
  }
  const marked = await markedFiles(place, worktree, conflicts)
  return marked.length === 0
    ? undefined
    : `conflict markers are left in ${marked.map(shown).join(', ')}`
}

/** Files that conflicted and still have the markers of a conflict. */
async function markedFiles(
  place: LandingPlace,
  { path }: CleanWorktree,
  conflicts: readonly string[],
): Promise<readonly string[]> {
  const unmerged = await landingPaths(place, path, ['diff', '--name-only', '--diff-filter=U', '-z'])
  const marked: string[] = []
  for (const file of new Set([...conflicts, ...unmerged])) {
    const text = await readTextIfPresent(place.disk, `${path}/${file}`)
    if (text !== undefined && /^(<{7}|>{7})( |$)/m.test(text)) marked.push(file)
  }
  return marked
}

/** Merges the target into the branch of the issue, and leaves the conflict in the files. */
export async function mergeTarget(
  place: LandingPlace,
  worktree: string,
  head: string,
): Promise<readonly Conflict[]> {
  const args = ['merge', '--quiet', '--no-commit', '--no-ff', '--no-verify', '--no-stat', head]
  const since = (await askLanding(place, worktree, ['merge-base', 'HEAD', head])).stdout.trim()
  const { exitCode, complaint } = await askLanding(place, worktree, args)
  const unmerged = ['diff', '--name-only', '--diff-filter=U', '-z']
  const all = await landingPaths(place, worktree, unmerged)
  // Work does not change issue memory, so that of the target counts.
  const memory = all.filter(file => file.startsWith(`${memoryPath(place)}/`))
  if (memory.length > 0) {
    const theirs = ['restore', '--source', head, '--staged', '--worktree']
    await landingGit(place, worktree, [...theirs, '--', ...memory])
  }
  const files = all.filter(file => !memory.includes(file))
  if (exitCode !== 0 && all.length === 0) {
    throw new Fault(
      'unavailable',
      `git could not merge the target into ${shown(worktree)}: ${complaint}`,
      {
        hint: 'Merge the target there by hand to see why.',
        detail: { path: worktree },
      },
    )
  }
  const subjects = async (range: string, file: string) =>
    (await landingGit(place, worktree, ['log', '--format=%s', '-n', '5', range, '--', file]))
      .split('\n')
      .filter(line => line !== '')
  return await Promise.all(
    files.map(async path => ({
      path,
      work: await subjects(`${since}..HEAD`, path),
      target: await subjects(`${since}..${head}`, path),
    })),
  )
}
