/**
 * The handoff session that one context leaves for the next (HARNESS-RUNTIME §4). It grants no
 * authority.
 */

import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { lowerAscii } from '../text/clean.ts'
import {
  type ArtifactName,
  artifactIn,
  badArtifact,
  filled,
  isSameWork,
  listed,
  optionalIn,
  optionalTimeIn,
  othersIn,
  printArtifact,
  refsIn,
  replaced,
  replacedRefs,
  secondOf,
  textIn,
  timeIn,
  wholeText,
} from './artifact.ts'

export const sessionKind = 'premath.harness.session.v1'
export const sessionNoun = 'harness session'
export const sessionPathDefault = '.premath/harness_session.json'

export type SessionState = 'active' | 'stopped'
export const sessionStates = ['active', 'stopped'] as const

export interface Session {
  readonly sessionId: string
  readonly state: SessionState
  readonly issueId: string | undefined
  readonly summary: string | undefined
  readonly nextStep: string | undefined
  readonly instructionRefs: readonly string[]
  readonly witnessRefs: readonly string[]
  readonly lineageRefs: readonly string[]
  readonly startedAt: string
  readonly updatedAt: string
  readonly stoppedAt: string | undefined
  readonly issuesPath: string | undefined
  readonly issuesSnapshotRef: string | undefined
  readonly others: JsonObject
}

const members = [
  'schema',
  'sessionKind',
  'sessionId',
  'state',
  'issueId',
  'summary',
  'nextStep',
  'instructionRefs',
  'witnessRefs',
  'lineageRefs',
  'startedAt',
  'updatedAt',
  'stoppedAt',
  'issuesPath',
  'issuesSnapshotRef',
] as const

const knownMembers: ReadonlySet<string> = new Set(members)

export function readSession(value: Json, path: string): Session {
  const name: ArtifactName = { noun: sessionNoun, path }
  const raw = artifactIn(value, name, { kindField: 'sessionKind', kind: sessionKind })
  const state = sessionStates.find(known => known === raw['state'])
  if (state === undefined) throw badArtifact(name, 'its state is neither active nor stopped')
  return {
    sessionId: textIn(raw, 'sessionId', name),
    state,
    issueId: optionalIn(raw, 'issueId', name),
    summary: optionalIn(raw, 'summary', name),
    nextStep: optionalIn(raw, 'nextStep', name),
    instructionRefs: refsIn(raw, 'instructionRefs', name),
    witnessRefs: refsIn(raw, 'witnessRefs', name),
    lineageRefs: refsIn(raw, 'lineageRefs', name),
    startedAt: timeIn(raw, 'startedAt', name),
    updatedAt: timeIn(raw, 'updatedAt', name),
    stoppedAt: optionalTimeIn(raw, 'stoppedAt', name),
    issuesPath: optionalIn(raw, 'issuesPath', name),
    issuesSnapshotRef: optionalIn(raw, 'issuesSnapshotRef', name),
    others: othersIn(raw, knownMembers),
  }
}

/** A change of a session. Omitted members stay, except refs when the issue changes. */
export interface SessionWrite {
  readonly sessionId?: string | undefined
  readonly state: SessionState
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

export interface HeldLease {
  readonly leaseId: string
  readonly fence: number
}

const leaseMember = 'premathLease'

export function leaseIn({ others }: Session): HeldLease | undefined {
  const lease = others[leaseMember]
  if (!isJsonObject(lease)) return undefined
  const { leaseId, fence } = lease as { readonly leaseId?: Json; readonly fence?: Json }
  return typeof leaseId === 'string' && typeof fence === 'number' ? { leaseId, fence } : undefined
}

function othersAfter(before: Session | undefined, { state, lease }: SessionWrite): JsonObject {
  const { [leaseMember]: held, ...rest } = before?.others ?? {}
  if (lease) return { ...rest, [leaseMember]: { ...lease } }
  return held === undefined || state === 'stopped' ? rest : { ...rest, [leaseMember]: held }
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
    issuesPath: wholeText(write.issuesPath) || undefined,
    issuesSnapshotRef: write.issuesSnapshotRef,
    others: othersAfter(before, write),
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

/**
 * The document for the file, with members in a fixed order. Members without a value are omitted.
 */
export function sessionDocument(session: Session): JsonObject {
  const { others, ...own } = session
  const document = {
    ...own,
    schema: 1,
    sessionKind,
    instructionRefs: listed(own.instructionRefs),
    witnessRefs: listed(own.witnessRefs),
    lineageRefs: listed(own.lineageRefs),
    issuesPath: own.issuesPath ?? '',
  }
  const inOrder = members.map(field => [field, document[field]] as const)
  return { ...filled(Object.fromEntries(inOrder)), ...others }
}

export const printSession = (session: Session) => printArtifact(sessionDocument(session))
