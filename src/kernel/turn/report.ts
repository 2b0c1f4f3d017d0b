/**
 * What `harness-join-check` answers, in the earlier implementation's shape and beyond it. It is
 * composed as canonical text, because most of it was printed already to be digested; members stand
 * in code-point order, and the first of each object is always there.
 */
import type { JoinReport } from '../../wire/turn/join-report.ts'
import type { Sha256 } from '../canonical.ts'
import { parseJson } from '../json.ts'
import type { Join } from './join.ts'
import { unverifiedBindings } from './policy-document.ts'
import type { Digests, Turn } from './turn.ts'
import { witnessDigest } from './witness.ts'

/** The report as a value. */
export function joinReport(turn: Turn, join: Join, sha256: Sha256): JoinReport {
  return parseJson(printReport(turn, join, sha256), {
    numbersAreCanonical: true,
  }) as unknown as JoinReport
}

/** The report as one line of canonical JSON. */
export function printReport(turn: Turn, join: Join, sha256: Sha256, line?: number): string {
  const digests = printDigests(turn.digests)
  return (
    `{"action":"harness-join-check","failureClasses":${JSON.stringify(join.failureClasses)}` +
    `,"findings":${JSON.stringify(join.findings)}` +
    `,"ignoredKeys":${JSON.stringify(turn.ignoredKeys)}` +
    `,"joinClosed":${join.joinClosed}${line === undefined ? '' : `,"line":${line}`}` +
    `,"mutationReady":${join.mutationReady},"normalized":${printNormalized(turn, digests)}` +
    `,"result":"${join.joinClosed ? 'accepted' : 'rejected'}"` +
    `,"unmetDemands":${JSON.stringify(join.unmet)}` +
    `,"unverifiedBindings":${JSON.stringify(unverifiedBindings(turn))}` +
    `,"witness":{"digests":${digests},"joinInput":${printJoinInput(turn)}` +
    `,"mutationInput":${printMutationInput(turn)},"schema":1` +
    `,"witnessKind":"premath.harness.join_check.v1"}` +
    `,"witnessDigest":"${witnessDigest(turn, join, sha256)}"}`
  )
}

/** A member that is left out when its list is empty. */
const list = (name: string, items: readonly string[]) =>
  items.length === 0 ? '' : `,"${name}":${JSON.stringify(items)}`

