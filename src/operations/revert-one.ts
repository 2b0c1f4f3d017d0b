/** Reverts the commit of one closed issue, for commands. */
import type { ExitCode } from '../answer.ts'
import { Fault } from '../fault.ts'
import { fromRoot, type Harness } from '../harness/harness.ts'
import type { CandidateVerifier } from '../harness/landing/candidate-verifier.ts'
import {
  commitMemory,
  leftOutNote,
  settingsBefore,
  tracksMemory,
} from '../harness/landing/commit-memory.ts'
import {
  landRevert,
  settleLandings,
  tidyClosed,
  type Unlanded,
} from '../harness/landing/land-issue.ts'
import { noChangeLabel } from '../harness/landing/landing.ts'
import { isIn, type LandingPlace, openLanding } from '../harness/landing/landing-git.ts'
import { issuesOf, makeRevert, underRevertLock } from '../harness/landing/revert.ts'
import { openTarget, type Target } from '../harness/landing/target.ts'
import { keepsPayloads } from '../harness/payloads.ts'
import type { Verification } from '../harness/step/command-verifier.ts'
import { StepFolder } from '../harness/step/step-folder.ts'
import { workFields } from '../input/harness-fields.ts'
import { landingPlan } from '../input/landing-options.ts'
import { workOptions } from '../input/work-options.ts'
import { OperatorGrant } from '../kernel/authority/operator-grant.ts'
import { shownEnd } from '../kernel/harness/feedback.ts'
import { isEnvironmentFailure } from '../kernel/harness/retry/failure-class.ts'
import { parkedClass, stoppedClass } from '../kernel/harness/step/step-decision.ts'
import { stepIdOf } from '../kernel/harness/step/step-id.ts'
import { fenceOf, type Issue } from '../kernel/issues/issue.ts'
import {
  type IssueRefusal,
  isRefusal,
  issueNotFound,
  refuse,
} from '../kernel/issues/issue-refusal.ts'
import { isLanding, landingOf } from '../kernel/issues/landing/landing-state.ts'
import { revertedOf } from '../kernel/issues/landing/revert.ts'
import { revertRefusal, revertWorker } from '../kernel/issues/landing/revert-begin.ts'
import { landedOf } from '../kernel/proof/proof-chain.ts'
import { withSandbox } from '../project/loop/open-sandbox.ts'
import { withRevertWorktree } from '../project/loop/revert-landing.ts'
import type { Project } from '../project/open.ts'
import { openHarness } from '../project/open-harness.ts'
import { type OpenIssues, openIssues } from '../project/open-issues.ts'
import { exitOfRefusal } from '../render/issues/issue-answer.ts'
import type { LandInput } from './land-one.ts'

export interface RevertedIssue {
  readonly issue: Issue
  /** The commit that reverts. */
  readonly commit: string
  /** The commit that was reverted. */
  readonly landed: string
  readonly target: string
}

/** Why nothing was reverted. */
export interface NotReverted {
  readonly failureClasses: readonly string[]
  readonly diagnostic: string
  readonly remedy: string
  readonly exitCode: ExitCode
  /** The paths that conflict, or that are in the way. */
  readonly paths?: readonly string[]
  /** What a failed verification printed last. */
  readonly lastLines?: readonly string[]
}

/** Others may land while a revert is verified. Many of them could delay it for ever. */
const triesMax = 6

