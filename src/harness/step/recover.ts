/** A step that a crash cut off is finished or undone by the next start, which says so. */
import { secondOf } from '../../kernel/harness/artifact.ts'
import { allHeldBy } from '../../kernel/harness/next-target.ts'
import { isGateClass } from '../../kernel/harness/retry/gate-class.ts'
import {
  type ClaimJournal,
  isStepJournal,
  type StepJournal,
  type StepOutcome,
  stepAfterClaim,
} from '../../kernel/harness/step/step-journal.ts'
import { fenceOf } from '../../kernel/issues/issue.ts'
import type { IssueRefusal } from '../../kernel/issues/issue-refusal.ts'
import type { Recovery } from '../../wire/run/run-words.ts'
import type { Harness } from '../harness.ts'
import { commitStep } from './commit-step.ts'
import { groupOf, JournalFile } from './journal-file.ts'
import { changedSince } from './relocation.ts'
import { isDone } from './step-change.ts'

export interface Recovered {
  readonly stepId: string
  readonly issueId: string
  /**
   * `finished`: it was decided; `undone`: it was cut off in the middle of its work, or what verified
   * it is not true any more; `lost`: its lease
   * was somebody else's by then; `waiting`: nobody was there who may carry it out.
   */
  readonly how: Recovery
  readonly resultClass: string
}

export const interruptedClass = 'retry_needed_interrupted'

/** The caller holds its own worker's lock; a step whose worker's lock is free is nobody's. */
export async function recoverSteps(harness: Harness): Promise<RecoveredSteps> {
  const own = await recoverStep(harness, harness.workerId)
  const others: Recovered[] = []
  for (const path of await harness.journals()) {
    const found = await recoverOther(harness, path)
    if (found) others.push(found)
  }
  return { own, others }
}

export interface RecoveredSteps {
  /** Of the worker that looked. */
  readonly own: Recovered | undefined
  readonly others: readonly Recovered[]
}

/** By the name of its file: what is in it is read under the lock. */
async function recoverOther(harness: Harness, path: string): Promise<Recovered | undefined> {
  if (path === new JournalFile(harness, harness.workerId).path) return undefined
  const lock = await harness.disk.lock(path.replace(/\.jsonl$/, '.lock'), 0)
  if (!lock.held) return undefined
  try {
    const journal = await JournalFile.at(harness, path).read()
    return journal && (await recoverStep(harness, journal.workerId))
  } finally {
    await lock.release()
  }
}

async function recoverStep(finder: Harness, workerId: string): Promise<Recovered | undefined> {
  const file = new JournalFile(finder, workerId)
  const found = await file.read()
  if (!found) return undefined
  const group = groupOf(found)
  if (group) await finder.processes.endGroup(group)
  const journal = isStepJournal(found) ? found : await claimedStep(finder, found)
  if (!journal) {
    await file.remove()
    return undefined
  }
  // What it comes to is told where the step itself would have told it.
  const harness = {
    ...finder,
    workerId,
    ...finder.documentsAt(journal.sessionPath, journal.ledgerPath),
  }
  const recovered = await finish(harness, journal)
  harness.tell({ event: 'recovered', ...recovered })
  return recovered
}

/** It was about to claim: whatever its worker holds now and did not before is what it got. */
async function claimedStep(
  { store, clock }: Harness,
  journal: ClaimJournal,
): Promise<StepJournal | undefined> {
  const { workerId, held } = journal
  const wasHeld = new Set(held.map(({ issueId, fence }) => `${issueId} ${fence}`))
  const got = allHeldBy(await store.read(), workerId, clock.now()).find(
    issue => !wasHeld.has(`${issue.id} ${fenceOf(issue)}`),
  )
  if (!got?.lease) return undefined
  const issue = { issueId: got.id, fence: fenceOf(got) }
  return stepAfterClaim(journal, issue, got.lease.lease_id)
}

async function finish(harness: Harness, journal: StepJournal): Promise<Recovered> {
  const { stepId, issueId, outcome } = journal
  const stale = outcome && (await staleness(harness, journal, outcome))
  const decided = outcome
    ? stale
      ? unverified(outcome, stale)
      : withoutRetry(outcome)
    : interrupted(harness, journal)
  // Of a close that was cut off while its proof was written: a close that follows writes it anew.
  if (outcome?.change === 'close') await harness.store.tidyProofs(issueId)
  const committed = await commitStep(harness, journal, decided, { again: true })
  const { resultClass, isOpen, isRefused } = committed
  if (isOpen) return { stepId, issueId, how: 'waiting', resultClass }
  const how = isRefused ? 'lost' : outcome && !stale ? 'finished' : 'undone'
  return { stepId, issueId, how, resultClass }
}

/** The journal tells of files, issue and policy as they were. Where the issue is closed already, that was then. */
async function staleness(
  harness: Harness,
  journal: StepJournal,
  outcome: StepOutcome,
): Promise<IssueRefusal | undefined> {
  if (outcome.change !== 'close' || outcome.proof === undefined) return undefined
  const { store, proofs } = harness
  const issue = (await store.read()).get(journal.issueId)
  if (issue === undefined || isDone(issue, journal, outcome)) return undefined
  const changed = await changedSince(harness, journal.issueId, outcome.proof.sent)
  return changed ?? (await proofs.staleness(outcome.proof))
}

/** Given back: whoever takes it next has to have it verified. */
function unverified(
  { proof: _proof, ...outcome }: StepOutcome,
  { failureClass, diagnostic }: IssueRefusal,
): StepOutcome {
  return {
    ...outcome,
    change: 'release',
    resultClass: `retry_needed_${failureClass}`,
    failureClasses: [failureClass],
    summary: `the step was cut off before its issue was closed, and ${diagnostic}`,
  }
}

/** Whoever was to try again is gone: somebody else may. What a gate refused stays as it is. */
function withoutRetry(outcome: StepOutcome): StepOutcome {
  if (!outcome.decision?.retry || outcome.failureClasses.some(isGateClass)) return outcome
  return { ...outcome, change: 'release' }
}

function interrupted({ clock }: Harness, { startedAt }: StepJournal) {
  const now = clock.now()
  const began = BigInt(Date.parse(startedAt)) * 1_000_000n
  return {
    change: 'release',
    resultClass: interruptedClass,
    failureClasses: ['interrupted'],
    summary: 'the step was cut off before it had decided anything',
    finishedAt: secondOf(now),
    durationMs: Math.max(0, Number((now - began) / 1_000_000n)),
    commands: [],
    witnessRefs: [],
  } as const
}
