/** The bootstrap payload for a fresh context (HARNESS-RUNTIME §4). */

import type { Session } from '../../wire/harness/session.ts'
import { trim } from '../text/clean.ts'
import type { FeatureProjection } from './feature-ledger.ts'

const bootstrapKind = 'premath.harness.bootstrap.v1'

/** `fresh`: no session exists. */
type BootstrapMode = 'fresh' | 'resume' | 'attach'

interface BootstrapRefs {
  readonly sessionRef: string
  readonly featureLedgerRef: string
}

export function bootstrapFrom(
  session: Session | undefined,
  features: FeatureProjection | undefined,
  { sessionRef, featureLedgerRef }: BootstrapRefs,
) {
  return {
    bootstrapKind,
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

function modeOf(session: Session | undefined): BootstrapMode {
  if (!session) return 'fresh'
  return session.state === 'stopped' ? 'resume' : 'attach'
}
