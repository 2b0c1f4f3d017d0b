import { z } from 'zod'
import { Bytes, Digest, type Immutable, NonEmpty, Refs } from '../primitives.ts'

const kind = 'premath.harness.typestate_normalized.v1'

// A row that broke its contract keeps what could be read, so every field but the id is optional.

const CallerEdge = z.strictObject({ parentToolCallId: NonEmpty.optional() })

export const RequestRow = z.strictObject({
  toolCallId: NonEmpty,
  toolName: NonEmpty.optional(),
  schemaDigest: NonEmpty.optional(),
  callerId: NonEmpty.optional(),
  searchRefDigest: NonEmpty.optional(),
  seq: Bytes.optional(),
  groupId: NonEmpty.optional(),
  argumentsDigest: NonEmpty.optional(),
  exampleDigest: NonEmpty.optional(),
  searchRef: NonEmpty.optional(),
  callerEdge: CallerEdge.optional(),
  adapterProfile: NonEmpty.optional(),
})

export const ResultRow = z.strictObject({
  toolCallId: NonEmpty,
  status: z.enum(['ok', 'error']),
  resultDigest: NonEmpty.optional(),
  error: z
    .strictObject({
      errorCode: NonEmpty,
      errorMessageDigest: NonEmpty,
      retryable: z.boolean(),
    })
    .optional(),
  seq: Bytes.optional(),
  bytes: Bytes.optional(),
  truncation: z
    .strictObject({
      originalBytes: Bytes.optional(),
      keptBytes: Bytes.optional(),
      marker: z.string().optional(),
    })
    .optional(),
  shell: z
    .strictObject({
      workdir: NonEmpty.optional(),
      sandboxRef: NonEmpty.optional(),
      commandDigest: NonEmpty.optional(),
      edits: Refs.optional(),
    })
    .optional(),
  callerEdge: CallerEdge.optional(),
  streams: z
    .strictObject({
      stdoutDigest: NonEmpty.optional(),
      stderrDigest: NonEmpty.optional(),
      tracebackDigest: NonEmpty.optional(),
    })
    .optional(),
  provenanceRef: NonEmpty.optional(),
  tokenDelta: z.number().optional(),
})

export const UseRow = z.strictObject({
  toolCallId: NonEmpty,
  disposition: NonEmpty.optional(),
  resultDigest: NonEmpty.optional(),
  reasonCode: NonEmpty.optional(),
  summaryRef: NonEmpty.optional(),
  handoffRef: NonEmpty.optional(),
  mutationInputRef: NonEmpty.optional(),
})

export const RenderRow = z.strictObject({
  toolCallId: NonEmpty,
  operatorPayloadDigest: NonEmpty.optional(),
  reminderRenderDigest: NonEmpty.optional(),
  injectionPoint: NonEmpty.optional(),
  policyDigest: NonEmpty.optional(),
})

export const QueueRow = z.strictObject({
  queueId: NonEmpty,
  reducedDigest: NonEmpty.optional(),
  policyDigest: NonEmpty.optional(),
})

export const ViewRow = z.strictObject({
  viewId: NonEmpty,
  viewDigest: NonEmpty.optional(),
  policyDigest: NonEmpty.optional(),
  sourceRefs: Refs.optional(),
})

export const Digests = z.strictObject({
  callSpecDigest: Digest,
  extensionSetDigest: Digest.optional().describe('Present when extended evidence is.'),
  handoffDigest: Digest.optional(),
  joinSetDigest: Digest,
  protocolStateDigest: Digest,
  reminderQueueSetDigest: Digest,
  requestSetDigest: Digest,
  resultSetDigest: Digest,
  stateViewSetDigest: Digest,
  toolRenderSetDigest: Digest,
  useSetDigest: Digest,
})

const openCalls = {
  missingResultCallIds: Refs.optional(),
  orphanResultCallIds: Refs.optional(),
  missingUseCallIds: Refs.optional(),
  unknownUseCallIds: Refs.optional(),
}

/** Lists are left out when they are empty. */
export const NormalizedTurn = z
  .strictObject({
    schema: z.literal(1),
    kind: z.literal(kind),
    callSpec: z.looseObject({}).describe('As bound, cleaned; fields of the call spec only.'),
    toolRequests: z.array(RequestRow).optional(),
    toolResults: z.array(ResultRow).optional(),
    toolUse: z.array(UseRow).optional(),
    toolRender: z.array(RenderRow).optional(),
    reminderQueue: z.array(QueueRow).optional(),
    stateViews: z.array(ViewRow).optional(),
    protocolState: z.strictObject({
      stopReason: NonEmpty.optional(),
      continuationAllowed: z.boolean(),
    }),
    handoff: z
      .strictObject({
        target: NonEmpty.optional(),
        requiredArtifactRefs: Refs.optional(),
        returnPathRef: NonEmpty.optional(),
      })
      .optional(),
    extension: z.looseObject({}).optional().describe('Extended evidence, when there is any.'),
    sessionRefs: Refs.optional(),
    trajectoryRefs: Refs.optional(),
    digests: Digests,
    joinState: z.strictObject({
      requestedCallIds: Refs.optional(),
      resultCallIds: Refs.optional(),
      usedCallIds: Refs.optional(),
      ...openCalls,
      joinClosed: z.boolean().describe('Requests, results and uses match one to one.'),
    }),
    contextState: z.strictObject({
      renderCallIds: Refs.optional(),
      queueIds: Refs.optional(),
      stateViewIds: Refs.optional(),
      missingRenderCallIds: Refs.optional(),
      queueReductionPresent: z.boolean(),
      stateViewPresent: z.boolean(),
      renderPolicyValid: z.boolean(),
      queuePolicyValid: z.boolean(),
      stateViewPolicyValid: z.boolean(),
      continuationContextReady: z.boolean(),
    }),
  })
  .meta({ title: kind, description: 'A turn in normal form, each set bound by a digest.' })

export type Digests = z.infer<typeof Digests>
export type QueueRow = Immutable<z.infer<typeof QueueRow>>
export type RenderRow = Immutable<z.infer<typeof RenderRow>>
export type RequestRow = Immutable<z.infer<typeof RequestRow>>
export type ResultRow = Immutable<z.infer<typeof ResultRow>>
export type UseRow = Immutable<z.infer<typeof UseRow>>
export type ViewRow = Immutable<z.infer<typeof ViewRow>>
