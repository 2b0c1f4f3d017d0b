/** Plans the worktrees and the number of parallel workers before anything is created. */

import { Fault } from '../../fault.ts'
import { byCodePoint } from '../../kernel/canonical.ts'
import { shown } from '../../world/system-error.ts'
import type { OperationContext } from '../context.ts'
import { type Project, projectFrom } from '../open.ts'
import { resolvePath } from '../paths.ts'
import type { RunPlan } from './run-landing.ts'

interface WorktreePlan {
  /** In the order of dispatch: those that get a new worktree, then by the path of their worktree. */
  readonly workers: RunPlan['workers']
  readonly parallel: number
}

interface PlanInput {
  readonly worktree: readonly string[]
  readonly createWorktrees: number
  readonly parallel: number | undefined
  readonly workerPrefix: string
}

/** A larger number is a typing error. */
const madeMax = 256

export async function planOf(
  { worktree, createWorktrees, parallel, workerPrefix }: PlanInput,
  project: Project,
): Promise<WorktreePlan> {
  await mustBeMain(project)
  mustBePrefix(workerPrefix)
  const disk = await project.disk()
  const paths = namesOf(worktree, project).map(path => disk.realPath(path))
  const named = [...new Set(await Promise.all(paths))].toSorted(byCodePoint)
  if (createWorktrees > madeMax) throw tooMany(createWorktrees)
  const made = Array.from({ length: createWorktrees }, () => undefined)
  const workers = [...made, ...named].map((path, at) => ({
    workerId: `${workerPrefix}.${at + 1}`,
    path,
  }))
  const count = workers.length
  if (count === 0) throw noWorktree()
  if (parallel === 0) throw noWorker()
  if (parallel !== undefined && parallel > count) throw tooFew(parallel, count)
  return { workers, parallel: parallel ?? count }
}

function namesOf(given: readonly string[], { env, cwd }: OperationContext): readonly string[] {
  if (given.some(name => name.trim() === '')) throw blankWorktree()
  const usual = (env['PREMATH_WORKTREES'] ?? '').split(',').map(name => name.trim())
  const names = given.length > 0 ? given : usual.filter(name => name !== '')
  return names.map(name => resolvePath(cwd(), name))
}

/**
 * A run could remove the worktree in which it was started. The worktrees of a project whose root is in
 * a linked worktree would be removed with that one.
 */
export async function mustBeMain(project: Project): Promise<void> {
  const { root, env } = project
  const atRoot = projectFrom(project, { cwd: () => root, env })
  const top = (await project.worktree()) ?? (await atRoot.worktree())
  if (top === undefined) return
  throw new Fault('usage', `cannot start a run in ${shown(top)}: it is a linked worktree`, {
    hint: `Start it in the main worktree, which git worktree list shows first.${env['PREMATH_ROOT'] ? ' PREMATH_ROOT must name a project there.' : ''}`,
    detail: { worktree: top },
  })
}

function mustBePrefix(prefix: string): void {
  const isName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/.test(prefix) && !prefix.includes('..')
  if (isName && !['verify', 'revert'].includes(prefix)) return
  throw new Fault('usage', `--worker-prefix ${JSON.stringify(prefix)} cannot name workers`, {
    hint: 'Use one word of letters, digits, dots and dashes. The worktrees of the verification are called verify and revert.',
  })
}

const blankWorktree = () =>
  new Fault('usage', '--worktree is empty', {
    hint: 'Pass the path of a worktree. List them with git worktree list.',
  })

const noWorktree = () =>
  new Fault('usage', 'no worktree is given', {
    hint: 'Pass --worktree, or create some with --create-worktrees 2. A single worker needs none: premath harness-loop worker.',
  })

const noWorker = () =>
  new Fault('usage', '--parallel must be at least 1, not 0', {
    hint: 'Pass at least 1, or omit the flag for one worker per worktree.',
  })

const tooFew = (parallel: number, count: number) =>
  new Fault(
    'usage',
    `--parallel ${parallel} is more than the number of worktrees, which is ${count}`,
    {
      hint: 'Two workers in one worktree would overwrite each other. Add worktrees with --worktree or --create-worktrees.',
    },
  )

const tooMany = (count: number) =>
  new Fault('usage', `--create-worktrees must be at most ${madeMax}, not ${count}`, {
    hint: 'Each worktree is a copy of the tree.',
  })