/** A member that is left out when its value could not be read. */
const text = (name: string, value: string | undefined) =>
  value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`

/** A member whose text is known; an absent or empty set is left out. */
const printed = (name: string, set: string | undefined) =>
  set === undefined || set === '[]' ? '' : `,"${name}":${set}`

function printDigests(digests: Digests): string {
  return (
    `{"callSpecDigest":"${digests.callSpecDigest}"` +
    text('extensionSetDigest', digests.extensionSetDigest) +
    text('handoffDigest', digests.handoffDigest) +
    `,"joinSetDigest":"${digests.joinSetDigest}"` +
    `,"protocolStateDigest":"${digests.protocolStateDigest}"` +
    `,"reminderQueueSetDigest":"${digests.reminderQueueSetDigest}"` +
    `,"requestSetDigest":"${digests.requestSetDigest}"` +
    `,"resultSetDigest":"${digests.resultSetDigest}"` +
    `,"stateViewSetDigest":"${digests.stateViewSetDigest}"` +
    `,"toolRenderSetDigest":"${digests.toolRenderSetDigest}"` +
    `,"useSetDigest":"${digests.useSetDigest}"}`
  )
}

function printNormalized(turn: Turn, digests: string): string {
  const { texts } = turn
  return (
    `{"callSpec":${texts.callSpec},"contextState":${printContextState(turn)}` +
    `,"digests":${digests}` +
    printed('extension', texts.extension) +
    printed('handoff', texts.handoff) +
    `,"joinState":${printJoinState(turn)},"kind":"premath.harness.typestate_normalized.v1"` +
    `,"protocolState":${texts.protocolState}` +
    printed('reminderQueue', texts.queues) +
    ',"schema":1' +
    list('sessionRefs', turn.sessionRefs) +
    printed('stateViews', texts.views) +
    printed('toolRender', texts.renders) +
    printed('toolRequests', texts.requests) +
    printed('toolResults', texts.results) +
    printed('toolUse', texts.uses) +
    `${list('trajectoryRefs', turn.trajectoryRefs)}}`
  )
}

function printContextState({ contextState }: Turn): string {
  return (
    `{"continuationContextReady":${contextState.continuationContextReady}` +
    list('missingRenderCallIds', contextState.missingRenderCallIds) +
    list('queueIds', contextState.queueIds) +
    `,"queuePolicyValid":${contextState.queuePolicyValid}` +
    `,"queueReductionPresent":${contextState.queueReductionPresent}` +
    list('renderCallIds', contextState.renderCallIds) +
    `,"renderPolicyValid":${contextState.renderPolicyValid}` +
    list('stateViewIds', contextState.stateViewIds) +
    `,"stateViewPolicyValid":${contextState.stateViewPolicyValid}` +
    `,"stateViewPresent":${contextState.stateViewPresent}}`
  )
}

function printJoinState({ joinState }: Turn): string {
  return (
    `{"joinClosed":${joinState.joinClosed}` +
    list('missingResultCallIds', joinState.missingResultCallIds) +
    list('missingUseCallIds', joinState.missingUseCallIds) +
    list('orphanResultCallIds', joinState.orphanResultCallIds) +
    list('requestedCallIds', joinState.requestedCallIds) +
    list('resultCallIds', joinState.resultCallIds) +
    list('unknownUseCallIds', joinState.unknownUseCallIds) +
    `${list('usedCallIds', joinState.usedCallIds)}}`
  )
}

function printJoinInput({ callSpec, contextState, digests, joinState }: Turn): string {
  return (
    `{"continuationContextReady":${contextState.continuationContextReady}` +
    text('decompositionPolicyDigest', callSpec.decompositionPolicyDigest) +
    text('extensionSetDigest', digests.extensionSetDigest) +
    text('handoffDigest', digests.handoffDigest) +
    `,"joinClosed":${joinState.joinClosed},"joinSetDigest":"${digests.joinSetDigest}"` +
    list('missingRenderCallIds', contextState.missingRenderCallIds) +
    list('missingResultCallIds', joinState.missingResultCallIds) +
    list('missingUseCallIds', joinState.missingUseCallIds) +
    list('orphanResultCallIds', joinState.orphanResultCallIds) +
    `,"protocolStateDigest":"${digests.protocolStateDigest}"` +
    `,"queuePolicyValid":${contextState.queuePolicyValid}` +
    `,"queueReductionPresent":${contextState.queueReductionPresent}` +
    text('reminderQueuePolicyDigest', callSpec.reminderQueuePolicyDigest) +
    `,"reminderQueueSetDigest":"${digests.reminderQueueSetDigest}"` +
    `,"renderPolicyValid":${contextState.renderPolicyValid}` +
    `,"requestSetDigest":"${digests.requestSetDigest}"` +
    `,"resultSetDigest":"${digests.resultSetDigest}"` +
    text('stateViewPolicyDigest', callSpec.stateViewPolicyDigest) +
    `,"stateViewPolicyValid":${contextState.stateViewPolicyValid}` +
    `,"stateViewPresent":${contextState.stateViewPresent}` +
    `,"stateViewSetDigest":"${digests.stateViewSetDigest}"` +
    text('toolRenderProtocolDigest', callSpec.toolRenderProtocolDigest) +
    `,"toolRenderSetDigest":"${digests.toolRenderSetDigest}"` +
    list('unknownUseCallIds', joinState.unknownUseCallIds) +
    `,"useSetDigest":"${digests.useSetDigest}"}`
  )
}

function printMutationInput(turn: Turn): string {
  const { callSpec, contextState, joinState, protocolState } = turn
  return (
    `{"continuationAllowed":${protocolState.continuationAllowed === true}` +
    `,"continuationContextReady":${contextState.continuationContextReady}` +
    text('governancePolicyDigest', callSpec.governancePolicyDigest) +
    `,"joinClosed":${joinState.joinClosed}` +
    list('missingRenderCallIds', contextState.missingRenderCallIds) +
    list('missingResultCallIds', joinState.missingResultCallIds) +
    list('missingUseCallIds', joinState.missingUseCallIds) +
    text('mutationPolicyDigest', callSpec.mutationPolicyDigest) +
    text('normalizerId', callSpec.normalizerId) +
    list('orphanResultCallIds', joinState.orphanResultCallIds) +
    `,"queuePolicyValid":${contextState.queuePolicyValid}` +
    `,"queueReductionPresent":${contextState.queueReductionPresent}` +
    `,"renderPolicyValid":${contextState.renderPolicyValid}` +
    list('sessionRefs', turn.sessionRefs) +
    `,"stateViewPolicyValid":${contextState.stateViewPolicyValid}` +
    `,"stateViewPresent":${contextState.stateViewPresent}` +
    list('trajectoryRefs', turn.trajectoryRefs) +
    `${list('unknownUseCallIds', joinState.unknownUseCallIds)}}`
  )
}
