/**
 * The journal of a step, written before each action, so that a recovery knows what is left to do
 * and what must not be repeated.
 */
import type { Json, JsonObject } from '../../json.ts'
import type { ProvenDocument } from '../../proof/close-proof.ts'
import { type ArtifactName, artifactIn, badArtifact, textIn, timeIn } from '../artifact.ts'
import type { SentTerms } from '../relocation/relocation.ts'
import type { RetryDecision } from '../retry/retry-decision.ts'
import { stepIdOf } from './step-id.ts'
import type { StepCommand, StepTurn } from './step-row.ts'

export const journalKind = 'premath.harness.step_journal.v1'

/** The change of the issue. */
export const stepChanges = ['close', 'release', 'block', 'discover', 'keep'] as const
export type StepChange = (typeof stepChanges)[number]

/** The proof that the issue is done, and where it is stored. */
export interface FoundProof {
  /** The project folder in the worktree whose tree is proven. */
  readonly folder: string
  readonly treeDigest: string
  /** The specs that the issue named then, and their documents. */
  readonly specs: readonly string[]
  readonly documents: readonly ProvenDocument[]
  readonly witnesses: readonly string[]
  /** Set after a relocation: the issue and policy that the location checked. */
  readonly sent?: SentTerms | undefined
}

export interface StepOutcome {
  readonly change: StepChange
  readonly resultClass: string
  readonly failureClasses: readonly string[]
  /** The reason, for people. */
  readonly summary: string
  readonly finishedAt: string
  readonly durationMs: number
  readonly commands: readonly StepCommand[]
  readonly turn?: StepTurn
  readonly witnessRefs: readonly string[]
  /** The path of the verdict on the step's own turn. */
  readonly joinWitness?: string
  /** Set if the issue is to be closed. */
  readonly proof?: FoundProof
  /** Set if the attempt failed. */
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
  /** The session and ledger of the step, for a recovery. */
  readonly sessionPath: string
  readonly ledgerPath: string
  /** The process group of the running command, so that a recovery can end it. */
  readonly group?: JsonObject
  /** Set once the result is decided and is being applied. */
  readonly outcome?: StepOutcome
}

/** The entry before a claim. */
export interface ClaimJournal {
  readonly workerId: string
  /** The issues that the worker holds before the claim. Any other lease is new. */
  readonly held: readonly HeldIssue[]
  readonly startedAt: string
  readonly sessionPath: string
  readonly ledgerPath: string
  /** The process group of the startup command. */
  readonly group?: JsonObject
}

export interface HeldIssue {
  readonly issueId: string
  readonly fence: number
}

export type Journal = StepJournal | ClaimJournal

export const isStepJournal = (journal: Journal): journal is StepJournal => 'stepId' in journal

/** The journal of a step that crashed between its claim and its first entry. */
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
  // Only premath writes this file, so the members of an outcome are not checked again.
  return journal as unknown as Journal
}
