import { Fault } from '../../fault.ts'
import { countField, flagField } from '../../field.ts'
import { fromRoot, type Harness } from '../../harness/harness.ts'
import type { Landing } from '../../harness/landing/landing.ts'
import { openTarget } from '../../harness/landing/target.ts'
import type { AttemptOptions } from '../../harness/step/attempt.ts'
import { StepFolder } from '../../harness/step/step-folder.ts'
import { listWorktrees } from '../../harness/worktree/worktrees.ts'
import { hookPathFields } from '../../input/harness-fields.ts'
import { landingFields, landingPlan, strategyFields } from '../../input/landing-options.ts'
import { fanOutField, loopFields } from '../../input/loop-fields.ts'
import { shownEnd, shownOutput } from '../../kernel/harness/feedback.ts'
import { shortList } from '../../kernel/harness/run/remaining-work.ts'
import type { RunEvent } from '../../kernel/harness/run/run-event.ts'
import { reviewClass } from '../../kernel/harness/step/step-decision.ts'
import { asCoordinator, coordinatedWorkers } from '../../project/loop/coordinated-workers.ts'
import { fanOutRefusal } from '../../project/loop/fan-out.ts'
import { landingPlaceOf } from '../../project/loop/landing-status.ts'
import { openRunLanding } from '../../project/loop/run-landing.ts'
import { openProject, type Project } from '../../project/open.ts'
import { stepError } from '../../render/harness/step-answer.ts'
import { type LandInput, landOne, reviewedCommit } from '../land-one.ts'
import { operation } from '../operation.ts'
import { liveLoop } from '../run-loop.ts'
import { requestFields, requestIn, tellRun } from '../tell-run.ts'

export const run = operation({
  group: 'harness',
  summary: 'Work on all ready issues, and land each result on the target branch.',
  description:
    'Each worker has a git worktree under .premath/worktrees. An issue is worked on in its own branch, which starts at the target. What the work leaves uncommitted is committed. The work of an issue becomes one commit on the target as it is then; this commit is verified in a worktree of its own, the target moves to it, and then the issue closes. If the commit conflicts with the target or its verification fails, the next attempt gets the reason. A worktree that has the target checked out follows it; a file there that would be overwritten stops that landing. Ctrl-C stops with a handoff, and a second Ctrl-C stops immediately. From another terminal, --pause, --resume and --drain speak to the run of this project, also to that of premath harness-loop coordinator, and end. They exit 1 if there is none. Exits 1 if a step failed, was refused, or was interrupted.',
  effect: 'mutation',
  isLive: true,
  input: {
    ...requestFields,
    workers: countField('n', 'The number of workers.', { default: 2, setting: 'workers' }),
    ...strategyFields,
    ...landingFields,
    noBaseline: flagField('Start although the target may fail its own verification.'),
    noCommitMemory: flagField(
      'Do not commit issue memory at the end. By default it is committed where the target tracks it.',
    ),
    ...fanOutField,
    ...loopFields,
    session: hookPathFields.session,
    ledger: hookPathFields.ledger,
  },
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
    const { config } = await project.config()
    const count = input.workers ?? config.workers
    mustBeSome('--workers', count)
    mustBeSome('--verifiers', input.verifiers)
    const workerNames = Array.from({ length: count }, (_, at) => `worker.${at + 1}`)
    const asked = { action: 'run', flag: '--workers' }
    const refusal = await fanOutRefusal(count, input, project, asked)
    if (refusal) return refusal
    return await liveLoop(input, project, async (runLoop, emit, optionsFor) => {
      await asCoordinator(input, project, async (coordinator, shared) => {
        const plan = {
          ...landingPlan(input, config, workerNames),
          commitMemory: !input.noCommitMemory && config.commitMemory,
        }
        await closeReviewed(input, coordinator, project, emit)
        const { landing, place, worktrees, notes, close } = await openRunLanding(
          coordinator,
          plan,
          project,
          {
            verifiersAt: optionsFor,
            verifyTimeoutMs: (input.verifyTimeoutSeconds ?? config.timeouts.verifySeconds) * 1000,
          },
        )
        const { workerId } = coordinator
        for (const message of notes) emit({ event: 'note', workerId, message })
        const working = async () => {
          if (!input.noBaseline && config.baseline === 'on')
            await mustBeGreen(landing, coordinator, optionsFor, emit)
          const known = await listWorktrees(coordinator)
          const parts = { coordinator, worktrees, known, shared, input, project, place }
          const workers = await coordinatedWorkers(parts)
          const parallel = workers.length
          await runLoop({ mode: 'coordinator', coordinator, workers, parallel, landing })
        }
        const [ended] = await Promise.allSettled([working()])
        await close()
        if (ended.status === 'rejected') throw ended.reason
      })
    })
  },
})

/**
 * A target that fails its own verification would fail every issue. A verification that speaks of one
 * issue says nothing about the target.
 */
async function mustBeGreen(
  landing: Landing,
  coordinator: Harness,
  optionsFor: (harness: Harness) => Pick<AttemptOptions, 'verifier'>,
  emit: (event: RunEvent) => void,
): Promise<void> {
  const { name } = optionsFor(coordinator).verifier
  if (/PREMATH_/.test(name)) return
  const { branch } = landing.target
  const { workerId, env } = coordinator
  emit({ event: 'note', workerId, message: `verifies ${branch} before the first issue: ${name}` })
  const folder = new StepFolder(coordinator, 'baseline')
  await folder.make()
  const { passed, stopped, summary, failureClasses, failed } = await landing.baseline(coordinator, {
    folder,
    env,
  })
  if (passed || stopped) return
  const missing = await landing.missingFiles()
  const lastLines = shownEnd(failed?.end ?? {})
  throw new Fault(
    'unavailable',
    `nothing was claimed, because ${branch} fails by itself: ${summary}`,
    {
      hint: [
        ...shownOutput({ lastLines }),
        `The output is in ${fromRoot(coordinator, folder.path)}. Fix ${branch}, or pass --no-baseline.`,
        ...(missing.length > 0
          ? [
              `The main worktree has files that git ignores and a clean checkout lacks: ${shortList(missing)}. Copy files with --copy-files, or make them with --startup-cmd.`,
            ]
          : []),
      ].join('\n  '),
      detail: { branch, failureClasses, lastLines },
    },
  )
}

/** Closes the issues in review whose work is on the target by now. */
async function closeReviewed(
  input: LandInput & { readonly onto: string | undefined },
  { store, workerId }: Harness,
  project: Project,
  emit: (event: RunEvent) => void,
): Promise<void> {
  const waiting = (await store.read()).all().filter(({ status }) => status === reviewClass)
  if (waiting.length === 0) return
  const { config } = await project.config()
  const place = await landingPlaceOf(project)
  const target = await openTarget(place, input.onto ?? config.onto)
  for (const { id } of waiting) {
    const as = await reviewedCommit(place, id, target)
    if (as === undefined) continue
    const message = `${id} is on ${target.branch} as ${as.slice(0, 9)}, and is verified there`
    emit({ event: 'note', workerId, message })
    const { report } = await landOne(input, { id, branch: as, as }, project)
    const error = stepError(report)
    if (error) emit({ event: 'note', workerId, message: `${id} stays open: ${error.message}` })
  }
}

function mustBeSome(flag: string, count: number | undefined): void {
  if (count !== 0) return
  throw new Fault('usage', `${flag} must be at least 1, not 0`, { hint: 'Pass at least 1.' })
}
