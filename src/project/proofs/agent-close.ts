/**
 * The close of an agent outside of a step. The harness verifies the work in a clean checkout, by what
 * the target holds, and believes no witness of another run: an agent can write those.
 */
import { type Harness, journalFolder, workerLockPath } from '../../harness/harness.ts'
import { announceBranch } from '../../harness/landing/announce-branch.ts'
import type { Submission } from '../../harness/landing/candidate-verifier.ts'
import type { TakenWork } from '../../harness/landing/follower.ts'
import { leaveForReview } from '../../harness/landing/issue-work.ts'
import type { Submitted } from '../../harness/landing/landing.ts'
import { type LandingPlace, openLanding } from '../../harness/landing/landing-git.ts'
import type { Target } from '../../harness/landing/target.ts'
import type { WorkCheckout } from '../../harness/landing/work-checkout.ts'
import { commandVerifier, type Verifier } from '../../harness/step/command-verifier.ts'
import { LeaseRenewer } from '../../harness/step/lease-renewer.ts'
import { requiredVerifier } from '../../harness/step/required-verifier.ts'
import { StepFolder } from '../../harness/step/step-folder.ts'
import { withoutRepository } from '../../harness/worktree/git.ts'
import { repositoryOf } from '../../harness/worktree/repository.ts'
import { Flaw, shaped } from '../../kernel/artifact/flaw.ts'
import { outputLines } from '../../kernel/harness/feedback.ts'
import { closeStepId, stepFolderName } from '../../kernel/harness/step/step-id.ts'
import { fenceOf, type Issue } from '../../kernel/issues/issue.ts'
import { specsOf } from '../../kernel/issues/issue-edit.ts'
import { type IssueRefusal, isRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import type { LandingPlan } from '../../kernel/issues/landing/landing-state.ts'
import { jsonIn } from '../../kernel/json.ts'
import { closeRef } from '../../kernel/landing/landing-refs.ts'
import type { CloseProof } from '../../kernel/proof/close-proof.ts'
import type { RequiredRules } from '../../kernel/required/step-checks.ts'
import { instantOf, seconds } from '../../kernel/timestamp.ts'
import { makeGitignoredFolder } from '../../store/gitignored-folder.ts'
import { underLock } from '../../store/lock.ts'
import type { Config } from '../../wire/config/config.ts'
import { GroupNote } from '../../wire/landing/landing-note.ts'
import { readTextIfPresent } from '../../world/read-text.ts'
import type { ProcessGroup } from '../../world/world.ts'
import { type Judging, judgingOf } from '../authority/judging-commit.ts'
import { sandboxNote, withSandbox } from '../loop/open-sandbox.ts'
import { withWorkCheckout } from '../loop/open-work-checkout.ts'
import { type Project, projectFrom } from '../open.ts'
import { openHarness } from '../open-harness.ts'
import { requiredOnTarget } from '../required/required-on-target.ts'
import { specVerifier } from '../specs/spec-verifier.ts'

export interface CloseInput {
  readonly issues: string | undefined
  readonly instruction: string | undefined
  readonly joinWitness: string | undefined
  readonly reason: string | undefined
  /** The commit that has the work of a queued close. */
  readonly commit?: string | undefined
}

export async function verifiedByHarness(
  asked: Issue,
  input: CloseInput,
  here: Project,
): Promise<CloseProof | IssueRefusal> {
  return await withJudging(asked, input, here, async (harness, judging, project) => {
    const submitted = await withSandbox(harness, {}, project, sandboxed =>
      submit(sandboxed, judging, project, { commit: input.commit }),
    )
    return submitted.proof ?? refusalOf(submitted, judging, project)
  })
}

/** Work that was verified as it would be on the target. */
export interface VerifiedCandidate {
  readonly done: CloseProof
  readonly plan: LandingPlan
  readonly place: LandingPlace
  readonly work: TakenWork
  readonly config: Config
}

/**
 * Verifies the work of a queued close as the commit that is to land. `undefined` where work does not
 * land: without git, or by the settings on the target.
 */
export async function verifiedCandidate(
  asked: Issue,
  input: CloseInput,
  here: Project,
): Promise<VerifiedCandidate | IssueRefusal | undefined> {
  const { commit: work } = input
  if (work === undefined) return undefined
  return await withJudging(asked, input, here, async (harness, judging, project) => {
    const { target, config } = judging
    if (target === undefined || config.land === 'none') return undefined
    const place = await openLanding(harness, { hooks: config.landHooks })
    const landing = { place, target, sign: config.sign }
    const submitted = await withSandbox(harness, {}, project, sandboxed =>
      submit(sandboxed, judging, project, { commit: work, landing }),
    )
    const { candidate, proof: done } = submitted
    if (done && isRefusal(done)) return done
    if (!candidate || !done || !submitted.verification.passed) {
      return refusalOf(submitted, judging, project)
    }
    const { commit, base, tree } = candidate
    const top = await topOf(place, harness.proofs.folder)
    return {
      done,
      plan: { commit, base, tree, target: target.branch },
      place,
      work: { commit: work, top },
      config,
    }
  })
}

/** The top of the worktree that holds the folder. */
async function topOf(place: LandingPlace, folder: string): Promise<string> {
  const repository = await repositoryOf(place, await place.disk.realPath(folder))
  return repository?.top ?? place.top
}

/**
 * Takes the work of an issue into a commit, so that its agent may go on with other work before it is
 * verified. `undefined` without git, where the files are verified as they are then.
 */
export async function keepWork(
  asked: Issue,
  input: CloseInput,
  here: Project,
): Promise<string | undefined | IssueRefusal> {
  return await withJudging(asked, input, here, async (harness, judging, project) => {
    const { issue } = judging
    const stepId = closeStepId(issue.id, fenceOf(issue))
    const kept = await withCheckout(harness, judging, project, async checkout => {
      await checkout.begin(harness, issue)
      return await checkout.keep(issue, stepId, closeRef(issue.id, project.sha256))
    })
    if (kept === undefined || 'commit' in kept) return kept?.commit
    const why = `git could not take the work: ${kept.complaint}`
    return refuse('close_proof_failed', why, 'Fix the work, then close it again.')
  })
}

/** Runs `act` with what judges the work of an agent, while nobody else closes the issue. */
async function withJudging<T>(
  asked: Issue,
  input: CloseInput,
  here: Project,
  act: (harness: Harness, judging: Judging, project: Project) => Promise<T>,
): Promise<T | IssueRefusal> {
  const judging = await judgingOf(asked, here)
  if (isRefusal(judging)) return judging
  const { issue, config } = judging
  const isVerified =
    config.verify !== undefined || config.verifySpecs.length > 0 || config.verifyRequired
  if (!isVerified && specsOf(issue).length === 0) return unjudged(issue)
  // Settings on disk and in the environment are the agent's.
  const inForce = { ...(await here.config()), config }
  const project = projectFrom({ ...here, config: async () => inForce }, here)
  const { sha256 } = project
  const worker = stepFolderName(`close.${issue.id}`, sha256).slice(0, 100)
  const own = {
    ...input,
    worker: undefined,
    ownName: worker,
    session: undefined,
    ledger: undefined,
    trajectory: undefined,
  }
  const { harness, close } = await openHarness(project, own)
  try {
    return await alone(harness, () => act(harness, judging, project))
  } finally {
    close()
  }
}

/** One close of an issue at a time: its checkout has one place. */
async function alone<T>(harness: Harness, act: () => Promise<T>): Promise<T> {
  const { disk, workerId } = harness
  await makeGitignoredFolder(journalFolder(harness), disk)
  const closing = async () => {
    await endLeftCommand(harness)
    return await act()
  }
  return await underLock(disk, workerLockPath(harness, workerId), lockWaitMs, closing, {
    noun: 'close',
    hint: 'Another process verifies the same issue. Run the command again when it has ended.',
  })
}

/** Names the processes of the running command, so that they do not outlive a killed close. */
const groupPath = (harness: Harness) => `${journalFolder(harness)}/${harness.workerId}.group.json`

async function endLeftCommand(harness: Harness): Promise<void> {
  const { disk, processes } = harness
  const text = await readTextIfPresent(disk, groupPath(harness))
  const group = text === undefined ? undefined : shaped(GroupNote, jsonIn(text))
  if (group !== undefined && !(group instanceof Flaw)) await processes.endGroup(group)
  await disk.remove(groupPath(harness))
}

/** A verification may take long, so a second close fails instead of waiting. */
const lockWaitMs = 200

async function submit(
  harness: Harness,
  judging: Judging,
  project: Project,
  { landing, ...work }: Pick<Submission, 'commit'> & { readonly landing?: WorkLanding },
): Promise<Submitted> {
  const { issue, commit: judge } = judging
  const unsafe = sandboxNote(harness)
  if (unsafe !== undefined) project.progress(`note: ${unsafe}`)
  if (judge === undefined) project.progress(`note: ${unjudgedFiles}`)
  const stepId = closeStepId(issue.id, fenceOf(issue))
  const folder = new StepFolder(harness, stepId)
  await makeGitignoredFolder(folder.path.slice(0, folder.path.lastIndexOf('/')), harness.disk)
  await folder.make()
  const beforeRun = async (group: ProcessGroup) => {
    const note = new TextEncoder().encode(`${JSON.stringify(group)}\n`)
    await harness.disk.replaceLoosely(groupPath(harness), note)
  }
  const renewer = renewerOf(harness, issue)
  const pulse = async () => {
    await renewer?.renewIfDue()
    // A lease that is lost refuses the close, with the class that says why.
    return true
  }
  await pulse()
  const run = { folder, env: environmentOf(harness, issue, stepId), beforeRun, pulse }
  const submitted = await withCheckout(harness, judging, project, async checkout => {
    await checkout.begin(harness, issue)
    const verified = await checkout.submit(harness, {
      issue,
      journal: { stepId },
      run,
      ...work,
      landing,
    })
    const isForReview = landing && judging.config.land === 'branch'
    return isForReview
      ? await review(harness, landing, judging, { issue, run }, verified)
      : verified
  })
  await harness.disk.remove(groupPath(harness))
  return submitted
}

type WorkLanding = NonNullable<Submission['landing']> & { readonly target: Target }

/** Leaves verified work on the branch of its issue, and announces it there. */
async function review(
  harness: Harness,
  { place, target }: WorkLanding,
  { config }: Judging,
  submission: Pick<Submission, 'issue' | 'run'>,
  verified: Submitted,
): Promise<Submitted> {
  const { candidate, verification } = verified
  if (!candidate || !verification.passed) return verified
  await leaveForReview(place, submission.issue.id, candidate.commit)
  const { landCommand: command, timeouts } = config
  if (command === undefined) return verified
  const timeoutMs = timeouts.verifySeconds * 1000
  return await announceBranch(harness, { command, place, target, timeoutMs }, submission, verified)
}

/** Keeps the lease of the agent while its work is verified. */
function renewerOf(harness: Harness, issue: Issue): LeaseRenewer | undefined {
  const { lease } = issue
  const since = lease && instantOf(lease.renewed_at ?? lease.acquired_at)
  const until = lease && instantOf(lease.expires_at)
  if (!lease || since === undefined || until === undefined) return undefined
  const held = { issue, leaseId: lease.lease_id, fence: fenceOf(issue) }
  const ttlSeconds = Number((until - since) / seconds(1))
  return new LeaseRenewer({ ...harness, workerId: lease.owner }, held, ttlSeconds, since)
}

async function withCheckout<T>(
  harness: Harness,
  { config, commit: judge }: Judging,
  project: Project,
  act: (checkout: WorkCheckout) => Promise<T>,
): Promise<T> {
  const { startup: startupCommand, timeouts } = config
  const required = config.verifyRequired ? await requiredOnTarget(project, undefined) : undefined
  const optionsFor = (at: Harness) => ({
    startupCommand,
    startupTimeoutMs: timeouts.startupSeconds * 1000,
    verifier: verifierOf(config, required, at, project),
    specVerifier: (specs: readonly string[]) => specVerifier(specs, () => at, project),
    verifyTimeoutMs: timeouts.verifySeconds * 1000,
  })
  // A person who has just written the instruction may not have committed it yet.
  const { instructionId } = harness
  const leftOut = instructionId === undefined ? [] : [`instructions/${instructionId}.json`]
  return await withWorkCheckout(harness, project, optionsFor, act, { base: judge, leftOut })
}

const unjudgedFiles =
  'no commit holds what judges the work, because the project has no git repository'

/** As for steps: the command or the specs of the project, and then the specs of the issue. */
function verifierOf(
  { verify, verifySpecs }: Config,
  required: RequiredRules | undefined,
  harness: Harness,
  project: Project,
): Verifier {
  const own =
    verifySpecs.length > 0
      ? specVerifier(verifySpecs, () => harness, project)
      : verify === undefined
        ? undefined
        : commandVerifier(verify, () => harness)
  return required ? requiredVerifier(required, own, () => harness) : (own ?? noCommand)
}

/** The specs of the issue verify it alone. */
const noCommand: Verifier = {
  name: '',
  verify: async () => ({
    passed: true,
    stopped: false,
    commands: [],
    failureClasses: [],
    summary: 'the project has no verify command',
  }),
}

/**
 * The variables of a step mark the commands, so that the code which they run cannot change issues.
 * All others for premath and for git are the agent's.
 */
function environmentOf({ env, root }: Harness, { id, title }: Issue, stepId: string) {
  const kept = Object.entries(withoutRepository(env)).filter(
    ([name]) => !name.startsWith('PREMATH_'),
  )
  return {
    ...Object.fromEntries(kept),
    PREMATH_ROOT: root,
    PREMATH_ISSUE_ID: id,
    PREMATH_ISSUE_TITLE: title.replaceAll('\0', ''),
    PREMATH_STEP_ID: stepId,
  }
}

function refusalOf(
  { verification }: Submitted,
  { issue: { id }, target }: Judging,
  project: Project,
): IssueRefusal {
  const { failed, failureClasses, summary } = verification
  const output = failed ? `${failed.end.stdout.tail}${failed.end.stderr.tail}`.trimEnd() : ''
  // Line by line, since `progress` prints a line feed inside a line as an escape.
  for (const line of output === '' ? [] : outputLines(output)) {
    project.progress(line.replaceAll('\t', '  '))
  }
  if (failureClasses.includes('close_specs_changed')) {
    const remedy = `Let a person commit the specs, or close it. To allow them: premath issue update ${id} --writes-specs. Then commit .premath/issues.jsonl, if git has it.`
    return refuse('close_specs_changed', summary, remedy)
  }
  if (failureClasses.includes('protected_path_changed')) {
    return refuse('protected_path_changed', summary, 'Restore the files, or let a person close it.')
  }
  if (failureClasses.includes('work_changed_nothing')) {
    const remedy = `Do the work, then close it again. If you committed it on ${target?.branch}, name the issue there: git commit --amend --no-edit --trailer 'Premath-Issue: ${id}'.`
    return refuse('work_changed_nothing', summary, remedy)
  }
  if (failureClasses.includes('landing_conflict')) {
    const remedy = `Commit the work on a branch of its own, merge ${target?.branch} into it and resolve the conflict, then close it again.`
    return refuse('landing_conflict', summary, remedy)
  }
  return refuse('close_proof_failed', summary, 'Fix the work, then close it again.')
}

const unjudged = ({ id }: Issue) =>
  refuse(
    'close_proof_missing',
    `${id} names no specs, and the project has no verify command`,
    "Let a person set one: premath config set verify '<command>'. Then commit .premath/config.json, if git has it.",
  )
