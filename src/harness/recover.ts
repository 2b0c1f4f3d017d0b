/** A step that a crash cut off is finished or undone by the next start, which says so. */
import { secondOf } from '../kernel/harness/artifact.ts'
import type { StepJournal } from '../kernel/harness/step-journal.ts'
import { commitStep } from './commit-step.ts'
import type { Harness } from './harness.ts'
import { groupOf, JournalFile } from './journal-file.ts'

export interface Recovered {
  readonly stepId: string
  readonly issueId: string
  /** `finished`: it was decided; `undone`: it was cut off in the middle of its work. */
  readonly how: 'finished' | 'undone'
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
  if (outcome) {
    const { resultClass } = await commitStep(harness, journal, outcome, { again: true })
    return { stepId, issueId, how: 'finished', resultClass }
  }
  const { resultClass } = await commitStep(harness, journal, interrupted(harness, journal), {
    again: true,
  })
  return { stepId, issueId, how: 'undone', resultClass }
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