export async function revertOne(
  given: Omit<LandInput, 'verifiers' | 'leaseTtlSeconds' | 'retryPolicy'>,
  id: string,
  project: Project,
): Promise<{ readonly harness: Harness; readonly ended: RevertedIssue | NotReverted }> {
  const { config } = await project.config()
  const input = {
    ...given,
    verifiers: 1,
    workCmd: `: the work is reverted`,
    workTimeoutSeconds: undefined,
    transportCmd: undefined,
    transportTimeoutSeconds: workFields.transportTimeoutSeconds.default,
    retryPolicy: undefined,
  }
  const shared = await openIssues(project, input)
  // Somebody who names the wrong issue is not asked for a command first.
  const early = (await mayBeReverted(shared, id)) ? await workOptions(input, project) : undefined
  const asking = { ...input, worker: undefined, ownName: revertWorker, trajectory: undefined }
  const { harness: opened, close } = await openHarness(project, asking, shared)
  try {
    return await withSandbox(opened, input, project, async harness => {
      const found = await landedIssue(harness, id)
      if (isRefusal(found)) return { harness, ended: notReverted(found) }
      if ('commit' in found) return { harness, ended: found }
      const optionsFor = early ?? (await workOptions(input, project))
      const plan = landingPlan(input, config, [])
      const place = await openLanding(harness, plan)
      const target = await openTarget(place, input.onto ?? found.target)
      // A run that was killed may have left the branch of the issue, which would look like new work.
      await tidyClosed(place, await harness.store.read())
      const missing = await missingWork(place, found, target)
      if (missing) return { harness, ended: notReverted(missing) }
      const verify = {
        verifiersAt: optionsFor,
        verifyTimeoutMs: (input.verifyTimeoutSeconds ?? config.timeouts.verifySeconds) * 1000,
      }
      const settings = await settingsBefore(place)
      const parts = { ...found, place, target, sign: plan.sign, reason: input.reason }
      const ended = await underRevertLock(place, () =>
        withRevertWorktree({ place, target, plan }, project, verify, verifier =>
          revert(harness, verifier, parts),
        ),
      )
      const isRecorded = 'issue' in ended && config.commitMemory
      if (isRecorded && (await tracksMemory(place, target))) {
        const changed = await commitMemory(place, target, settings)
        if (changed.length > 0) project.progress(`note: ${leftOutNote(changed)}`)
      }
      return { harness, ended }
    })
  } finally {
    close()
  }
}

/** A landing that was cut off is settled later, and counts until then. */
async function mayBeReverted({ store }: OpenIssues, id: string): Promise<boolean> {
  const issue = (await store.read()).get(id)
  return issue !== undefined && (isLanding(issue) || !revertRefusal(issue))
}

interface LandedIssue {
  readonly issue: Issue
  /** The commit with which the issue closed. */
  readonly landed: string
  readonly target: string
}

/**
 * The issue, or why it cannot be reverted: before anything is verified, which may take minutes. A
 * revert of a process that died is finished here.
 */
async function landedIssue(
  harness: Harness,
  id: string,
): Promise<LandedIssue | RevertedIssue | IssueRefusal> {
  const { store } = harness
  const passage = harness.changeAuthority()
  const ungoverned = await passage.refusalUnder(harness.policy)
  if (ungoverned) return ungoverned
  const authority = await passage.authority()
  if ('failureClass' in authority) return authority
  if (!OperatorGrant.isIssued(authority) && 'granted' in authority) {
    return refuse('mutation_not_granted', authority.message, authority.remedy)
  }
  const before = (await store.read()).get(id)
  const begun = before && landingOf(before)
  await settleLandings(harness, authority)
  const memory = await store.read()
  const issue = memory.get(id)
  if (!issue) return issueNotFound(id, memory)
  const reverted = revertedOf(issue)
  if (begun?.revert && reverted?.commit === begun.commit) return { issue, ...reverted }
  const landed = landedOf(issue)
  const refused = revertRefusal(issue)
  if (refused) return refused
  if (!landed) throw new TypeError('an issue without a landed commit is refused')
  return { issue, landed: landed.commit, target: landed.target }
}

/** An issue may have closed with a commit that has none of its work. */
async function missingWork(
  place: LandingPlace,
  { issue: { id, labels }, landed }: LandedIssue,
  { branch, ref }: Target,
): Promise<IssueRefusal | undefined> {
  if (!(await isIn(place, landed, ref))) {
    throw new Fault('usage', `commit ${landed} of ${id} is not on ${branch}`, {
      hint: `Name the branch that has it, with --onto: git branch --contains ${landed}. If the commit is gone from its branch, open the issue again: premath reopen ${id}.`,
      detail: { commit: landed, target: branch },
    })
  }
  const named = await issuesOf(place, landed)
  const isOwn = named.includes(id) || (named.length === 0 && !labels.includes(noChangeLabel))
  if (isOwn) return undefined
  const whose = named.length === 0 ? '' : `, which is the work of ${named.join(', ')}`
  return refuse(
    'issue_not_landed',
    `${id} changed no file: it closed with commit ${landed}${whose}`,
    `To open it again: premath reopen ${id}.`,
  )
}

interface RevertParts extends Omit<LandedIssue, 'target'> {
  readonly place: LandingPlace
  readonly target: Target
  readonly sign: boolean
  readonly reason: string | undefined
}

