/** The bootstrap payload for a fresh context (HARNESS-RUNTIME §4). */
import type { Bootstrap } from '../../wire/harness/bootstrap.ts'
import type { Session } from '../../wire/harness/session.ts'
import { trim } from '../text/clean.ts'
import type { FeatureProjection } from './feature-ledger.ts'

export function bootstrapFrom(
  session: Session | undefined,
  features: FeatureProjection | undefined,
  { sessionRef, featureLedgerRef }: Pick<Bootstrap, 'sessionRef' | 'featureLedgerRef'>,
): Omit<Bootstrap, 'action'> {
  return {
    bootstrapKind: 'premath.harness.bootstrap.v1',
    featureClosureComplete: features?.closureComplete ?? null,
    featureCount: features?.featureCount ?? null,
    featureLedgerRef,
    instructionRefs: session?.instructionRefs ?? [],
    issuesPath: trim(session?.issuesPath ?? '') || null,
    issuesSnapshotRef: session?.issuesSnapshotRef ?? null,
    lineageRefs: session?.lineageRefs ?? [],
    mode: modeOf(session),
    nextFeatureId: features?.nextFeatureId ?? null,
    nextStep: session?.nextStep ?? null,
    resumeIssueId: session?.issueId ?? null,
    sessionId: session?.sessionId ?? null,
    sessionRef,
    startedAt: session?.startedAt ?? null,
    stoppedAt: session?.stoppedAt ?? null,
    summary: session?.summary ?? null,
    updatedAt: session?.updatedAt ?? null,
    witnessRefs: session?.witnessRefs ?? [],
  }
}

function modeOf(session: Session | undefined): Bootstrap['mode'] {
  if (!session) return 'fresh'
  return session.state === 'stopped' ? 'resume' : 'attach'
}
