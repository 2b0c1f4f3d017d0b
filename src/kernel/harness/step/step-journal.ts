/**
 * What a step was doing, written before it does it: whoever finds it after a crash knows what is
 * still to be done, and what must not be done twice.
 */
import type { Json, JsonObject } from '../../json.ts'
import type { ProvenDocument } from '../../proof/close-proof.ts'
import { type ArtifactName, artifactIn, badArtifact, textIn, timeIn } from '../artifact.ts'
import type { SentTerms } from '../relocation/relocation.ts'
import type { RetryDecision } from '../retry/retry-decision.ts'
import { stepIdOf } from './step-id.ts'
import type { StepCommand, StepTurn } from './step-row.ts'

export const journalKind = 'premath.harness.step_journal.v1'

/** What became of the issue, or is to become of it. */
export const stepChanges = ['close', 'release', 'block', 'discover', 'keep'] as const
export type StepChange = (typeof stepChanges)[number]

/** What showed that the issue is done, where it lies. */
export interface FoundProof {
  /** The project's folder in the worktree, which the tree is of. */
  readonly folder: string
  readonly treeDigest: string
  /** As the issue named them then, and what they said. */
  readonly specs: readonly string[]
  readonly documents: readonly ProvenDocument[]
  readonly witnesses: readonly string[]
  /** Where it was checked at another location too: what that was told of issue and policy. */
  readonly sent?: SentTerms | undefined
}

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
  /** Where the verdict on the step's own turn lies. */
  readonly joinWitness?: string
  /** Where the issue is to close. */
  readonly proof?: FoundProof
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

/** What comes before a step: an issue is about to be claimed. */
export interface ClaimJournal {
  readonly workerId: string
  /** What the worker holds already, each under its fence; anything else it holds later is new. */
  readonly held: readonly HeldIssue[]
  readonly startedAt: string
  readonly sessionPath: string
  readonly ledgerPath: string
  /** Of a command that runs before anything is claimed. */
  readonly group?: JsonObject
}

export interface HeldIssue {
  readonly issueId: string
  readonly fence: number
}

export type Journal = StepJournal | ClaimJournal

export const isStepJournal = (journal: Journal): journal is StepJournal => 'stepId' in journal

/** The step that a claim began, where it was cut off before it said so. */
export const stepAfterClaim = (
  { workerId, startedAt, sessionPath, ledgerPath }: ClaimJournal,
  { issueId, fence }: HeldIssue,
  leaseId: string,
): StepJournal => ({
  stepId: stepIdOf(workerId, issueId, fence, 1),
  workerId,
  issueId,
  leaseId,
  fence,
  attempt: 1,
  startedAt,
  sessionPath,
  ledgerPath,
})

/** One line. */
export const printJournal = (journal: Journal): string =>
  `${JSON.stringify({ schema: 1, journalKind, ...journal })}\n`

export function readJournal(value: Json, path: string): Journal {
  const name: ArtifactName = { noun: 'step journal', path }
  const raw = artifactIn(value, name, { kindField: 'journalKind', kind: journalKind })
  const isStep = raw['stepId'] !== undefined
  const ofStep = isStep ? ['stepId', 'issueId', 'leaseId'] : []
  for (const field of ['workerId', 'sessionPath', 'ledgerPath', ...ofStep]) textIn(raw, field, name)
  timeIn(raw, 'startedAt', name)
  for (const field of isStep ? ['fence', 'attempt'] : []) {
    if (!Number.isSafeInteger(raw[field])) throw badArtifact(name, `${field} is not a number`)
  }
  if (!isStep && !Array.isArray(raw['held'])) throw badArtifact(name, 'held is not a list')
  const { schema: _schema, journalKind: _kind, ...journal } = raw
  // Ours alone writes it, whole or not at all: what is inside an outcome is as we left it.
  return journal as unknown as Journal
}
