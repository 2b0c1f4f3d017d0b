import { Digest, NonEmpty, Refs } from '../primitives.ts'
import {
  about,
  artifact,
  count,
  flag,
  list,
  literal,
  number,
  openRecord,
  optional,
  record,
  text,
  type ValueOf,
  word,
} from '../shape.ts'

const kind = 'premath.harness.typestate_normalized.v1'

// A row that broke its contract keeps what could be read, so every field but the id is optional.

const CallerEdge = record({ parentToolCallId: optional(NonEmpty) })

export const RequestRow = record({
  toolCallId: NonEmpty,
  toolName: optional(NonEmpty),
  schemaDigest: optional(NonEmpty),
  callerId: optional(NonEmpty),
  searchRefDigest: optional(NonEmpty),
  seq: optional(count),
  groupId: optional(NonEmpty),
  argumentsDigest: optional(NonEmpty),
  exampleDigest: optional(NonEmpty),
  searchRef: optional(NonEmpty),
  callerEdge: optional(CallerEdge),
  adapterProfile: optional(NonEmpty),
})

export const ResultRow = record({
  toolCallId: NonEmpty,
  status: word(['ok', 'error']),
  resultDigest: optional(NonEmpty),
  error: optional(
    record({
      errorCode: NonEmpty,
      errorMessageDigest: NonEmpty,
      retryable: flag,
    }),
  ),
  seq: optional(count),
  bytes: optional(count),
  truncation: optional(
    record({
      originalBytes: optional(count),
      keptBytes: optional(count),
      marker: optional(text),
    }),
  ),
  shell: optional(
    record({
      workdir: optional(NonEmpty),
      sandboxRef: optional(NonEmpty),
      commandDigest: optional(NonEmpty),
      edits: optional(Refs),
    }),
  ),
  callerEdge: optional(CallerEdge),
  streams: optional(
    record({
      stdoutDigest: optional(NonEmpty),
      stderrDigest: optional(NonEmpty),
      tracebackDigest: optional(NonEmpty),
    }),
  ),
  provenanceRef: optional(NonEmpty),
  tokenDelta: optional(number),
})

export const UseRow = record({
  toolCallId: NonEmpty,
  disposition: optional(NonEmpty),
  resultDigest: optional(NonEmpty),
  reasonCode: optional(NonEmpty),
  summaryRef: optional(NonEmpty),
  handoffRef: optional(NonEmpty),
  mutationInputRef: optional(NonEmpty),
})

export const RenderRow = record({
  toolCallId: NonEmpty,
  operatorPayloadDigest: optional(NonEmpty),
  reminderRenderDigest: optional(NonEmpty),
  injectionPoint: optional(NonEmpty),
  policyDigest: optional(NonEmpty),
})

export const QueueRow = record({
  queueId: NonEmpty,
  reducedDigest: optional(NonEmpty),
  policyDigest: optional(NonEmpty),
})

export const ViewRow = record({
  viewId: NonEmpty,
  viewDigest: optional(NonEmpty),
  policyDigest: optional(NonEmpty),
  sourceRefs: optional(Refs),
})

export const Digests = record({
  callSpecDigest: Digest,
  extensionSetDigest: optional(Digest, 'Present when extended evidence is.'),
  handoffDigest: optional(Digest),
  joinSetDigest: Digest,
  protocolStateDigest: Digest,
  reminderQueueSetDigest: Digest,
  requestSetDigest: Digest,
  resultSetDigest: Digest,
  stateViewSetDigest: Digest,
  toolRenderSetDigest: Digest,
  useSetDigest: Digest,
})

/** Calls that are open: what keeps requests, results and uses from matching. */
export const openCalls = {
  missingResultCallIds: optional(Refs),
  orphanResultCallIds: optional(Refs),
  missingUseCallIds: optional(Refs),
  unknownUseCallIds: optional(Refs),
}

/** Whether the next turn has the context that it needs. */
export const contextFlags = {
  missingRenderCallIds: optional(Refs),
  queueReductionPresent: flag,
  stateViewPresent: flag,
  renderPolicyValid: flag,
  queuePolicyValid: flag,
  stateViewPolicyValid: flag,
  continuationContextReady: flag,
}

/** Lists are left out when they are empty. */
export const NormalizedTurn = artifact(
  kind,
  'A turn in normal form, each set bound by a digest.',
  record({
    schema: literal(1),
    kind: literal(kind),
    callSpec: about(openRecord({}), 'As bound, cleaned; fields of the call spec only.'),
    toolRequests: optional(list(RequestRow)),
    toolResults: optional(list(ResultRow)),
    toolUse: optional(list(UseRow)),
    toolRender: optional(list(RenderRow)),
    reminderQueue: optional(list(QueueRow)),
    stateViews: optional(list(ViewRow)),
    protocolState: record({
      stopReason: optional(NonEmpty),
      continuationAllowed: flag,
    }),
    handoff: optional(
      record({
        target: optional(NonEmpty),
        requiredArtifactRefs: optional(Refs),
        returnPathRef: optional(NonEmpty),
      }),
    ),
    extension: optional(openRecord({}), 'Extended evidence, when there is any.'),
    sessionRefs: optional(Refs),
    trajectoryRefs: optional(Refs),
    digests: Digests,
    joinState: record({
      requestedCallIds: optional(Refs),
      resultCallIds: optional(Refs),
      usedCallIds: optional(Refs),
      ...openCalls,
      joinClosed: about(flag, 'Requests, results and uses match one to one.'),
    }),
    contextState: record({
      renderCallIds: optional(Refs),
      queueIds: optional(Refs),
      stateViewIds: optional(Refs),
      ...contextFlags,
    }),
  }),
)

export type Digests = ValueOf<typeof Digests>
export type QueueRow = ValueOf<typeof QueueRow>
export type RenderRow = ValueOf<typeof RenderRow>
export type RequestRow = ValueOf<typeof RequestRow>
export type ResultRow = ValueOf<typeof ResultRow>
export type UseRow = ValueOf<typeof UseRow>
export type ViewRow = ValueOf<typeof ViewRow>
