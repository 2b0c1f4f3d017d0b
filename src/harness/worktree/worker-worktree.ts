/** The worktree that a worker is given: where it lies, its branch, and who may change it. */
import { Fault } from '../../fault.ts'
import { underLock } from '../../store/lock.ts'
import type { Disk } from '../../world/world.ts'
import { askGit, type GitPlace } from './git.ts'
import { contains } from './worktrees.ts'

/** What the branches of workers begin with. */
export const branchStart = 'premath/'

/** A worker names a branch and a folder, so what git refuses is refused here. */
export async function workerBranch(place: GitPlace, worker: string): Promise<string> {
  const branch = `${branchStart}${worker}`
  const asked = ['check-ref-format', `refs/heads/${branch}`]
  // Git allows a branch that ends in @, and stumbles over a worktree of that name.
  const isOneName = !/[/\0]/.test(worker) && worker !== '@'
  if (isOneName && (await askGit(place, place.root, asked)).exitCode === 0) return branch
  throw new Fault('usage', `no branch can be named after the worker ${JSON.stringify(worker)}`, {
    hint: 'Name it with letters, digits, - and _, and single dots between them; not .lock at the end.',
    detail: { worker },
  })
}

/** All of them, every link followed. A link that a repository brought along leads nowhere else. */
export async function worktreesFolder({ root, disk }: GitPlace): Promise<string> {
  const path = `${root === '/' ? '' : root}/.premath/worktrees`
  const [real, realRoot] = [await disk.realPath(path), await disk.realPath(root)]
  if (contains(realRoot, real)) return real
  throw new Fault('unavailable', `${path} leaves the project through a symbolic link`, {
    hint: `It leads to ${real}. Remove the link.`,
    detail: { path, leadsTo: real },
  })
}

/** No branch's name begins so, and no worktree is ever in the way. */
const lockName = '.lock'

/** Longer than git is given to make one; several may be in front. */
const waitMs = 300_000

/**
 * One process at a time makes or removes worktrees: nobody is handed one that is half there, and
 * git, which looks at all of them whenever it changes one, dies of one that is.
 */
export async function alone<T>(disk: Disk, folder: string, act: () => Promise<T>): Promise<T> {
  return await underLock(disk, `${folder}/${lockName}`, waitMs, act, {
    noun: 'worktrees',
    hint: 'Another process makes or removes one: try again when that has ended.',
  })
}
