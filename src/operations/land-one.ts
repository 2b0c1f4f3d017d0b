/** Lands the work on the branch of one issue, for commands. */
import type { InputOf } from '../field.ts'
import type { Harness } from '../harness/harness.ts'
import type { LandingPlace } from '../harness/landing/landing-git.ts'
import { commitOf } from '../harness/landing/landing-git.ts'
import { commitOnTarget } from '../harness/landing/on-target.ts'
import type { Target } from '../harness/landing/target.ts'
import { type StepReport, stepHarness } from '../harness/step/step.ts'
import { listWorktrees } from '../harness/worktree/worktrees.ts'
import { type startupFields, workFields } from '../input/harness-fields.ts'
import { type landingFields, landingPlan } from '../input/landing-options.ts'
import { workOptions } from '../input/work-options.ts'
import { shownOutput } from '../kernel/harness/feedback.ts'
import { candidateRef } from '../kernel/landing/landing-refs.ts'
import type { Asking } from '../project/authority/authority.ts'
import { coordinatedWorkers } from '../project/loop/coordinated-workers.ts'
import { withSandbox } from '../project/loop/open-sandbox.ts'
import { asRun } from '../project/loop/run-instruction.ts'
import { openRunLanding } from '../project/loop/run-landing.ts'
import type { Project } from '../project/open.ts'
import { openHarness } from '../project/open-harness.ts'
import { openIssues } from '../project/open-issues.ts'

type VerifyName =
  | 'verifyCmd'
  | 'verifySpec'
  | 'verifyRequired'
  | 'verifyTimeoutSeconds'
  | 'retryPolicy'

export interface LandInput
  extends Asking,
    InputOf<typeof landingFields>,
    InputOf<typeof startupFields>,
    Pick<InputOf<typeof workFields>, VerifyName> {
  readonly leaseTtlSeconds: number
  readonly issues: string | undefined
  readonly session: string | undefined
  readonly ledger: string | undefined
}

interface OneIssue {
  readonly id: string
  /** For the record: where the work is. */
  readonly branch: string
  /** The commit on the target that has the work already. */
  readonly as: string | undefined
}

/** The name under which it holds the lease. */
const worker = 'land'

/** A step without work: its commit is made, verified and landed. */
export async function landOne(
  given: LandInput,
  { id: issueId, branch, as }: OneIssue,
  project: Project,
): Promise<{ readonly report: StepReport; readonly harness: Harness }> {
  const { config } = await project.config()
  const step = {
    ...given,
    workCmd: `: the work is on ${as ?? branch}`,
    workTimeoutSeconds: undefined,
    transportCmd: undefined,
    transportTimeoutSeconds: workFields.transportTimeoutSeconds.default,
  }
  // A run that closes an issue in review is the instruction for that too.
  const input = given.run ? step : await asRun(step, project)
  const optionsFor = await workOptions(input, project)
  const shared = await openIssues(project, input)
  const before = (await shared.store.read()).get(issueId)
  const asking = { ...input, worker: undefined, ownName: worker, trajectory: undefined }
  const { harness: opened, close: stopListening } = await openHarness(project, asking, shared)
  stopListening()
  return await withSandbox(opened, input, project, async coordinator => {
    const plan = {
      ...landingPlan(input, config, [{ workerId: worker }]),
      strategy: 'squash',
      commitMemory: config.commitMemory,
      resumes: true,
      as,
    } as const
    const { landing, place, worktrees, close } = await openRunLanding(coordinator, plan, project, {
      verifiersAt: optionsFor,
      verifyTimeoutMs: (input.verifyTimeoutSeconds ?? config.timeouts.verifySeconds) * 1000,
    })
    const work = async () => {
      const known = await listWorktrees(coordinator)
      const parts = { coordinator, worktrees, known, shared, input, project, place }
      const [own] = await coordinatedWorkers(parts)
      if (!own) throw new TypeError('one worker was asked for')
      const { leaseTtlSeconds } = input
      let report: StepReport | undefined
      await own.hold(async () => {
        const options = {
          ...optionsFor(own.harness),
          issueId,
          leaseTtlSeconds,
          landing,
          once: { wasBlocked: before?.status === 'blocked' },
        }
        report = await stepHarness({ ...own.harness, emit: landingOnly(own.harness) }, options)
      })
      if (!report) throw new TypeError('a step has a report')
      return { report, harness: own.harness }
    }
    const [ended] = await Promise.allSettled([work()])
    await close()
    if (ended.status === 'rejected') throw ended.reason
    return ended.value
  })
}

/** A person asked for a landing, and neither for work nor for attempts. */
function landingOnly({ emit }: Harness): Harness['emit'] {
  return event => {
    if (event.event === 'phase' && event.phase === 'work') return
    if (event.event !== 'attempt.ended') return emit(event)
    for (const line of shownOutput(event)) emit({ event: 'note', message: `    ${line}` })
  }
}

/** The commit on the target that has the verified work of an issue in review. */
export async function reviewedCommit(
  place: LandingPlace,
  issueId: string,
  target: Target,
): Promise<string | undefined> {
  const candidate = await commitOf(place, candidateRef(issueId, place.sha256))
  return candidate && (await commitOnTarget(place, candidate, target))
}
