/** Verifies candidates in worktrees of their own, and proves by that that their issues are done. */
import type { Issue } from '../../kernel/issues/issue.ts'
import { specsOf } from '../../kernel/issues/issue-edit.ts'
import type { IssueRefusal } from '../../kernel/issues/issue-refusal.ts'
import { verificationKey } from '../../kernel/landing/verified-run.ts'
import type { CloseProof } from '../../kernel/proof/close-proof.ts'
import type { StepJournal } from '../../wire/harness/step-journal.ts'
import type { VerifiedRun } from '../../wire/landing/verified-run.ts'
import { type Harness, type Proofs, sandboxModeOf, type VerificationRun } from '../harness.ts'
import type { CommandRun } from '../step/command.ts'
import type { Verification, Verifier } from '../step/command-verifier.ts'
import type { Candidate } from './candidate.ts'
import { landingDelta } from './landing-delta.ts'
import { commitOf, type LandingPlace } from './landing-git.ts'
import { headOf, type Target } from './target.ts'
import type { VerificationWorktree, VerificationWorktrees } from './verification-worktrees.ts'
import { entriesWithoutMemory, VerifiedRuns } from './verified-runs.ts'

export interface CandidateVerifierParts {
  readonly place: LandingPlace
  readonly verification: VerificationWorktrees
  readonly verifyTimeoutMs: number
  /** The folder below the project's in which the commands run, with a slash before it, or blank. */
  readonly below?: string
  /** False to verify the same files again each time. */
  readonly remembers?: false
  /** The verifiers of a harness that works in a verification worktree. */
  verifiersAt(harness: Harness): {
    readonly verifier: Verifier
    specVerifier(specs: readonly string[]): Verifier
  }
  /** Proofs about the files of a folder. */
  proofsAt(folder: string): Promise<Proofs>
}

/** The attempt whose work is to land. */
export interface Submission {
  readonly issue: Issue
  readonly journal: Pick<StepJournal, 'stepId'>
  readonly run: Omit<CommandRun, 'timeoutMs'>
  /** The commit that has the work, if it was taken before. */
  readonly commit?: string | undefined
  /** The place where such a commit lands. Without it, the commit is verified as it is. */
  readonly landing?: { readonly place: LandingPlace; readonly sign: boolean } | undefined
}

export interface Verified {
  readonly verification: Verification
  /** Set if the verification passed. */
  readonly proof?: CloseProof | IssueRefusal
}

export class CandidateVerifier {
  readonly #parts: CandidateVerifierParts
  readonly #verified: VerifiedRuns

  constructor(parts: CandidateVerifierParts) {
    this.#parts = parts
    this.#verified = new VerifiedRuns(parts.place)
  }

