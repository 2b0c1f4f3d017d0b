/** The folder of the worktrees that premath creates, and the lock for changes in it. */
import { Fault } from '../../fault.ts'
import { underLock } from '../../store/lock.ts'
import type { Disk } from '../../world/world.ts'
import type { GitPlace } from './git.ts'
import { contains } from './worktrees.ts'

/**
 * Returns the real path of the worktrees folder. A committed link must not lead outside the
 * project.
 */
export async function worktreesFolder({ root, disk }: GitPlace): Promise<string> {
  const path = `${root === '/' ? '' : root}/.premath/worktrees`
  const [real, realRoot] = [await disk.realPath(path), await disk.realPath(root)]
  if (contains(realRoot, real)) return real
  throw new Fault('unavailable', `${path} leads out of the project through a symbolic link`, {
    hint: `It points to ${real}. Remove the link.`,
    detail: { path, leadsTo: real },
  })
}

/** No worker's name starts with a dot, so no worktree can have this name. */
const lockName = '.lock'

/** Longer than the timeout of git, because several processes may wait. */
const waitMs = 300_000

/**
 * One process at a time creates or removes worktrees. Others never get an incomplete one, and git
 * fails when it lists an incomplete one.
 */
export async function withWorktreeLock<T>(
  disk: Disk,
  folder: string,
  act: () => Promise<T>,
): Promise<T> {
  return await underLock(disk, `${folder}/${lockName}`, waitMs, act, {
    noun: 'worktrees',
    hint: 'Another process creates or removes a worktree. Run the command again when it has ended.',
  })
}
