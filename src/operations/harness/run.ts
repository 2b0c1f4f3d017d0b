import { countField } from '../../field.ts'
import { fanOutRefusal } from '../../project/loop/fan-out.ts'
import { mustBeMain } from '../../project/loop/worktree-plan.ts'
import { openProject } from '../../project/open.ts'
import { RunAnswer } from '../../wire/answers/harness.ts'
import { landingRun, landingRunFields, mustBeSome } from '../landing-run.ts'
import { operation } from '../operation.ts'
import { requestFields, requestIn, tellRun } from '../tell-run.ts'

export const run = operation({
  group: 'harness',
  summary: 'Work on all ready issues, and land each result on the target branch.',
  description:
    'Starts in the main worktree, and is refused in a linked one. Each worker has a git worktree under .premath/worktrees. An issue is worked on in its own branch, which starts at the target. What the work leaves uncommitted is committed. The work of an issue becomes one commit on the target as it is then; this commit is verified in a worktree of its own, the target moves to it, and then the issue closes. If the commit conflicts with the target or its verification fails, the next attempt gets the reason. A worktree that has the target checked out follows it; a file there that would be overwritten stops that landing. Ctrl-C stops with a handoff, and a second Ctrl-C stops immediately. From another terminal, --pause, --resume and --drain speak to the run of this project, also to that of premath harness-loop coordinator, and end. They exit 1 if there is none. Exits 1 if a step failed, was refused, or was interrupted, and if every issue is closed but the target lacks the work of some.',
  effect: 'mutation',
  opId: 'op/harness.run',
  isLive: true,
  input: {
    ...requestFields,
    workers: countField('n', 'The number of workers.', { default: 2, setting: 'workers' }),
    ...landingRunFields,
  },
  output: RunAnswer,
  examples: {
    "premath run --workers 2 --work-cmd 'agent run' --verify-cmd 'npm test'":
      'work with two agents, and land what passes on the current branch',
    "premath run --workers 4 --onto premath/landing --work-cmd 'agent run' --verify-cmd 'npm test' --json":
      'land on a branch of its own, and print one JSON event per line',
    'premath run --drain': 'from another terminal: end the run after its running steps',
  },

  async run(input, context) {
    const project = await openProject(context)
    const request = requestIn(input)
    if (request !== undefined) return await tellRun(request, input, project)
    await mustBeMain(project)
    const { config } = await project.config()
    const count = input.workers ?? config.workers
    mustBeSome('--workers', count)
    const workers = Array.from({ length: count }, (_, at) => ({ workerId: `worker.${at + 1}` }))
    const asked = { action: 'run', flag: '--workers' }
    const refusal = await fanOutRefusal(count, input, project, asked)
    return refusal ?? (await landingRun(input, { workers, parallel: count }, project))
  },
})