  /** Calls `onBegin` when there is a worktree for it. */
  async verify(
    harness: Harness,
    candidate: Candidate,
    submission: Submission,
    onBegin: () => void = () => {},
  ): Promise<Verified> {
    // Before the worktree is taken, because others wait for it.
    const { place, remembers = true } = this.#parts
    const tree = remembers ? await entriesWithoutMemory(place, candidate.tree) : undefined
    return await this.#parts.verification.use(async worktree => {
      onBegin()
      await worktree.checkOut(candidate.commit)
      const { folder } = worktree
      const proofs = await this.#parts.proofsAt(folder)
      const { below = '' } = this.#parts
      if (below !== '') await place.disk.makeFolderLoosely(`${folder}${below}`)
      const at = { ...harness, worktree: `${folder}${below}`, proofs }
      const key = tree && (await this.#keyOf(at, worktree, tree, submission))
      const before = key === undefined ? undefined : await this.#verified.find(key)
      if (before) return await this.#reuse(at, candidate, before, submission)
      const failure = await worktree.start(at, candidate.commit, submission.run)
      const verification = failure
        ? { ...failure, passed: false }
        : await this.#check(at, worktree, specsOf(submission.issue), {
            ...submission.run,
            delta: () => this.#delta(candidate),
          })
      if (!verification.passed) return { verification }
      const { commandDigest = '', outputDigest = '' } = verification.commands.at(-1) ?? {}
      const ran = { commandDigest, outputDigest }
      const { stepId } = submission.journal
      if (key !== undefined) {
        await this.#verified.add({ key, stepId, commit: candidate.commit, ...ran })
      }
      const { witness } = verification
      return {
        verification,
        proof: await this.#prove(at, candidate, { ...ran, witness }, submission),
      }
    })
  }

  /** The key of all inputs of the verification; `undefined` if it must run each time. */
  async #keyOf(
    harness: Harness,
    { files, startUp }: VerificationWorktree,
    tree: readonly string[],
    { issue }: Submission,
  ): Promise<string | undefined> {
    const { place, verifiersAt } = this.#parts
    const { name: command, dependsOnChange } = verifiersAt(harness).verifier
    if (dependsOnChange) return undefined
    const verified = {
      issueId: issue.id,
      tree,
      command,
      specs: specsOf(issue),
      startUp: startUp.command,
      startUpInputs: startUp.inputs,
      copiedFiles: await files.copiedFiles(),
      sandbox: sandboxModeOf(harness),
    }
    return verificationKey(verified, place.sha256)
  }

  /** Proves the issue by a verification that passed on the same files. No command runs. */
  async #reuse(
    harness: Harness,
    candidate: Candidate,
    { stepId, commit, commandDigest, outputDigest }: VerifiedRun,
    submission: Submission,
  ): Promise<Verified> {
    const summary = 'this tree passed before, not verified again'
    harness.emit({ event: 'note', message: `${submission.issue.id}: ${summary}` })
    const ran = { commandDigest, outputDigest, reusedFrom: { stepId, commit } }
    return {
      verification: { passed: true, stopped: false, commands: [], failureClasses: [], summary },
      proof: await this.#prove(harness, candidate, ran, submission),
    }
  }

  async #check(
    harness: Harness,
    { files }: VerificationWorktree,
    specs: readonly string[],
    run: Submission['run'],
  ): Promise<Verification> {
    const timed = { ...run, timeoutMs: this.#parts.verifyTimeoutMs }
    const changedFiles = () => files.changedFiles()
    return await runVerifiers(harness, this.#parts.verifiersAt(harness), {
      specs,
      run: timed,
      changedFiles,
    })
  }

  async #prove(
    harness: Harness,
    { commit, tree }: Candidate,
    ran: Pick<VerificationRun, 'commandDigest' | 'outputDigest' | 'reusedFrom' | 'witness'>,
    { issue, journal }: Submission,
  ): Promise<CloseProof | IssueRefusal> {
    const sandbox = sandboxModeOf(harness)
    const verified = { stepId: journal.stepId, ...ran, commit, gitTree: tree, sandbox }
    return await harness.proofs.find(issue, verified)
  }

  /** Verifies a commit that closes no issue. The specs of an issue speak of work that it lacks. */
  async verifyRevert(
    harness: Harness,
    commit: string,
    run: Submission['run'],
  ): Promise<Verification> {
    return await this.#parts.verification.use(async worktree => {
      await worktree.checkOut(commit)
      const at = { ...harness, worktree: worktree.folder }
      const failure = await worktree.start(at, commit, run)
      if (failure) return { ...failure, passed: false }
      const before = (await commitOf(this.#parts.place, `${commit}^`)) ?? null
      const delta = () => this.#delta({ commit, before })
      return await this.#check(at, worktree, [], { ...run, delta })
    })
  }

  async #delta({ commit, base, before = base }: Partial<Candidate> & { readonly commit: string }) {
    return await landingDelta(this.#parts.place, { from: before ?? undefined, to: commit })
  }

  /** Verifies the target as it is, before anything is claimed. */
  async baseline(
    coordinator: Harness,
    target: Target,
    run: Submission['run'],
  ): Promise<Verification> {
    const { place, verification, verifiersAt, verifyTimeoutMs } = this.#parts
    const commit = await headOf(place, target)
    return await verification.use(async worktree => {
      await worktree.checkOut(commit)
      const at = { ...coordinator, worktree: worktree.folder }
      const failure = await worktree.start(at, commit, run)
      if (failure) return { ...failure, passed: false }
      return await verifiersAt(at).verifier.verify({ ...run, timeoutMs: verifyTimeoutMs })
    })
  }
}

export type Verifiers = ReturnType<CandidateVerifierParts['verifiersAt']>

/** Runs the verifier of all issues, then the specs of one issue. They must leave the files alone. */
export async function runVerifiers(
  { stop }: Harness,
  { verifier, specVerifier }: Verifiers,
  checked: {
    readonly specs: readonly string[]
    readonly run: CommandRun
    changedFiles(): Promise<readonly string[]>
  },
): Promise<Verification> {
  const { specs, run } = checked
  const verifiers = [verifier, ...(specs.length > 0 ? [specVerifier(specs)] : [])]
  const commands: Verification['commands'][number][] = []
  const witnessRefs: string[] = []
  let last: Verification | undefined
  for (const one of verifiers) {
    const ended = await one.verify(run)
    commands.push(...ended.commands)
    witnessRefs.push(...(ended.witnessRefs ?? []))
    last = { ...ended, witnessRefs }
    if (!last.passed) return { ...last, commands }
    const changed = await checked.changedFiles()
    if (changed.length > 0) return { ...changedBy(changed), commands }
    if (stop.aborted) return { ...last, passed: false, stopped: true, commands }
  }
  return { ...(last as Verification), commands }
}

const changedBy = (paths: readonly string[]): Omit<Verification, 'commands'> => ({
  passed: false,
  stopped: false,
  failureClasses: ['verification_changed_files'],
  summary: `the verification changed files: ${paths.slice(0, 5).join(', ')}`,
})