/** Makes, verifies and lands the commit; again if the target has moved meanwhile. */
async function revert(
  harness: Harness,
  verifier: CandidateVerifier,
  { issue: { id, ...row }, landed, place, target, sign, reason }: RevertParts,
): Promise<RevertedIssue | NotReverted> {
  const stepId = stepIdOf(revertWorker, id, fenceOf({ id, ...row }), 1)
  const folder = new StepFolder(harness, stepId)
  await folder.make()
  const env = {
    ...harness.env,
    PREMATH_ROOT: harness.root,
    PREMATH_ISSUE_ID: id,
    PREMATH_STEP_ID: stepId,
  }
  for (let tries = 1; tries <= triesMax; tries++) {
    const made = await makeRevert(place, target, { issueId: id, stepId, landed, reason, sign })
    if ('conflicts' in made) return conflicting(id, landed, target, made.conflicts)
    if ('nothing' in made) return nothingLeft(id, landed, target)
    const { commit, base, tree } = made.candidate
    const verification = await verifier.verifyRevert(harness, commit, { folder, env })
    if (!verification.passed || verification.stopped) {
      const output = keepsPayloads(harness) ? fromRoot(harness, folder.path) : undefined
      return unverified(verification, output)
    }
    const ended = await landRevert(harness.store, place, {
      id,
      plan: { commit, base, tree, target: target.branch },
      revert: { landed, ...(reason !== undefined && { reason }) },
      authority: await harness.changeAuthority().authority(),
    })
    if (isRefusal(ended)) return notReverted(ended)
    if (!('how' in ended)) {
      if (!ended.issue) throw new TypeError('a revert has an issue')
      return { issue: ended.issue, commit, landed, target: target.branch }
    }
    if (ended.how === 'parked') return parked(ended)
    harness.emit({ event: 'note', message: `${target.branch} has moved, so it is tried again` })
  }
  return {
    failureClasses: ['landing_overtaken'],
    diagnostic: `others landed on ${target.branch} during each of ${triesMax} verifications`,
    remedy: 'Nothing was changed. Run the command again when the run has ended.',
    exitCode: 4,
  }
}

const notReverted = (refusal: IssueRefusal): NotReverted => ({
  failureClasses: [refusal.failureClass, ...(refusal.turnClasses ?? [])],
  diagnostic: refusal.diagnostic,
  remedy: refusal.remedy,
  exitCode: exitOfRefusal(refusal),
})

const conflicting = (
  id: string,
  landed: string,
  { branch }: Target,
  paths: readonly string[],
): NotReverted => ({
  failureClasses: ['landing_conflict'],
  diagnostic: `later commits on ${branch} changed what ${landed} changed, in ${paths.join(', ')}`,
  remedy: `Nothing was changed. Revert it by hand on ${branch}: git revert ${landed}, resolve the conflict and commit. Then open the issue again: premath reopen ${id}.`,
  exitCode: 1,
  paths,
})

const nothingLeft = (id: string, landed: string, { branch }: Target): NotReverted => ({
  failureClasses: ['work_changed_nothing'],
  diagnostic: `${branch} has none of the changes of ${landed} any more, so a revert would change nothing`,
  remedy: `To open the issue again: premath reopen ${id}.`,
  exitCode: 1,
})

/** `folder` has the output; `undefined` if the policy lets no file have it. */
function unverified(verification: Verification, folder: string | undefined): NotReverted {
  const { stopped, summary, failureClasses, failed } = verification
  return {
    failureClasses: stopped ? [stoppedClass] : failureClasses,
    diagnostic: stopped
      ? 'the revert was stopped before it landed'
      : `the target would fail without the commit: ${summary}`,
    remedy: `Nothing was changed.${folder === undefined ? '' : ` The output is in ${folder}.`}`,
    exitCode: isEnvironmentFailure(failureClasses) ? 3 : 1,
    lastLines: folder === undefined ? [] : shownEnd(failed?.end ?? {}),
  }
}

const parked = ({ why, paths }: Extract<Unlanded, { readonly how: 'parked' }>): NotReverted => ({
  failureClasses: [parkedClass],
  diagnostic: `the revert was not landed: ${[why, ...paths].join(' ')}`,
  remedy: 'Nothing was changed. Commit or move what is in the way, then run the command again.',
  exitCode: 1,
  paths,
})
