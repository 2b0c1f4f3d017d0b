import { Fault } from '../../fault.ts'
import { countField, noEffectField, textField } from '../../field.ts'
import { listWorktrees } from '../../harness/worktree/worktrees.ts'
import { hookPathFields } from '../../input/harness-fields.ts'
import { earlierLoopFields, fanOutField, loopFields } from '../../input/loop-fields.ts'
import {
  asCoordinator,
  coordinatedWorkers,
  openWorktrees,
  removeCreated,
  warnUncommitted,
} from '../../project/loop/coordinated-workers.ts'
import { fanOutRefusal } from '../../project/loop/fan-out.ts'
import { loopPlace } from '../../project/loop/loop-place.ts'
import { planOf, type WorktreePlan } from '../../project/loop/worktree-plan.ts'
import { openProject } from '../../project/open.ts'
import { operation } from '../operation.ts'
import { liveLoop } from '../run-loop.ts'

export const harnessLoopCoordinator = operation({
  group: 'harness',
  summary: 'Run several workers in parallel, each in its own git worktree.',
  description:
    'Dispatches workers in the order of their worktree paths while issues are ready. Before each pass it checks active issues for a dependency cycle and reads the ready issues again. Each worker keeps its session and ledger in its worktree; issue memory and trajectory belong to the project. The decomposition policy and the KPI limit the number of workers: after a rollback it cannot grow until premath harness-kpi remediate. The issue of a crashed worker is recovered from its journal. Commands run in the project folder of each worktree. Ctrl-C stops with a handoff, and a second Ctrl-C stops immediately. If the program of a command is missing, nothing is claimed and the exit code is 2. If a command exits with 126 or 127, or twice in a row cannot run, the run ends with exit code 3 and its issue is released. Exits 1 if a step failed, was refused, or was interrupted.',
  effect: 'mutation',
  isLive: true,
  input: {
    worktree: textField(
      'folder',
      'A git worktree of this project. Defaults to PREMATH_WORKTREES.',
      { path: true, many: true },
    ),
    createWorktrees: countField(
      'n',
      'Create this many worktrees under .premath/worktrees and remove them at the end, unless they hold uncommitted work.',
      { default: 0 },
    ),
    parallel: countField(
      'n',
      'The maximum number of parallel workers. Defaults to one per worktree.',
    ),
    workerPrefix: textField('name', 'The prefix of worker names: worker.1, worker.2 and so on.', {
      default: 'worker',
    }),
    ...fanOutField,
    ...loopFields,
    session: hookPathFields.session,
    ledger: hookPathFields.ledger,
    rounds: countField(
      'n',
      'Start at most so many times the steps of --max-steps-per-worker. Defaults to 1 if that is given.',
    ),
    maxStepsPerWorker: countField(
      'steps',
      'Start at most this many steps per worker and round, as --max-steps for all workers together. Defaults to 1 if --rounds is given.',
    ),
    worktreeRoot: noEffectField(
      'text',
      'each worker runs in a worktree of its own, which --worktree names',
    ),
    ...earlierLoopFields,
  },
  examples: {
    "premath harness-loop coordinator --worktree ../w1 --worktree ../w2 --work-cmd 'agent run' --verify-cmd 'npm test'":
      'run two workers in two existing worktrees',
    "premath harness-loop coordinator --create-worktrees 4 --max-minutes 480 --max-failures 10 --work-cmd 'agent run' --verify-cmd 'npm test' --json":
      'run four workers overnight and print one JSON event per line',
  },

  async run(given, here) {
    const { input: placed, context } = await loopPlace({ ...given, worktreeRoot: undefined }, here)
    const project = await openProject(context)
    const plan = await planOf(placed, project)
    const input = { ...placed, maxSteps: stepsAllowed(placed, plan) }
    const refusal = await fanOutRefusal(plan.parallel, input, project)
    if (refusal) return refusal
    return await liveLoop(input, project, async (run, emit) => {
      await asCoordinator(input, project, async (coordinator, shared) => {
        const working = async () => {
          const known = await listWorktrees(coordinator)
          const worktrees = await openWorktrees(coordinator, plan, known, emit)
          await warnUncommitted(coordinator, worktrees, emit)
          const parts = { coordinator, worktrees, known, shared, input, project }
          const workers = await coordinatedWorkers(parts)
          await run({ mode: 'coordinator', coordinator, workers, parallel: plan.parallel })
        }
        const [ended] = await Promise.allSettled([working()])
        if (plan.made.length > 0) await removeCreated(coordinator, plan, emit)
        if (ended.status === 'rejected') throw ended.reason
      })
    })
  },
})

interface StepLimits {
  readonly maxSteps: number | undefined
  readonly rounds: number | undefined
  readonly maxStepsPerWorker: number | undefined
}

/** Workers take issues as they come, so a limit per worker and round is one for all together. */
function stepsAllowed(
  { maxSteps, rounds, maxStepsPerWorker }: StepLimits,
  { named, made }: WorktreePlan,
): number | undefined {
  if (rounds === undefined && maxStepsPerWorker === undefined) return maxSteps
  if (rounds === 0) throw noStep('--rounds')
  if (maxStepsPerWorker === 0) throw noStep('--max-steps-per-worker')
  const steps = (rounds ?? 1) * (maxStepsPerWorker ?? 1) * (named.length + made.length)
  return Math.min(steps, maxSteps ?? steps)
}

const noStep = (flag: string) =>
  new Fault('usage', `${flag} must be at least 1, not 0`, {
    hint: 'Pass at least 1, or omit the flag.',
  })
