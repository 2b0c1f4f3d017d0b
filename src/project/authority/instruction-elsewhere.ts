/** An instruction that lies in another worktree than the one that somebody works in. */

import { Fault } from '../../fault.ts'
import { listWorktrees, type Worktree } from '../../harness/worktree/worktrees.ts'
import type { OperationContext } from '../context.ts'
import { resolvePath } from '../paths.ts'

/** What to do where it lies in one; `undefined` where it lies in none. */
export async function elsewhereRemedy(
  ref: string | undefined,
  root: string,
  context: OperationContext,
): Promise<string | undefined> {
  if (ref === undefined || ref.startsWith('/')) return undefined
  const worktrees = await worktreesOf(root, context)
  const main = worktrees.find(({ isMain }) => isMain)
  if (main === undefined) return undefined
  const real = await (await context.disk()).realPath(root)
  for (const { path: top } of worktrees) {
    const path = resolvePath(`${top}${real.slice(main.path.length)}`, ref)
    if ((await context.files.kindOf(path)) !== 'file') continue
    const copy = resolvePath(root, ref)
    return `It lies in the worktree ${top} alone, and can be used only there. To use it everywhere, copy ${path} to ${copy}.`
  }
  return undefined
}

/** None where git cannot be asked: what is refused is refused without it. */
async function worktreesOf(root: string, context: OperationContext): Promise<readonly Worktree[]> {
  const [disk, processes] = await Promise.all([context.disk(), context.processes()])
  try {
    return await listWorktrees({ root, disk, processes, env: context.env })
  } catch (error) {
    if (error instanceof Fault) return []
    throw error
  }
}
