import { listWorktrees } from '../../harness/worktree/worktrees.ts'
import { hookPathFields } from '../../input/harness-fields.ts'
import { loopFields } from '../../input/loop-fields.ts'
import {
  coordinatedCrew,
  openWorktrees,
  removeMade,
  tellUncommitted,
} from '../../project/loop/coordinated-crew.ts'
import { fanOutRefusal } from '../../project/loop/fan-out.ts'
import { planOf } from '../../project/loop/worktree-plan.ts'
import { asWorker, openHarness } from '../../project/open-harness.ts'
import { openIssues } from '../../project/open-issues.ts'
import { SharedIssueStore } from '../../store/shared-issue-store.ts'
import { operation } from '../operation.ts'
import { liveLoop } from '../run-loop.ts'

export const harnessLoopCoordinator = operation({
  group: 'harness',
  summary: 'Run several workers at once, each in a git worktree of its own.',
  description:
    'Sends workers to their worktrees, in the order of the paths, as long as issues are ready. Before each pass it looks for a circle among active issues and reads ready work anew. Every worker keeps its session and ledger in its worktree; issue memory and trajectory are the project’s. More than one worker has to be admitted by the decomposition policy, and by the KPI: after a rollback no more than before, until premath harness-kpi remediate. A worker that dies is found by its journal and its issue taken over. Commands run in each worktree, where the project lies in it. Ctrl-C stops cleanly, with a handoff; a second one at once. Exits 1 when something failed, was refused, or was stopped in the middle.',
  effect: 'mutation',
  isLive: true,
  input: {
    worktree: {
      type: 'text',
      describe: 'A git worktree of this project; without it, those in PREMATH_WORKTREES.',
      placeholder: 'folder',
      path: true,
      many: true,
    },
    createWorktrees: {
      type: 'count',
      describe:
        'Make so many under .premath/worktrees, and remove them at the end unless something in them is not committed.',
      placeholder: 'n',
      default: 0,
    },
    parallel: {
      type: 'count',
      describe: 'How many work at the same time; without it, one a worktree.',
      placeholder: 'n',
    },
    workerPrefix: {
      type: 'text',
      describe: 'What workers are called: worker.1, worker.2 and so on.',
      placeholder: 'name',
      default: 'worker',
    },
    decompositionPolicy: {
      type: 'text',
      describe: 'The decomposition policy; without it, the project’s or the one premath brings.',
      placeholder: 'file',
      path: true,
    },
    ...loopFields,
    session: hookPathFields.session,
    ledger: hookPathFields.ledger,
  },
  examples: [
    {
      command:
        "premath harness-loop coordinator --worktree ../w1 --worktree ../w2 --work-cmd 'agent run' --verify-cmd 'npm test'",
      shows: 'two workers, each in its worktree',
    },
    {
      command:
        "premath harness-loop coordinator --create-worktrees 4 --max-minutes 480 --max-failures 10 --work-cmd 'agent run' --verify-cmd 'npm test' --json",
      shows: 'a night of four workers, one JSON event a line',
    },
  ],

  async run(input, context) {
    const plan = await planOf(input, context)
    const refusal = await fanOutRefusal(plan.parallel, input, context)
    if (refusal) return refusal
    return await liveLoop(input, context, async (run, tell) => {
      const issues = await openIssues(context, input)
      const shared = { ...issues, store: new SharedIssueStore(issues.store) }
      const open = await openHarness(context, { ...input, worker: 'coordinator' }, shared)
      const keeper = { ...open.harness, tell: () => {} }
      await asWorker(
        open,
        async () => {
          const working = async () => {
            const known = await listWorktrees(keeper)
            const worktrees = await openWorktrees(keeper, plan, known, tell)
            await tellUncommitted(keeper, worktrees, tell)
            const crew = { keeper, worktrees, known, shared, input, context }
            const workers = await coordinatedCrew(crew)
            await run({ mode: 'coordinator', keeper, workers, parallel: plan.parallel })
          }
          const [ended] = await Promise.allSettled([working()])
          if (plan.made.length > 0) await removeMade(keeper, plan, tell)
          if (ended.status === 'rejected') throw ended.reason
        },
        coordinatorWords,
      )
    })
  },
})

const coordinatorWords = {
  noun: 'coordinator',
  hint: 'A project has one coordinator at a time: wait for it, or stop it with Ctrl-C.',
}
