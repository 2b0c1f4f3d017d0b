/** One model turn in normal form, the input of the rules. */
import type {
  Digests,
  QueueRow,
  RenderRow,
  RequestRow,
  ResultRow,
  UseRow,
  ViewRow,
} from '../../wire/turn/normalized-turn.ts'
import type {
  CallSpec,
  Claims,
  Extension,
  Handoff,
  ProtocolState,
} from '../../wire/turn/turn-evidence.ts'
import type { Digest } from '../canonical.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Defect } from './evidence/read-row.ts'

export type { QueueRow, RenderRow, RequestRow, ResultRow, UseRow, ViewRow }
export type ResultError = NonNullable<ResultRow['error']>
export type Shell = NonNullable<ResultRow['shell']>

export interface PolicyRow {
  readonly policyDigest?: string | undefined
}

/** The set differences of HARNESS-TYPESTATE §5, each sorted. */
export interface JoinState {
  readonly requestedCallIds: readonly string[]
  readonly resultCallIds: readonly string[]
  readonly usedCallIds: readonly string[]
  readonly missingResultCallIds: readonly string[]
  readonly orphanResultCallIds: readonly string[]
  readonly missingUseCallIds: readonly string[]
  readonly unknownUseCallIds: readonly string[]
  readonly joinClosed: boolean
}

/** Whether the context of the next request can be rebuilt from the record. */
export interface ContextState {
  readonly renderCallIds: readonly string[]
  readonly queueIds: readonly string[]
  readonly stateViewIds: readonly string[]
  readonly missingRenderCallIds: readonly string[]
  readonly queueReductionPresent: boolean
  readonly stateViewPresent: boolean
  readonly renderPolicyValid: boolean
  readonly queuePolicyValid: boolean
  readonly stateViewPolicyValid: boolean
  readonly continuationContextReady: boolean
}

export type { Digests }

/** Policy documents supplied with the turn, by the call-spec field that binds their digest. */
export type Policies = Readonly<Record<string, JsonObject>>

/** Most turns have no policies. */
export const noPolicies: Policies = {}

/** The rows of a turn in normal form. */
export interface Evidence {
  readonly callSpec: CallSpec
  readonly requests: readonly RequestRow[]
  readonly results: readonly ResultRow[]
  readonly uses: readonly UseRow[]
  readonly renders: readonly RenderRow[]
  readonly queues: readonly QueueRow[]
  readonly views: readonly ViewRow[]
  readonly protocolState: ProtocolState & { readonly continuationAllowed: boolean }
  readonly handoff: Handoff | undefined
  readonly sessionRefs: readonly string[]
  readonly trajectoryRefs: readonly string[]
  readonly extension: Extension
  /** Values that the normal form keeps only as digests. */
  readonly argumentsOf: readonly { readonly request: RequestRow; readonly value: Json }[]
  readonly payloadOf: readonly { readonly result: ResultRow; readonly value: Json | undefined }[]
}

/** Canonical JSON of each set. */
export interface Texts {
  readonly callSpec: string
  readonly extension: string | undefined
  readonly handoff: string | undefined
  readonly protocolState: string
  readonly queues: string
  readonly renders: string
  readonly requests: string
  readonly results: string
  readonly uses: string
  readonly views: string
}

export interface Turn extends Evidence {
  readonly joinState: JoinState
  readonly contextState: ContextState
  /** True if `JSON.stringify` prints the rows canonically. */
  readonly isPlain: boolean
  readonly digests: Digests
  readonly claims: Claims
  readonly policies: Policies
  /** Recomputed digests of the documents, by the same field. */
  readonly policyDigests: Readonly<Record<string, Digest>>
  /** Defects found while reading rows. */
  readonly defects: readonly Defect[]
  readonly ignoredKeys: readonly string[]
}
