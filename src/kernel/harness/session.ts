/**
 * The handoff session that one context leaves for the next (HARNESS-RUNTIME §4). It grants no
 * authority.
 */

import { HeldLease, Session, type sessionStates } from '../../wire/harness/session.ts'
import { Flaw, shaped } from '../artifact/flaw.ts'
import { printDocument } from '../artifact/print.ts'
import type { Json } from '../json.ts'
import { lowerAscii } from '../text/clean.ts'
import {
  isSameWork,
  readArtifact,
  replaced,
  replacedRefs,
  secondOf,
  wholeText,
} from './artifact.ts'

export const sessionNoun = 'harness session'
export const sessionPathDefault = '.premath/harness_session.json'

export const readSession = (value: Json, path: string): Session =>
  readArtifact(Session, value, { noun: sessionNoun, path })

export const printSession = (session: Session): string => printDocument(Session, session)

/** A change of a session. Omitted members stay, except refs when the issue changes. */
export interface SessionWrite {
  readonly sessionId?: string | undefined
  readonly state: (typeof sessionStates)[number]
  /** An empty text clears the member, here and below. */
  readonly issueId?: string | undefined
  readonly summary?: string | undefined
  readonly nextStep?: string | undefined
  /** A list replaces the old one. An empty list or a list of empty texts clears it. */
  readonly instructionRefs?: readonly string[] | undefined
  readonly witnessRefs?: readonly string[] | undefined
  readonly lineageRefs?: readonly string[] | undefined
  readonly issuesPath: string
  readonly issuesSnapshotRef: string | undefined
  /** Proves that the worker of the session holds the issue. A stopped session has none. */
  readonly lease?: HeldLease | undefined
}

export function leaseIn({ premathLease }: Session): HeldLease | undefined {
  const lease = shaped(HeldLease, premathLease)
  return lease instanceof Flaw ? undefined : lease
}

export function writeSession(
  before: Session | undefined,
  write: SessionWrite,
  now: bigint,
): Session {
  const at = secondOf(now)
  const issueId = replaced(write.issueId, before?.issueId)
  const kept = isSameWork(before?.issueId, issueId) ? before : undefined
  return {
    ...before,
    schema: 1,
    sessionKind: 'premath.harness.session.v1',
    sessionId:
      wholeText(write.sessionId ?? '') || (before?.sessionId ?? newSessionId(issueId, now)),
    state: write.state,
    issueId,
    summary: replaced(write.summary, before?.summary),
    nextStep: replaced(write.nextStep, before?.nextStep),
    instructionRefs: replacedRefs(write.instructionRefs, kept?.instructionRefs),
    witnessRefs: replacedRefs(write.witnessRefs, kept?.witnessRefs),
    lineageRefs: replacedRefs(write.lineageRefs, kept?.lineageRefs),
    startedAt: before?.startedAt ?? at,
    updatedAt: at,
    stoppedAt: write.state === 'stopped' ? at : undefined,
    issuesPath: wholeText(write.issuesPath),
    issuesSnapshotRef: write.issuesSnapshotRef,
    premathLease: write.lease ?? (write.state === 'stopped' ? undefined : before?.premathLease),
  }
}

/** Such as `hs1_20260222T000000Z_bd-1`. */
export function newSessionId(issueId: string | undefined, now: bigint): string {
  const stamp = secondOf(now).replace(/[-:]/g, '')
  return issueId === undefined ? `hs1_${stamp}` : `hs1_${stamp}_${sessionWord(issueId)}`
}

function sessionWord(text: string): string {
  const word = lowerAscii(text).replace(/[^a-z0-9_-]/gu, '_')
  return word.replace(/^_+|_+$/g, '') || 'session'
}
