import { countField, noEffectField, textField } from '../../field.ts'
import { earlierLoopFields } from '../../input/loop-fields.ts'
import { fanOutRefusal } from '../../project/loop/fan-out.ts'
import { loopPlace } from '../../project/loop/loop-place.ts'
import { planOf } from '../../project/loop/worktree-plan.ts'
import { openProject } from '../../project/open.ts'
import { RunEvent } from '../../wire/run/run-event.ts'
import { landingRun, landingRunFields, mustBeSome } from '../landing-run.ts'
import { operation } from '../operation.ts'

export const harnessLoopCoordinator = operation({
  group: 'harness',
  summary: 'Run several workers in worktrees of your own, and land each result.',
  description:
    'Lands like premath run, and takes worktrees by name besides. A worktree that you name must have no uncommitted changes; its ignored files stay, and at the end it has its branch again. Dispatches workers in the order of their worktree paths while issues are ready. Before each pass it checks active issues for a dependency cycle and reads the ready issues again. Each worker keeps its session and ledger in its worktree; issue memory and trajectory belong to the project. The decomposition policy and the KPI limit the number of workers: after a rollback it cannot grow until premath harness-kpi remediate. The issue of a crashed worker is recovered from its journal. Commands run in the project folder of each worktree. Ctrl-C stops with a handoff, and a second Ctrl-C stops immediately. If the program of a command is missing, nothing is claimed and the exit code is 2. If a command exits with 126 or 127, or twice in a row cannot run, the run ends with exit code 3 and its issue is released. Exits 1 if a step failed, was refused, or was interrupted, and if every issue is closed but the target lacks the work of some.',
  effect: 'mutation',
  opId: 'op/harness.loop_coordinator',
  isLive: true,
  input: {
    worktree: textField(
      'folder',
      'A git worktree of this project. Defaults to PREMATH_WORKTREES.',
      { path: true, many: true },
    ),
    createWorktrees: countField(
      'n',
      'Create this many worktrees under .premath/worktrees and remove them at the end. Work that did not land stays on the branch of its issue.',
      { default: 0 },
    ),
    parallel: countField(
      'n',
      'The maximum number of parallel workers. Defaults to one per worktree.',
    ),
    workerPrefix: textField('name', 'The prefix of worker names: worker.1, worker.2 and so on.', {
      default: 'worker',
    }),
    ...landingRunFields,
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
  output: RunEvent,
  examples: {
    "premath harness-loop coordinator --worktree ../w1 --worktree ../w2 --work-cmd 'agent run' --verify-cmd 'npm test'":
      'run two workers in two existing worktrees, and land on the current branch',
    "premath harness-loop coordinator --create-worktrees 4 --max-minutes 480 --max-failures 10 --work-cmd 'agent run' --verify-cmd 'npm test' --json":
      'run four workers overnight and print one JSON event per line',
  },

  async run(given, here) {
    const { input: placed, context } = await loopPlace({ ...given, worktreeRoot: undefined }, here)
    const project = await openProject(context)
    const plan = await planOf(placed, project)
    const input = { ...placed, maxSteps: stepsAllowed(placed, plan.workers.length) }
    const refusal = await fanOutRefusal(plan.parallel, input, project)
    return refusal ?? (await landingRun(input, plan, project))
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
  workers: number,
): number | undefined {
  if (rounds === undefined && maxStepsPerWorker === undefined) return maxSteps
  mustBeSome('--rounds', rounds)
  mustBeSome('--max-steps-per-worker', maxStepsPerWorker)
  const steps = (rounds ?? 1) * (maxStepsPerWorker ?? 1) * workers
  return Math.min(steps, maxSteps ?? steps)
}
