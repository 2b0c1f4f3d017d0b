/**
 * What a step was doing, written before it does it: whoever finds it after a crash knows what is
 * still to be done, and what must not be done twice.
 */
import type { Json, JsonObject } from '../json.ts'
import {
  type ArtifactName,
  artifactIn,
  badArtifact,
  printArtifact,
  textIn,
  timeIn,
} from './artifact.ts'
import type { RetryDecision } from './retry-decision.ts'
import type { StepCommand, StepTurn } from './step-row.ts'

export const journalKind = 'premath.harness.step_journal.v1'

/** What became of the issue, or is to become of it. */
export const stepChanges = ['close', 'release', 'block', 'discover', 'keep'] as const
export type StepChange = (typeof stepChanges)[number]

export interface StepOutcome {
  readonly change: StepChange
  readonly resultClass: string
  readonly failureClasses: readonly string[]
  /** Why, for people. */
  readonly summary: string
  readonly finishedAt: string
  readonly durationMs: number
  readonly commands: readonly StepCommand[]
  readonly turn?: StepTurn
  readonly witnessRefs: readonly string[]
  /** The decision that nothing more is tried, where that is so. */
  readonly decision?: RetryDecision
  readonly verifyCommand?: string
}

export interface StepJournal {
  readonly stepId: string
  readonly workerId: string
  readonly issueId: string
  readonly leaseId: string
  readonly fence: number
  readonly attempt: number
  readonly startedAt: string
  /** Where the step tells of itself, for whoever finishes it. */
  readonly sessionPath: string
  readonly ledgerPath: string
  /** The process group of the command that runs, as the system can find it again. */
  readonly group?: JsonObject
  /** Decided, and being carried out. */
  readonly outcome?: StepOutcome
}

export const printJournal = (journal: StepJournal): string =>
  printArtifact({ schema: 1, journalKind, ...journal })

export function readJournal(value: Json, path: string): StepJournal {
  const name: ArtifactName = { noun: 'step journal', path }
  const raw = artifactIn(value, name, { kindField: 'journalKind', kind: journalKind })
  for (const field of ['stepId', 'workerId', 'issueId', 'leaseId', 'sessionPath', 'ledgerPath'])
    textIn(raw, field, name)
  timeIn(raw, 'startedAt', name)
  for (const field of ['fence', 'attempt']) {
    if (!Number.isSafeInteger(raw[field])) throw badArtifact(name, `${field} is not a number`)
  }
  const { schema: _schema, journalKind: _kind, ...journal } = raw
  // Ours alone writes it, whole or not at all: what is inside an outcome is as we left it.
  return journal as unknown as StepJournal
}
