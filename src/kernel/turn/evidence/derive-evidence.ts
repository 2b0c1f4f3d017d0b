/**
 * Derives evidence from a transcript. Transcripts carry requests, results and messages. Use,
 * rendering and queueing of results are derived here, by one rule for every adapter and the loop.
 * Rows supplied by the host replace derived ones.
 */
import type { actionModes, executionPatterns } from '../../../wire/turn/turn-evidence.ts'
import { canonicalJson, type Digest, digestOf, type Sha256 } from '../../canonical.ts'
import type { Json, JsonObject } from '../../json.ts'

/** One call requested by the model. `seq` is its position in the transcript. */
export interface ObservedRequest {
  readonly toolCallId: string
  readonly toolName: string
  readonly seq: number
  readonly arguments?: Json
  /** Replaces the arguments if they must not be kept. */
  readonly argumentsDigest?: string
  readonly groupId?: string
  readonly parentToolCallId?: string
  readonly adapterProfile?: string
}

export interface ObservedResult {
  readonly toolCallId: string
  readonly seq: number
  /** The tool's result, as in the transcript. */
  readonly payload: Json
  /** The text shown to the model, and its position in the request. */
  readonly shown: string
  readonly injectionPoint: string
  readonly error?: {
    readonly errorCode: string
    readonly retryable: boolean
    readonly errorMessage: string
  }
}

/** A message the model wrote after the turn's calls. */
export interface ObservedMessage {
  readonly seq: number
  readonly thread: string
}

export interface ObservedTurn {
  readonly callId: string
  readonly modelRef: string
  readonly actionMode: (typeof actionModes)[number]
  readonly executionPattern: (typeof executionPatterns)[number]
  readonly normalizerId: string
  readonly thread: string
  readonly stopReason: string
  readonly requests: readonly ObservedRequest[]
  readonly results: readonly ObservedResult[]
  /** Messages of the model after the turn, in any thread. */
  readonly later: readonly ObservedMessage[]
  /** Calls of later turns. One that repeats a failed call is its retry. */
  readonly laterRequests: readonly ObservedRequest[]
  /** True if the transcript says that the turn is over. */
  readonly ended: boolean
  /** Discarded results by call, with the reason in the transcript. */
  readonly discarded: Readonly<Record<string, string>>
  /** Text the host injected between turns; may be empty. */
  readonly injected: string
  /** The rows before the turn. */
  readonly before: readonly Json[]
  readonly sessionRefs: readonly string[]
  readonly trajectoryRefs: readonly string[]
  /** The adapter's profile: the document behind every policy digest. */
  readonly profile: JsonObject
  /** Evidence supplied by the host, by key. It replaces derived evidence. */
  readonly supplied: JsonObject
}

const policyFields = [
  'mutationPolicyDigest',
  'governancePolicyDigest',
  'toolRenderProtocolDigest',
  'reminderQueuePolicyDigest',
  'stateViewPolicyDigest',
  'decompositionPolicyDigest',
] as const

/** Stop reasons that ask the host for another request. */
const continuing: readonly string[] = ['tool_use', 'pause_turn']

/** Returns an input for the gate. */
export function deriveEvidence(turn: ObservedTurn, sha256: Sha256): JsonObject {
  const profileDigest = digestOf(turn.profile, sha256)
  const derived = {
    callSpec: callSpecOf(turn, profileDigest),
    toolRequests: turn.requests.map(requestRow),
    toolResults: turn.results.map(resultRow),
    toolUse: turn.results.flatMap(result => useRow(turn, result)),
    protocolState: {
      stopReason: turn.stopReason,
      continuationAllowed: continuing.includes(turn.stopReason),
    },
    toolRender: turn.results.map(result => ({
      toolCallId: result.toolCallId,
      operatorPayloadDigest: digestOf(result.payload, sha256),
      reminderRenderDigest: `sha256:${sha256(result.shown)}`,
      injectionPoint: result.injectionPoint,
      policyDigest: profileDigest,
    })),
    reminderQueue: [
      {
        queueId: 'host/injected',
        reducedDigest: `sha256:${sha256(turn.injected)}`,
        policyDigest: profileDigest,
      },
    ],
    stateViews: [
      {
        viewId: 'transcript/before',
        viewDigest: digestOf(turn.before, sha256),
        policyDigest: profileDigest,
      },
    ],
    sessionRefs: turn.sessionRefs,
    trajectoryRefs: turn.trajectoryRefs,
  }
  return {
    evidence: { ...derived, ...turn.supplied } as unknown as JsonObject,
    policies: Object.fromEntries(policyFields.map(field => [field, turn.profile])),
  }
}

function callSpecOf(turn: ObservedTurn, profileDigest: Digest) {
  return {
    callId: turn.callId,
    modelRef: turn.modelRef,
    actionMode: turn.actionMode,
    executionPattern: turn.executionPattern,
    normalizerId: turn.normalizerId,
    ...Object.fromEntries(policyFields.map(field => [field, profileDigest])),
    // The adapter's own list. A request cannot admit itself.
    textAdapterProfiles: turn.profile['textAdapterProfiles'],
  }
}

function requestRow({ parentToolCallId, ...request }: ObservedRequest) {
  return { ...request, ...(parentToolCallId !== undefined && { callerEdge: { parentToolCallId } }) }
}

function resultRow({ toolCallId, seq, payload, error }: ObservedResult) {
  return { toolCallId, seq, status: error ? 'error' : 'ok', payload, ...error }
}

/** The use of a result; none while the turn is in progress. */
function useRow(turn: ObservedTurn, result: ObservedResult) {
  const { toolCallId } = result
  const reasonCode = Object.hasOwn(turn.discarded, toolCallId)
    ? turn.discarded[toolCallId]
    : undefined
  if (reasonCode !== undefined) return [{ toolCallId, disposition: 'discarded', reasonCode }]
  if (isRetried(turn, result)) return [{ toolCallId, disposition: 'retry_scheduled' }]
  const read = turn.later.some(({ seq, thread }) => thread === turn.thread && seq > result.seq)
  if (read) return [{ toolCallId, disposition: 'consumed' }]
  return turn.ended ? [{ toolCallId, disposition: 'observed' }] : []
}

/** The same tool and arguments, requested again after a retryable error. */
function isRetried(turn: ObservedTurn, result: ObservedResult): boolean {
  if (result.error?.retryable !== true) return false
  const failed = turn.requests.find(({ toolCallId }) => toolCallId === result.toolCallId)
  if (!failed) return false
  return [...turn.requests, ...turn.laterRequests].some(
    request =>
      request.seq > result.seq &&
      request.toolName === failed.toolName &&
      canonicalJson(request.arguments ?? null) === canonicalJson(failed.arguments ?? null),
  )
}
