/** Binds each set of a turn by the digest of its canonical text. */
import { canonicalJson, type Digest, type Sha256 } from '../../canonical.ts'
import type { Json } from '../../json.ts'
import type { ContextState, Digests, Evidence, JoinState, Texts } from '../turn.ts'

/**
 * The canonical text of each set. Rows were read in canonical member order, so the native printer
 * suffices unless a value is `exotic`.
 */
export function textsOf(evidence: Evidence, exotic: boolean): Texts {
  const print = exotic ? (value: unknown) => canonicalJson(value as Json) : JSON.stringify
  const { extension, handoff } = evidence
  return {
    callSpec: print(evidence.callSpec),
    extension: isEmpty(extension) ? undefined : print(extension),
    handoff: handoff && print(handoff),
    protocolState: print(evidence.protocolState),
    queues: print(evidence.queues),
    renders: print(evidence.renders),
    requests: print(evidence.requests),
    results: print(evidence.results),
    uses: print(evidence.uses),
    views: print(evidence.views),
  }
}

function isEmpty(object: object): boolean {
  for (const _member in object) return false
  return true
}

export function digestsOf(
  texts: Texts,
  joinState: JoinState,
  contextState: ContextState,
  sha256: Sha256,
): Digests {
  const digest = (text: string): Digest => `sha256:${sha256(text)}`
  const { extension, handoff } = texts
  // Members in canonical order. `joinSetDigest` covers the others.
  const sets: Digests = {
    callSpecDigest: digest(texts.callSpec),
    extensionSetDigest: extension === undefined ? undefined : digest(extension),
    handoffDigest: handoff === undefined ? undefined : digest(handoff),
    joinSetDigest: 'sha256:',
    protocolStateDigest: digest(texts.protocolState),
    reminderQueueSetDigest: digest(texts.queues),
    requestSetDigest: digest(texts.requests),
    resultSetDigest: digest(texts.results),
    stateViewSetDigest: digest(texts.views),
    toolRenderSetDigest: digest(texts.renders),
    useSetDigest: digest(texts.uses),
  }
  const joinSetDigest = digest(JSON.stringify(joinSet(sets, joinState, contextState)))
  return { ...sets, joinSetDigest }
}

/**
 * The keys of the earlier implementation in canonical order, plus extension keys that are present.
 */
function joinSet(sets: Digests, joinState: JoinState, contextState: ContextState) {
  return {
    continuationContextReady: contextState.continuationContextReady,
    extensionSetDigest: sets.extensionSetDigest,
    handoffDigest: sets.handoffDigest ?? null,
    missingRenderCallIds: contextState.missingRenderCallIds,
    missingResultCallIds: joinState.missingResultCallIds,
    missingUseCallIds: joinState.missingUseCallIds,
    orphanResultCallIds: joinState.orphanResultCallIds,
    protocolStateDigest: sets.protocolStateDigest,
    queueIds: contextState.queueIds,
    queuePolicyValid: contextState.queuePolicyValid,
    queueReductionPresent: contextState.queueReductionPresent,
    reminderQueueSetDigest: sets.reminderQueueSetDigest,
    renderCallIds: contextState.renderCallIds,
    renderPolicyValid: contextState.renderPolicyValid,
    requestSetDigest: sets.requestSetDigest,
    requestedCallIds: joinState.requestedCallIds,
    resultCallIds: joinState.resultCallIds,
    resultSetDigest: sets.resultSetDigest,
    stateViewIds: contextState.stateViewIds,
    stateViewPolicyValid: contextState.stateViewPolicyValid,
    stateViewPresent: contextState.stateViewPresent,
    stateViewSetDigest: sets.stateViewSetDigest,
    toolRenderSetDigest: sets.toolRenderSetDigest,
    unknownUseCallIds: joinState.unknownUseCallIds,
    useSetDigest: sets.useSetDigest,
    usedCallIds: joinState.usedCallIds,
  }
}
