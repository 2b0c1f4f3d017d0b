/**
 * Landing for the workers of a run: a branch for each issue, one commit for its work, verified in
 * the queue. It changes no issue and does not move the target.
 */
import type { StepEventOf } from '../../kernel/harness/run/run-event.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { workMessage } from '../../kernel/landing/commit-message.ts'
import type { Protection } from '../../kernel/landing/protected-paths.ts'
import type { Config } from '../../wire/config/config.ts'
import type { Conflict } from '../../wire/harness/feedback.ts'
import { shown } from '../../world/system-error.ts'
import type { Harness } from '../harness.ts'
import type { Verification } from '../step/command-verifier.ts'
import { renewCheckMs } from '../step/lease-renewer.ts'
import { announceBranch } from './announce-branch.ts'
import { type Candidate, memoryEdits, treeOf } from './candidate.ts'
import {
  CandidateVerifier,
  type CandidateVerifierParts,
  type Submission,
  type Verified,
} from './candidate-verifier.ts'
import type { CleanWorktree } from './clean-worktree.ts'
import {
  beginBranch,
  commitOnBranch,
  keepWork,
  leaveOnBranch,
  mergeTarget,
  resumeBranch,
  unfinishedWork,
} from './issue-work.ts'
import { commitOf, landingPaths } from './landing-git.ts'
import { LandingQueue, type Made, type QueuePlace } from './landing-queue.ts'
import { makeCandidate } from './make-candidate.ts'
import { headOf, type Target } from './target.ts'
import { unverified } from './work-checkout.ts'

/**
 * `squash`: one commit on the target. `branch`: a branch for review. `none`: issues close, and their
 * work stays on their branches.
 */
export type LandStrategy = Config['land']

export interface LandingParts extends CandidateVerifierParts {
  readonly target: Target
  readonly sign: boolean
  /** Files that work must not change, because they judge it. */
  readonly protection: Protection
  readonly verifyCommand: string
  /** Goes on with the branch of the issue as it is. */
  readonly resumes: boolean
  readonly strategy: LandStrategy
  /** Runs for each branch for review. */
  readonly landCommand?: string | undefined
  /** The commit on the target that has the work already. */
  readonly as?: string | undefined
  /** The worktrees of the workers, by worker. */
  readonly worktrees: ReadonlyMap<string, CleanWorktree>
}

/** Work that was verified as a candidate, or why it was not. */
export interface Submitted extends Verified {
  readonly candidate?: Candidate
  /** Must be ended, also if the attempt fails for another reason. */
  readonly place?: QueuePlace
  /** Files that conflict with the target. */
  readonly conflicts?: readonly Conflict[]
  /** What was left out of the work. */
  readonly notes?: readonly string[]
}

/** A label on an issue whose work may leave all files as they are. */
export const noChangeLabel = 'no-change'

interface MetConflict {
  readonly files: readonly string[]
  /** The head of the target that was merged into the branch. */
  readonly head: string
  readonly uncounted: number
}

/** Many workers on one file could delay an issue for ever. */
const uncountedMax = 6

export class Landing {
  readonly #parts: LandingParts
  readonly #queue = new LandingQueue()
  readonly #verifier: CandidateVerifier
  /** The conflicts that the attempts of an issue met, by issue. */
  readonly #conflicts = new Map<string, MetConflict>()
  /** Workers whose start-up command has run. */
  readonly #begun = new Set<string>()

  constructor(parts: LandingParts) {
    this.#parts = parts
    this.#verifier = new CandidateVerifier(parts)
  }

  get target(): Target {
    return this.#parts.target
  }

  get strategy(): LandStrategy {
    return this.#parts.strategy
  }

  get hooks(): boolean {
    return this.#parts.place.hooks
  }

  /** Gives the worker a clean worktree on the branch of the issue. Later attempts go on in it. */
  async begin(workerId: string, issueId: string): Promise<void> {
    const { place, target } = this.#parts
    this.#conflicts.delete(issueId)
    const worktree = this.#worktreeOf(workerId)
    // All that git ignores here is from the start-up command, which runs before the first issue.
    if (!this.#begun.has(workerId)) await worktree.keepOutputs()
    this.#begun.add(workerId)
    const { as } = this.#parts
    if (as !== undefined) await worktree.checkOut(as)
    else if (this.#parts.resumes) await resumeBranch(place, worktree, issueId)
    else await beginBranch(place, worktree, { issueId, target })
  }

  /** Commits the work, and verifies it as a candidate. Returns when it may land. */
  async submit(harness: Harness, submission: Submission): Promise<Submitted> {
    const { place } = this.#parts
    const { issue, journal } = submission
    if (this.#parts.as !== undefined)
      return await this.#submitAs(this.#parts.as, harness, submission)
    const worktree = this.#worktreeOf(harness.workerId)
    const met = this.#conflicts.get(issue.id)
    const unfinished = await unfinishedWork(place, worktree, met?.files ?? [])
    if (unfinished !== undefined) return unverified('landing_conflict', unfinished)
    const { id: issueId, title } = issue
    const message = workMessage({ issueId, stepId: journal.stepId, title })
    const committed = await commitOnBranch(place, worktree, { issueId, message })
    if ('complaint' in committed) {
      return unverified('check_failed', `git could not commit the work: ${committed.complaint}`)
    }
    const { work } = committed
    const [submitted, edits] = await Promise.all([
      this.#stack(harness, submission, worktree, work),
      memoryEdits(place, this.target, work),
    ])
    if (edits.length === 0) return submitted
    const notes = edits.map(path => `the work changed ${shown(path)}, which never lands`)
    for (const message of notes) harness.emit({ event: 'note', message })
    return { ...submitted, notes }
  }

  async #stack(
    harness: Harness,
    submission: Submission,
    worktree: CleanWorktree,
    work: string,
  ): Promise<Submitted> {
    const { place } = this.#parts
    const { issue } = submission
    const { id: issueId } = issue
    // Only commits that land on the target stand on each other.
    const isStacked = this.strategy === 'squash'
    const queue = isStacked ? this.#queue : new LandingQueue()
    const tell = (state: StepEventOf<'queue'>['state']) => {
      if (isStacked) harness.emit({ event: 'queue', issueId, state })
    }
    tell('waiting')
    const stacked = await this.#pulsing(
      harness,
      submission,
      queue.enter({
        make: base => this.#make(base, work, submission),
        verify: async candidate => {
          const verified = await this.#verifier.verify(harness, candidate, submission, () =>
            tell('verifying'),
          )
          if (verified.verification.passed) tell('verified')
          return verified
        },
        onRebuild: () => {
          harness.emit({ event: 'restacked', issueId })
          tell('waiting')
        },
      }),
    )
    if ('failure' in stacked) {
      const { failure } = stacked
      if ('nothing' in failure)
        return unverified('work_changed_nothing', 'the work changed no file')
      if ('conflict' in failure) return await this.#conflict(worktree, issue.id)
      const { failureClass, summary } = failure.judgeChanged
      return unverified(failureClass, summary)
    }
    const { candidate, verdict, place: queuePlace } = stacked
    const submitted = { ...verdict, candidate, place: queuePlace }
    if (this.strategy === 'squash' || !verdict.verification.passed) return submitted
    await leaveOnBranch(place, worktree, issueId, candidate.commit)
    const { landCommand: command, target, verifyTimeoutMs: timeoutMs } = this.#parts
    if (this.strategy !== 'branch' || command === undefined) return submitted
    return await announceBranch(
      harness,
      { command, place, target, timeoutMs },
      submission,
      submitted,
    )
  }

