/**
 * One attempt at an issue: the work, its verification, and the verdict on its turns. It changes no
 * issue, but for what the work asked for.
 */

import { documentOf } from '../../kernel/artifact/print.ts'
import { digestOf } from '../../kernel/canonical.ts'
import { secondOf } from '../../kernel/harness/artifact.ts'
import { termsOf } from '../../kernel/harness/relocation/relocation.ts'
import type { RelocationClass } from '../../kernel/harness/relocation/relocation-classes.ts'
import { isEnvironmentFailure, isUnrunnable } from '../../kernel/harness/retry/failure-class.ts'
import { isGateClass } from '../../kernel/harness/retry/gate-class.ts'
import {
  decidedOnce,
  decideRetry,
  withoutRetry,
} from '../../kernel/harness/retry/retry-decision.ts'
import type { RetryPolicy } from '../../kernel/harness/retry/retry-policy.ts'
import { takenName } from '../../kernel/harness/step/mailbox.ts'
import type { SeenState } from '../../kernel/harness/step/state-view.ts'
import {
  changeOf,
  failureClassesOf,
  leaseLostClass,
  resultClassOf,
  stoppedClass,
  worktreeGoneClass,
} from '../../kernel/harness/step/step-decision.ts'
import { stepIdOf } from '../../kernel/harness/step/step-id.ts'
import { stepTurn, type WorkFailure } from '../../kernel/harness/step/step-turn.ts'
import { type Issue, printIssue } from '../../kernel/issues/issue.ts'
import { type IssueRefusal, isRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import { unproven } from '../../kernel/proof/close-proof.ts'
import type { WitnessedWork } from '../../store/witness-store.ts'
import type { StepFailure } from '../../wire/harness/feedback.ts'
import type { RetryDecision } from '../../wire/harness/retry-decision.ts'
import type { FoundProof, StepJournal, StepOutcome } from '../../wire/harness/step-journal.ts'
import { StepRecord } from '../../wire/harness/step-record.ts'
import type { TakenRequest } from '../../wire/harness/step-request.ts'
import type { StepEvidence } from '../../wire/harness/step-row.ts'
import { TimeSpan } from '../../world/time-span.ts'
import type { ProcessGroup } from '../../world/world.ts'
import { type EvidenceVerdict, fromRoot, type Harness, sandboxModeOf } from '../harness.ts'
import type { Unlanded } from '../landing/land-issue.ts'
import type { Submitted } from '../landing/landing.ts'
import { keepsPayloads, stricter } from '../payloads.ts'
import type { ClaimedWork } from './claim-work.ts'
import {
  type CommandRun,
  describeEnd,
  type RanCommand,
  runCommand,
  type WorkProgram,
} from './command.ts'
import { writeFailure } from './failure-file.ts'
import { writeHandoff } from './handoff.ts'
import { JournalFile } from './journal-file.ts'
import { LastAttempts } from './last-attempts.ts'
import type { LeaseRenewer } from './lease-renewer.ts'
import { takeRequests } from './mailbox.ts'
import { changedSince, type Relocated, relocate, type Transport } from './relocation.ts'
import { keepReminders, keepView, treeBefore } from './state-view.ts'
import { StepFolder } from './step-folder.ts'
import { type VerifiedWork, type VerifyOptions, verifyWork } from './verify-work.ts'
import { evidencePath, issueName, mailboxPath, workEnvironment } from './work-environment.ts'

export interface AttemptOptions extends Omit<VerifyOptions, 'renewer'> {
  readonly workCommand: string
  /** Does the work in place of the command. */
  readonly workProgram?: WorkProgram | undefined
  readonly workTimeoutMs: number
  /** Carries work to another location. Without it, such work is refused. */
  readonly transport?: Transport | undefined
  readonly retryPolicy: RetryPolicy
  /** Set for work that is done already, so that another attempt would fail alike. */
  readonly once?: { readonly wasBlocked: boolean } | undefined
  readonly quietWarningMs?: number | undefined
  /** The program that gives the work a pseudo-terminal. */
  readonly terminal?: string | undefined
}

interface KeptOptions extends AttemptOptions {
  readonly renewer: LeaseRenewer
  /** The view that let the attempt begin. */
  readonly state: SeenState
}

export interface Attempted {
  readonly journal: StepJournal
  readonly outcome: StepOutcome
  /** Set if the attempt failed. */
  readonly failure?: StepFailure | undefined
  /** What the work asked for. */
  readonly requests: readonly TakenRequest[]
  /** What was left out of the work, and requests that were refused or dropped. */
  readonly notes: readonly string[]
  /** The work as landing verified it. Its place in the queue must be ended. */
  readonly submitted?: Submitted | undefined
  /**
   * Decides the same work again, after its commit did not land: verifies it on the target as it is
   * now, or fails the attempt.
   */
  again(unlanded: Unlanded): Promise<Attempted>
}

export async function attemptStep(
  harness: Harness,
  claimed: ClaimedWork,
  attempt: number,
  options: KeptOptions,
): Promise<Attempted> {
  const begun = beginJournal(harness, claimed, attempt)
  const span = new TimeSpan(harness.clock)
  const folder = new StepFolder(harness, begun.stepId)
  // Git reads the files while the inputs of the work are written.
  const tree = treeBefore(harness)
  const { queue, ...prepared } = await awaitBoth(tree, prepare(harness, claimed, begun, folder))
  const context = { queue, viewDigest: await keepView(harness, options.state, await tree, folder) }
  const run = {
    ...prepared,
    quietWarningMs: options.quietWarningMs,
    pulse: () => options.renewer.renewIfDue(),
  }
  const work = await runCommand(harness, 'work', options.workCommand, {
    ...run,
    timeoutMs: options.workTimeoutMs,
    terminal: options.terminal,
    program: options.workProgram,
  })
  const { journal, ...asked } = await takeRequests(harness, begun)
  const decide = async (unlanded?: Unlanded): Promise<Attempted> => {
    const verified = await verifyWork(harness, { claimed, journal, work, run, unlanded }, options)
    return await decided(verified).catch(error => {
      // Nobody else would end its place, and those behind it would wait for ever.
      verified.submitted?.place?.end('failed')
      throw error
    })
  }
  const decided = async (verified: VerifiedWork): Promise<Attempted> => {
    const evidence = await harness.gate.judgeFile(evidencePath(harness, folder), harness.policy)
    const seen = { journal, folder, work, context, ...verified, evidence, issue: claimed.issue }
    const relocated = mayRelocate(harness, seen, options)
      ? await relocate(harness, seen, options.transport, run)
      : undefined
    const notes = [...asked.notes, ...(verified.submitted?.notes ?? [])]
    const parts = { ...seen, relocated, notes }
    const outcome = await outcomeOf(harness, parts, options, span)
    const isFailed = outcome.failureClasses.length > 0
    const failure = isFailed ? await writeFailure(harness, parts) : undefined
    const { submitted } = verified
    return { journal, outcome, failure, ...asked, notes, submitted, again: decide }
  }
  return await decide()
}

/** Only verified work with closed turns is sent, and only while its lease is held. */
const mayRelocate = (
  { stop }: Harness,
  { verification, evidence }: Omit<Parts, 'relocated' | 'notes'>,
  { renewer }: KeptOptions,
): boolean =>
  evidence.destinations.length > 0 &&
  evidence.joinClosed &&
  verification?.passed === true &&
  renewer.isHeld &&
  !stop.aborted

function beginJournal(
  { workerId, clock, session, ledger, instructionId }: Harness,
  { issue, leaseId, fence }: ClaimedWork,
  attempt: number,
): StepJournal {
  return {
    stepId: stepIdOf(workerId, issue.id, fence, attempt),
    workerId,
    issueId: issue.id,
    leaseId,
    fence,
    attempt,
    startedAt: secondOf(clock.now()),
    sessionPath: session.path,
    ledgerPath: ledger.path,
    ...(instructionId !== undefined && { instructionId }),
  }
}

/** Writes the journal, then the input files of the commands. */
async function prepare(
  harness: Harness,
  claimed: ClaimedWork,
  journal: StepJournal,
  folder: StepFolder,
): Promise<Omit<CommandRun, 'timeoutMs'> & { readonly queue: string }> {
  const { issue } = claimed
  const file = new JournalFile(harness, harness.workerId)
  await file.write(journal)
  await (await LastAttempts.read(harness))?.note(journal)
  // The journal comes first: a folder without a journal belongs to a finished step.
  await folder.make()
  // An evidence file of an earlier attempt must not count for this one.
  await harness.disk.remove(evidencePath(harness, folder))
  await harness.disk.replaceLoosely(
    folder.file(issueName),
    new TextEncoder().encode(`${printIssue(issue)}\n`),
  )
  const { given, ...handoff } = await writeHandoff(harness, claimed, journal, folder)
  const mailbox = mailboxPath(folder)
  await harness.disk.remove(folder.file(takenName))
  await harness.disk.removeFolder(mailbox)
  await harness.disk.makeFolderLoosely(mailbox)
  return {
    folder,
    mailbox,
    queue: await keepReminders(harness, given, folder),
    env: workEnvironment(harness, journal, issue, { folder, ...handoff }),
    beforeRun: (group: ProcessGroup) => file.write({ ...journal, group: { ...group } }),
  }
}

/** The digests of what the attempt began with. */
interface AttemptContext {
  readonly viewDigest: string
  readonly queue: string
}

interface Parts extends VerifiedWork {
  readonly journal: StepJournal
  readonly folder: StepFolder
  readonly work: RanCommand
  readonly context: AttemptContext
  readonly evidence: EvidenceVerdict
  readonly issue: Issue
  /** Set if the turns name another location and the work was sent there. */
  readonly relocated: Relocated | undefined
  readonly notes: readonly string[]
}

async function outcomeOf(
  harness: Harness,
  parts: Parts,
  options: KeptOptions,
  span: TimeSpan,
): Promise<StepOutcome> {
  const { retryPolicy, verifier, renewer } = options
  const { journal, work, verification, evidence } = parts
  const { own, ...seen } = await witnessed(harness, parts, options)
  const seenClasses = failureClassesOf({
    workClasses: work.failure?.failureClasses ?? [],
    verifyClasses: verification?.failureClasses,
    turnClasses: [...own.failureClasses, ...evidence.failureClasses],
    turnsLeft: evidence.turns,
    requireAgentEvidence: harness.policy.requireAgentEvidence,
    relocationClasses: relocationClassesOf(harness, parts),
    stopped: isStopped(harness, parts),
    leaseLost: !renewer.isHeld,
    worktreeGone: (await harness.disk.entry(harness.worktree))?.kind !== 'folder',
  })
  const proof = seenClasses.length === 0 ? await proofOf(harness, parts) : undefined
  const unproven = proof && isRefusal(proof) ? proof : undefined
  const found = proof && !isRefusal(proof) ? proof : undefined
  const failureClasses = unproven ? [unproven.failureClass] : seenClasses
  const gateSaidNo = failureClasses.some(isGateClass)
  const decision =
    failureClasses.length > 0
      ? retryOf(
          decideRetry(retryPolicy, failureClasses, countedAttempt(journal, options)),
          parts,
          options,
        )
      : undefined
  const isForReview = options.landing?.strategy === 'branch'
  return {
    change: changeOf(decision, { gateSaidNo, isForReview }),
    resultClass: resultClassOf(decision, isForReview),
    failureClasses,
    summary: unproven?.diagnostic ?? summaryOf(harness, parts, failureClasses),
    finishedAt: secondOf(span.endedAt),
    durationMs: Math.floor(span.ms),
    turn: {
      ...own,
      joinClosed: own.joinClosed && evidence.joinClosed,
      mutationReady: own.mutationReady && !gateSaidNo,
      failureClasses: failureClasses.filter(isGateClass),
    },
    ...seen,
    ...(found && !isForReview && { proof: found }),
    ...(found && landingOf(parts, options)),
    ...(decision && { decision }),
    verifyCommand: verifier.name,
    sandbox: sandboxModeOf(harness),
  }
}

/** A command that the shell could not run is not run again. */
function retryOf(
  decision: RetryDecision,
  { work, verification }: Parts,
  { once }: KeptOptions,
): RetryDecision {
  if (once) return decidedOnce(decision, once.wasBlocked)
  const ran = work.failure ? work : verification?.failed
  const isMissing = isEnvironmentFailure(decision.failureClasses) && isUnrunnable(ran?.end.exitCode)
  return isMissing ? withoutRetry(decision) : decision
}

/** A conflict with work that landed during the attempt does not count. */
const countedAttempt = ({ attempt, issueId }: StepJournal, { landing }: KeptOptions) =>
  Math.max(1, attempt - (landing?.uncountedOf(issueId) ?? 0))

/** Waits for both, so that a failure of one leaves nothing running. */
async function awaitBoth<T>(reading: Promise<unknown>, act: Promise<T>): Promise<T> {
  await Promise.allSettled([reading, act])
  return await act
}

/** Called only if everything passed, so the work was verified. */
async function proofOf(
  harness: Harness,
  { issue, relocated, submitted }: Parts,
): Promise<FoundProof | IssueRefusal> {
  const { proofs } = harness
  const sent = relocated?.sent
  const found = submitted?.proof ?? unproven(issue.id)
  if (isRefusal(found)) return found
  const changed = await changedSince(harness, harness.changeAuthority(), issue.id, sent)
  if (changed) return changed
  // The other location checked the files that were sent, and the transport may have changed them.
  if (sent && (await proofs.tree()) !== found.treeDigest) return filesChanged
  const { treeDigest = '', specs, documents, witnesses } = found
  return {
    folder: proofs.folder,
    treeDigest,
    specs,
    documents,
    witnesses,
    ...(sent && { sent: termsOf(sent) }),
  }
}

const filesChanged = refuse(
  'close_proof_stale',
  'files have changed since it was verified',
  'Verify it again.',
)

function landingOf(
  { submitted }: Parts,
  { landing }: KeptOptions,
): Pick<StepOutcome, 'landing'> | undefined {
  if (landing?.strategy !== 'squash' || !submitted?.candidate) return undefined
  const { commit, base, tree } = submitted.candidate
  const target = landing.target.branch
  return { landing: { target, base, commit, tree, ...(landing.hooks && { hooks: true }) } }
}

/** Writes the record and the step's own turn, and lets the gate check the turn. */
async function witnessed(harness: Harness, parts: Parts, options: KeptOptions) {
  const { journal, folder, work, verification, relocated } = parts
  const transport = relocated?.transport ? [relocated.transport.command] : []
  const commands = [work.command, ...(verification?.commands ?? []), ...transport]
  const bound = evidenceOf(harness, parts)
  const isKept = keepsPayloads(harness)
  const { requests, ...step } = journal
  const record = {
    ...step,
    // They have the texts that the work asked to write.
    ...(isKept
      ? requests && { requests }
      : { observabilityMode: harness.policy.observabilityMode }),
    commands,
    verification: verification?.summary ?? null,
    sandbox: sandboxModeOf(harness),
    ...(bound && { evidence: bound, turnDigests: parts.evidence.turnDigests }),
  }
  const recordRef = await folder.write('record.json', documentOf(StepRecord, record))
  const seen = {
    ...workOf(harness, parts, options.workCommand, recordRef),
    failure: workFailureOf(parts, options),
    evidence: bound,
  }
  const turn = stepTurn(seen, 'issue_update', harness.sha256)
  const turnRef = await folder.write('turn.json', turn)
  const { verdict: own, ref: joinWitness } = await harness.gate.witness(
    turn,
    aboutWork(harness, parts),
  )
  const verified = verification?.witnessRefs ?? []
  const witnessRefs = [recordRef, turnRef, ...verified, ...(relocated?.witnessRefs ?? [])]
  return { commands, own, joinWitness, witnessRefs, ...(bound && { evidence: bound }) }
}

/** The signature of the turn's witness names the files that were verified. */
function aboutWork(harness: Harness, { submitted }: Parts): WitnessedWork {
  const { candidate, proof } = submitted ?? {}
  const treeDigest = proof && !isRefusal(proof) ? proof.treeDigest : undefined
  return {
    sandbox: sandboxModeOf(harness),
    ...(candidate && { commit: candidate.commit, gitTree: candidate.tree }),
    ...(treeDigest !== undefined && { treeDigest }),
  }
}

/** What the row, the record and the step's own turn say about the turns that the work left. */
function evidenceOf(
  { sha256, policy }: Harness,
  { evidence: { sha256: content, turns, turnDigests, joinClosed, observabilityMode } }: Parts,
): StepEvidence | undefined {
  if (content === undefined || turns === 0) return undefined
  const mode = stricter(policy.observabilityMode, observabilityMode)
  const verdictsDigest = digestOf(turnDigests, sha256)
  const bound = { sha256: content, turns, verdictsDigest, joinClosed }
  return mode === 'dashboard' ? bound : { ...bound, observabilityMode: mode }
}

/** The retry policy decides about the failure of the work before it decides about the step. */
function workFailureOf(parts: Parts, options: KeptOptions): WorkFailure | undefined {
  const { failure, end } = parts.work
  if (!failure) return undefined
  const decision = decideRetry(
    options.retryPolicy,
    failure.failureClasses,
    countedAttempt(parts.journal, options),
  )
  return {
    errorCode: decision.matchedFailureClass,
    retryable: retryOf(decision, parts, options).retry,
    errorMessage: `the work command ${describeEnd(end)}`,
  }
}

function workOf(
  harness: Harness,
  { journal, context, work: { end } }: Parts,
  command: string,
  witnessRef: string,
) {
  return {
    stepId: journal.stepId,
    issueId: journal.issueId,
    command,
    workdir: harness.worktree,
    sandbox: sandboxModeOf(harness),
    exitCode: end.exitCode,
    signal: end.signal,
    timedOut: end.timedOut,
    stdoutDigest: `sha256:${end.stdout.sha256}`,
    stderrDigest: `sha256:${end.stderr.sha256}`,
    viewDigest: context.viewDigest,
    queueDigest: context.queue,
    witnessRef,
    sessionRef: fromRoot(harness, harness.session.path),
    mutationPolicyDigest: harness.policy.mutationPolicyDigest,
    isGoverned: harness.policy.isGoverned,
  }
}

/** Work that was not sent has no evidence of its destination. */
function relocationClassesOf(harness: Harness, parts: Parts): readonly string[] {
  const { evidence, relocated } = parts
  // The stop is reported as its own class and is not a verdict of the gate.
  if (evidence.destinations.length === 0 || isStopped(harness, parts)) return []
  const missing: RelocationClass = 'handoff.destination_evidence_missing'
  return relocated?.findings.map(({ failureClass }) => failureClass) ?? [missing]
}

/** True if a command was stopped, or the stop signal prevented the next one. */
function isStopped({ stop }: Harness, parts: Parts): boolean {
  const { work, verification, evidence, relocated } = parts
  const ends = [work.end.stopped, verification?.stopped, relocated?.transport?.end.stopped]
  const isUnverified = !work.failure && !verification
  const isUnsent = verification?.passed && evidence.destinations.length > 0 && !relocated
  return ends.includes(true) || (stop.aborted && (isUnverified || isUnsent === true))
}

function summaryOf(
  harness: Harness,
  { work, verification, evidence, relocated }: Parts,
  failureClasses: readonly string[],
): string {
  if (failureClasses.length === 0) return 'the work was done and verified'
  if (failureClasses.includes(leaseLostClass)) return 'the lease was lost during the work'
  if (failureClasses.includes(stoppedClass)) return 'the step was stopped'
  if (failureClasses.includes(worktreeGoneClass)) return 'the worktree was removed during the work'
  if (work.failure) return `the work command ${describeEnd(work.end)}`
  if (verification && !verification.passed) return verification.summary
  // A finding may quote what a turn contains.
  if (!keepsPayloads(harness)) return `the gate rejected the turn: ${failureClasses.join(', ')}`
  const [first] = [
    ...evidence.findings,
    ...(relocated?.findings ?? []).map(({ message }) => message),
  ]
  return first === undefined ? 'the gate rejected the turn' : `the gate rejected the turn: ${first}`
}
