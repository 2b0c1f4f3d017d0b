/** Derives the two states that decide a join: open calls, and complete context. */
import type { ContextState, Evidence, JoinState, PolicyRow } from '../turn.ts'

export function joinStateOf({ requests, results, uses }: Evidence): JoinState {
  const requestedCallIds = callIds(requests)
  const resultCallIds = callIds(results)
  const usedCallIds = callIds(uses)
  const missingResultCallIds = without(requestedCallIds, resultCallIds)
  const orphanResultCallIds = without(resultCallIds, requestedCallIds)
  const missingUseCallIds = without(resultCallIds, usedCallIds)
  const unknownUseCallIds = without(usedCallIds, resultCallIds)
  const joinClosed =
    missingResultCallIds.length === 0 &&
    orphanResultCallIds.length === 0 &&
    missingUseCallIds.length === 0 &&
    unknownUseCallIds.length === 0
  return {
    requestedCallIds,
    resultCallIds,
    usedCallIds,
    missingResultCallIds,
    orphanResultCallIds,
    missingUseCallIds,
    unknownUseCallIds,
    joinClosed,
  }
}

export function contextStateOf(evidence: Evidence, joinState: JoinState): ContextState {
  const { callSpec, renders, queues, views, protocolState } = evidence
  const renderCallIds = callIds(renders)
  const missingRenderCallIds = without(joinState.resultCallIds, renderCallIds)
  const queueReductionPresent = queues.length > 0
  const stateViewPresent = views.length > 0
  const renderPolicyValid = allUnder(callSpec.toolRenderProtocolDigest, renders)
  const queuePolicyValid = allUnder(callSpec.reminderQueuePolicyDigest, queues)
  const stateViewPolicyValid = allUnder(callSpec.stateViewPolicyDigest, views)
  const complete =
    missingRenderCallIds.length === 0 &&
    queueReductionPresent &&
    stateViewPresent &&
    renderPolicyValid &&
    queuePolicyValid &&
    stateViewPolicyValid
  return {
    renderCallIds,
    queueIds: unique(queues.map(row => row.queueId)),
    stateViewIds: unique(views.map(row => row.viewId)),
    missingRenderCallIds,
    queueReductionPresent,
    stateViewPresent,
    renderPolicyValid,
    queuePolicyValid,
    stateViewPolicyValid,
    continuationContextReady: protocolState.continuationAllowed !== true || complete,
  }
}

const callIds = (rows: readonly { readonly toolCallId: string }[]) =>
  unique(rows.map(row => row.toolCallId))

/** Removes duplicates from sorted ids. Only conflicting rows share an id. */
const unique = (ids: readonly string[]) => ids.filter((id, at) => at === 0 || ids[at - 1] !== id)

function without(these: readonly string[], those: readonly string[]): readonly string[] {
  if (these.length === those.length && these.every((id, at) => id === those[at])) return []
  const known = new Set(those)
  return these.filter(id => !known.has(id))
}

const allUnder = (digest: string | undefined, rows: readonly PolicyRow[]) =>
  rows.every(row => row.policyDigest !== undefined && row.policyDigest === digest)