  /** The work is on the target already, by another way. */
  async #submitAs(commit: string, harness: Harness, submission: Submission): Promise<Submitted> {
    const { place } = this.#parts
    const candidate = { commit, base: commit, tree: await treeOf(place, commit) }
    const seen = { ...candidate, before: (await commitOf(place, `${commit}^`)) ?? null }
    return { ...(await this.#verifier.verify(harness, seen, submission)), candidate }
  }

  /** Verifies the target as it is, before anything is claimed. */
  async baseline(coordinator: Harness, run: Submission['run']): Promise<Verification> {
    return await this.#verifier.baseline(coordinator, this.target, run)
  }

  /** Files that git ignores in the main worktree and that a verification lacks. */
  async missingFiles(): Promise<readonly string[]> {
    const { place } = this.#parts
    const asked = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']
    const ignored = await landingPaths(place, place.top, asked)
    const own = [`${place.prefix}.premath/`, `${place.prefix}artifacts/`]
    return ignored.filter(path => !own.some(folder => path.startsWith(folder)))
  }

  /** Keeps the work of a failed step on its branch, so that a person can look at it. */
  async keep(harness: Harness, { id: issueId, title }: Issue, stepId: string): Promise<void> {
    const worktree = this.#worktreeOf(harness.workerId)
    const message = workMessage({ issueId, stepId, title })
    await keepWork(this.#parts.place, worktree, { issueId, message })
  }

  /** Attempts of the issue that do not count against the retry policy. */
  uncountedOf(issueId: string): number {
    return this.#conflicts.get(issueId)?.uncounted ?? 0
  }

  #worktreeOf(workerId: string): CleanWorktree {
    const worktree = this.#parts.worktrees.get(workerId)
    if (!worktree) throw new TypeError(`${workerId} has no worktree in this run`)
    return worktree
  }

  async #make(
    base: string | undefined,
    work: string,
    { issue, journal }: Submission,
  ): Promise<Made<Candidate>> {
    const { place, target, sign, protection, verifyCommand } = this.#parts
    return await makeCandidate(place, {
      issue,
      stepId: journal.stepId,
      work,
      base: base ?? (await headOf(place, target)),
      mayStay: issue.labels.includes(noChangeLabel),
      protection,
      verifyCommand,
      sign,
    })
  }

  /** Leaves the conflict in the files, for the next attempt. */
  async #conflict(worktree: CleanWorktree, issueId: string): Promise<Submitted> {
    const { place, target } = this.#parts
    const met = this.#conflicts.get(issueId)
    const head = await headOf(place, target)
    const conflicts = await mergeTarget(place, worktree.path, head)
    const files = conflicts.map(({ path }) => path)
    // The last attempt resolved its conflict, and others landed meanwhile: that is not its failure.
    const isNew = met !== undefined && met.head !== head && met.uncounted < uncountedMax
    const uncounted = (met?.uncounted ?? 0) + (isNew ? 1 : 0)
    this.#conflicts.set(issueId, { files, head, uncounted })
    const names = files.join(', ')
    const summary = `the work conflicts with ${target.branch} in ${names || 'its files'}`
    return { ...unverified('landing_conflict', summary), conflicts }
  }

  /** Renews the lease while the candidate waits in the queue. */
  async #pulsing<T extends { readonly place: QueuePlace } | object>(
    { clock }: Harness,
    { run }: Submission,
    waiting: Promise<T>,
  ): Promise<T> {
    let failure: unknown
    const over = waiting.then(isOver, isOver)
    while (!(await Promise.race([over, clock.sleep(renewCheckMs)]))) {
      await run.pulse?.().catch(error => {
        failure ??= error
      })
    }
    const stacked = await waiting
    if (failure === undefined) return stacked
    // Nobody else would end its place, and those behind it would wait for ever.
    if ('place' in stacked) stacked.place.end('failed')
    throw failure
  }
}

const isOver = () => true
