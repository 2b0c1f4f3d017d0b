/** A run of several workers whose work lands, for the commands that start one. */
import type { Live } from '../answer.ts'
import { Fault } from '../fault.ts'
import { type Fields, flagField, type InputOf } from '../field.ts'
import { refusesAll } from '../harness/boot.ts'
import { fromRoot, type Harness } from '../harness/harness.ts'
import type { Landing } from '../harness/landing/landing.ts'
import { type OpenOperation, operationInTheWay } from '../harness/landing/move-target.ts'
import { watchBranch } from '../harness/landing/switched-branch.ts'
import { openTarget } from '../harness/landing/target.ts'
import { keepsPayloads } from '../harness/payloads.ts'
import type { AttemptOptions } from '../harness/step/attempt.ts'
import { StepFolder } from '../harness/step/step-folder.ts'
import { listWorktrees } from '../harness/worktree/worktrees.ts'
import { hookPathFields } from '../input/harness-fields.ts'
import { landingFields, landingPlan, strategyFields } from '../input/landing-options.ts'
import { fanOutField, loopFields } from '../input/loop-fields.ts'
import { shownEnd, shownOutput } from '../kernel/harness/feedback.ts'
import { shortList } from '../kernel/harness/run/remaining-work.ts'
import type { RunEvent } from '../kernel/harness/run/run-event.ts'
import { reviewClass } from '../kernel/harness/step/step-decision.ts'
import type { IssueMemory } from '../kernel/issues/issue-memory.ts'
import {
  isLostOn,
  lostWork,
  nextOfLost,
  type TargetLack,
  waitingIssues,
  waitWords,
} from '../kernel/landing/lacking-work.ts'
import { counted } from '../kernel/text/counted.ts'
import { lackingOn, notOnWords } from '../project/doctor/landed.ts'
import { asCoordinator, coordinatedWorkers } from '../project/loop/coordinated-workers.ts'
import { landingPlaceOf } from '../project/loop/landing-status.ts'
import { asRun } from '../project/loop/run-instruction.ts'
import { openRunLanding, type RunPlan } from '../project/loop/run-landing.ts'
import type { Project } from '../project/open.ts'
import { stepError } from '../render/harness/step-answer.ts'
import { type LandInput, landOne, reviewedCommit } from './land-one.ts'
import { workOffLeft } from './left-closes.ts'
import { liveLoop } from './run-loop.ts'

export const landingRunFields = {
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
} as const satisfies Fields

interface RunWorkers {
  readonly workers: RunPlan['workers']
  /** How many of them work at the same time. */
  readonly parallel: number
}

export async function landingRun(
  given: InputOf<typeof landingRunFields>,
  { workers: planned, parallel }: RunWorkers,
  project: Project,
): Promise<Live> {
  mustBeSome('--verifiers', given.verifiers)
  await workOffLeft(project)
  const input = await asRun(given, project)
  const { config } = await project.config()
  return await liveLoop(input, project, async (runLoop, emit, optionsFor) => {
    await asCoordinator(input, project, async (coordinator, shared) => {
      const plan = {
        ...landingPlan(input, config, planned),
        commitMemory: !input.noCommitMemory && config.commitMemory,
      }
      await closeReviewed(input, coordinator, project, emit)
      await mustBeFree(plan, coordinator, project)
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
      const switchedNote = await watchBranch(place, landing.target)
      const memory = await shared.store.read()
      const lack = await lackOf(memory, landing, project)
      for (const message of [...shared.store.notices, ...notes, ...lackNotes(memory, lack)]) {
        emit({ event: 'note', workerId, message })
      }
      const working = async () => {
        const isVerified = !input.noBaseline && config.baseline === 'on'
        // The verification may take minutes, and the steps of a refused run say why it is refused.
        if (isVerified && !(await refusesAll(coordinator)))
          await mustBeGreen(landing, coordinator, optionsFor, emit)
        const known = await listWorktrees(coordinator)
        const parts = { coordinator, worktrees, known, shared, input, project, place }
        const workers = await coordinatedWorkers(parts)
        await runLoop({ mode: 'coordinator', coordinator, workers, parallel, landing, lack })
      }
      const [ended] = await Promise.allSettled([working()])
      await close()
      const switched = await switchedNote()
      if (switched !== undefined) emit({ event: 'note', workerId, message: switched })
      if (ended.status === 'rejected') throw ended.reason
    })
  })
}

/** Every landing would be parked, after the agents did their work. */
async function mustBeFree(
  { strategy, onto }: Pick<RunPlan, 'strategy' | 'onto'>,
  { store }: Harness,
  project: Project,
): Promise<void> {
  const issues = (await store.read()).all()
  if (strategy !== 'squash' || issues.every(({ status }) => status === 'closed')) return
  const place = await landingPlaceOf(project)
  const open = await operationInTheWay(place, await openTarget(place, onto))
  if (open === undefined) return
  const { operation, path } = open
  const why =
    operation === undefined ? `${path} has unmerged files` : `${operation} is open in ${path}`
  throw new Fault('unavailable', `nothing was claimed, because ${why}`, {
    hint: `Finish it: git status says how.${operation === undefined ? '' : ` Or take it back: ${takeBack[operation]}.`}`,
    detail: { path },
  })
}

const takeBack = {
  'a merge': 'git merge --abort',
  'a cherry-pick': 'git cherry-pick --abort',
  'a revert': 'git revert --abort',
  'a rebase': 'git rebase --abort',
  'a bisect': 'git bisect reset',
} as const satisfies Readonly<Record<OpenOperation, string>>

/** Git is asked once: the run itself adds to the target, and takes nothing from it. */
async function lackOf(
  memory: IssueMemory,
  { target: { branch }, strategy }: Landing,
  project: Project,
): Promise<TargetLack> {
  const work = await lackingOn(branch, memory, project)
  // No issue can expect the work of another branch if nothing lands.
  return { branch, work: strategy === 'none' ? work.filter(one => isLostOn(branch, one)) : work }
}

/** A run that has nothing to do must not say that all is done, where the target lacks the work. */
function lackNotes(memory: IssueMemory, lack: TargetLack): readonly string[] {
  const { branch } = lack
  const lost = lostWork(memory, lack)
  const waits = waitingIssues(memory, lack)
  const [moreLost, moreWaits] = [lost.length - lostShown, waits.length - lostShown]
  return [
    ...lost.slice(0, lostShown).map(issue => notOnWords(issue, branch)),
    ...(moreLost > 0
      ? [`${branch} lacks the commits of ${counted(moreLost, 'more closed issue')}`]
      : []),
    ...(lost.length > 0 ? [nextOfLost] : []),
    ...waits.slice(0, lostShown).map(one => waitWords(one, branch)),
    ...(moreWaits > 0 ? [`${counted(moreWaits, 'more issue')} wait for such work`] : []),
  ]
}

const lostShown = 5

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
  const isKept = keepsPayloads(coordinator)
  const lastLines = isKept ? shownEnd(failed?.end ?? {}) : []
  const where = isKept ? `The output is in ${fromRoot(coordinator, folder.path)}. ` : ''
  throw new Fault(
    'unavailable',
    `nothing was claimed, because ${branch} fails by itself: ${summary}`,
    {
      hint: [
        ...shownOutput({ lastLines }),
        `${where}Fix ${branch}, or pass --no-baseline.`,
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

export function mustBeSome(flag: string, count: number | undefined): void {
  if (count !== 0) return
  throw new Fault('usage', `${flag} must be at least 1, not 0`, { hint: 'Pass at least 1.' })
}
