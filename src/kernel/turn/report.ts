/**
 * The answer of `harness-join-check`, in the earlier implementation's shape and with our additions.
 * Members stand in code-point order, so that most reports are canonical as `JSON.stringify`
 * prints them. A list without items and a value that could not be read are left out.
 */
import type { JoinReport } from '../../wire/turn/join-report.ts'
import { canonicalJson, type Sha256 } from '../canonical.ts'
import type { Json } from '../json.ts'
import type { Join } from './join.ts'
import { unverifiedBindings } from './policy-document.ts'
import type { Turn } from './turn.ts'
import { witnessDigest } from './witness.ts'

type Normalized = JoinReport['normalized']
type Witness = JoinReport['witness']

/** `line` is the line of a stream that the turn was read from. */
export function joinReport(turn: Turn, join: Join, sha256: Sha256, line?: number): JoinReport {
  return {
    action: 'harness-join-check',
    failureClasses: join.failureClasses,
    findings: join.findings,
    ignoredKeys: turn.ignoredKeys,
    joinClosed: join.joinClosed,
    line,
    mutationReady: join.mutationReady,
    normalized: normalized(turn),
    result: join.joinClosed ? 'accepted' : 'rejected',
    unmetDemands: join.unmet,
    unverifiedBindings: unverifiedBindings(turn),
    witness: {
      digests: turn.digests,
      joinInput: joinInput(turn),
      mutationInput: mutationInput(turn),
      schema: 1,
      witnessKind: 'premath.harness.join_check.v1',
    },
    witnessDigest: witnessDigest(turn, join, sha256),
  }
}

/** The report as one line of canonical JSON. */
export function printReport(turn: Turn, join: Join, sha256: Sha256, line?: number): string {
  const report = joinReport(turn, join, sha256, line)
  return turn.isPlain ? JSON.stringify(report) : canonicalJson(report as Json)
}

const listed = <T>(items: readonly T[]) => (items.length === 0 ? undefined : items)

function normalized(turn: Turn): Normalized {
  return {
    callSpec: turn.callSpec,
    contextState: contextState(turn),
    digests: turn.digests,
    extension: turn.digests.extensionSetDigest && turn.extension,
    handoff: turn.handoff,
    joinState: joinState(turn),
    kind: 'premath.harness.typestate_normalized.v1',
    protocolState: turn.protocolState,
    reminderQueue: listed(turn.queues),
    schema: 1,
    sessionRefs: listed(turn.sessionRefs),
    stateViews: listed(turn.views),
    toolRender: listed(turn.renders),
    toolRequests: listed(turn.requests),
    toolResults: listed(turn.results),
    toolUse: listed(turn.uses),
    trajectoryRefs: listed(turn.trajectoryRefs),
  }
}

function contextState({ contextState: state }: Turn): Normalized['contextState'] {
  return {
    continuationContextReady: state.continuationContextReady,
    missingRenderCallIds: listed(state.missingRenderCallIds),
    queueIds: listed(state.queueIds),
    queuePolicyValid: state.queuePolicyValid,
    queueReductionPresent: state.queueReductionPresent,
    renderCallIds: listed(state.renderCallIds),
    renderPolicyValid: state.renderPolicyValid,
    stateViewIds: listed(state.stateViewIds),
    stateViewPolicyValid: state.stateViewPolicyValid,
    stateViewPresent: state.stateViewPresent,
  }
}

function joinState({ joinState: state }: Turn): Normalized['joinState'] {
  return {
    joinClosed: state.joinClosed,
    missingResultCallIds: listed(state.missingResultCallIds),
    missingUseCallIds: listed(state.missingUseCallIds),
    orphanResultCallIds: listed(state.orphanResultCallIds),
    requestedCallIds: listed(state.requestedCallIds),
    resultCallIds: listed(state.resultCallIds),
    unknownUseCallIds: listed(state.unknownUseCallIds),
    usedCallIds: listed(state.usedCallIds),
  }
}

function joinInput({ callSpec, contextState, digests, joinState }: Turn): Witness['joinInput'] {
  return {
    continuationContextReady: contextState.continuationContextReady,
    decompositionPolicyDigest: callSpec.decompositionPolicyDigest,
    extensionSetDigest: digests.extensionSetDigest,
    handoffDigest: digests.handoffDigest,
    joinClosed: joinState.joinClosed,
    joinSetDigest: digests.joinSetDigest,
    missingRenderCallIds: listed(contextState.missingRenderCallIds),
    missingResultCallIds: listed(joinState.missingResultCallIds),
    missingUseCallIds: listed(joinState.missingUseCallIds),
    orphanResultCallIds: listed(joinState.orphanResultCallIds),
    protocolStateDigest: digests.protocolStateDigest,
    queuePolicyValid: contextState.queuePolicyValid,
    queueReductionPresent: contextState.queueReductionPresent,
    reminderQueuePolicyDigest: callSpec.reminderQueuePolicyDigest,
    reminderQueueSetDigest: digests.reminderQueueSetDigest,
    renderPolicyValid: contextState.renderPolicyValid,
    requestSetDigest: digests.requestSetDigest,
    resultSetDigest: digests.resultSetDigest,
    stateViewPolicyDigest: callSpec.stateViewPolicyDigest,
    stateViewPolicyValid: contextState.stateViewPolicyValid,
    stateViewPresent: contextState.stateViewPresent,
    stateViewSetDigest: digests.stateViewSetDigest,
    toolRenderProtocolDigest: callSpec.toolRenderProtocolDigest,
    toolRenderSetDigest: digests.toolRenderSetDigest,
    unknownUseCallIds: listed(joinState.unknownUseCallIds),
    useSetDigest: digests.useSetDigest,
  }
}

function mutationInput(turn: Turn): Witness['mutationInput'] {
  const { callSpec, contextState, joinState, protocolState } = turn
  return {
    continuationAllowed: protocolState.continuationAllowed,
    continuationContextReady: contextState.continuationContextReady,
    governancePolicyDigest: callSpec.governancePolicyDigest,
    joinClosed: joinState.joinClosed,
    missingRenderCallIds: listed(contextState.missingRenderCallIds),
    missingResultCallIds: listed(joinState.missingResultCallIds),
    missingUseCallIds: listed(joinState.missingUseCallIds),
    mutationPolicyDigest: callSpec.mutationPolicyDigest,
    normalizerId: callSpec.normalizerId,
    orphanResultCallIds: listed(joinState.orphanResultCallIds),
    queuePolicyValid: contextState.queuePolicyValid,
    queueReductionPresent: contextState.queueReductionPresent,
    renderPolicyValid: contextState.renderPolicyValid,
    sessionRefs: listed(turn.sessionRefs),
    stateViewPolicyValid: contextState.stateViewPolicyValid,
    stateViewPresent: contextState.stateViewPresent,
    trajectoryRefs: listed(turn.trajectoryRefs),
    unknownUseCallIds: listed(joinState.unknownUseCallIds),
  }
}
