/** A step that a crash cut off is finished or undone by the next start, which says so. */
import { secondOf } from '../kernel/harness/artifact.ts'
import type { StepJournal } from '../kernel/harness/step-journal.ts'
import { commitStep } from './commit-step.ts'
import type { Harness } from './harness.ts'
import { groupOf, JournalFile } from './journal-file.ts'

export interface Recovered {
  readonly stepId: string
  readonly issueId: string
  /**
   * `finished`: it was decided; `undone`: it was cut off in the middle of its work; `lost`: its lease
   * was somebody else's by then; `waiting`: nobody was there who may carry it out.
   */
  readonly how: 'finished' | 'undone' | 'lost' | 'waiting'
  readonly resultClass: string
}

export const interruptedClass = 'retry_needed_interrupted'

/** The caller holds the worker's lock, so that nobody is still at it. */
export async function recoverStep(harness: Harness): Promise<Recovered | undefined> {
  const file = new JournalFile(harness)
  const journal = await file.read()
  if (!journal) return undefined
  const { stepId, issueId, outcome } = journal
  const group = groupOf(journal)
  if (group) await harness.processes.endGroup(group)
  const decided = outcome ?? interrupted(harness, journal)
  const { resultClass, isOpen } = await commitStep(harness, journal, decided, { again: true })
  if (isOpen) return { stepId, issueId, how: 'waiting', resultClass }
  const isLost = resultClass !== decided.resultClass || resultClass.startsWith('lease_')
  return { stepId, issueId, how: isLost ? 'lost' : outcome ? 'finished' : 'undone', resultClass }
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
