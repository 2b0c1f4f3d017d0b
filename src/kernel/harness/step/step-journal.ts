/**
 * The journal of a step, written before each action, so that a recovery knows what is left to do
 * and what must not be repeated.
 */
import {
  type ClaimJournal,
  ClaimUnderWay,
  type HeldIssue,
  type StepJournal,
  StepUnderWay,
} from '../../../wire/harness/step-journal.ts'
import { Flaw, shaped } from '../../artifact/flaw.ts'
import { isJsonObject, type Json } from '../../json.ts'
import { badArtifact } from '../artifact.ts'
import { stepIdOf } from './step-id.ts'

export type Journal = StepJournal | ClaimJournal

export const isStepJournal = (journal: Journal): journal is StepJournal => 'stepId' in journal

/** The journal of a step that crashed between its claim and its first entry. */
export const stepAfterClaim = (
  { workerId, startedAt, sessionPath, ledgerPath }: ClaimJournal,
  { issueId, fence }: HeldIssue,
  { leaseId, attempt }: Pick<StepJournal, 'leaseId' | 'attempt'>,
): StepJournal => ({
  stepId: stepIdOf(workerId, issueId, fence, attempt),
  workerId,
  issueId,
  leaseId,
  fence,
  attempt,
  startedAt,
  sessionPath,
  ledgerPath,
})

export const printJournal = (journal: Journal): string =>
  `${JSON.stringify({ schema: 1, journalKind: 'premath.harness.step_journal.v1', ...journal })}\n`

export function readJournal(value: Json, path: string): Journal {
  const isStep = isJsonObject(value) && value['stepId'] !== undefined
  const line = shaped(isStep ? StepUnderWay : ClaimUnderWay, value)
  if (line instanceof Flaw) throw badArtifact({ noun: 'step journal', path }, String(line))
  const { schema: _schema, journalKind: _kind, ...journal } = line
  return journal
}
