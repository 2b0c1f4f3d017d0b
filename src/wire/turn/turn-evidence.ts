/**
 * What is handed to the gate: one model turn as rows, the constraints it was under and, when the
 * turn wants to change issue memory, what it wants to change (HARNESS-TYPESTATE §3).
 */
import {
  count,
  digestedJson,
  firmFlag,
  flag,
  id,
  json,
  number,
  object,
  oneOf,
  type RowOf,
  refs,
  refsIfAny,
  required,
  requiredFlag,
  requiredText,
  requiredToken,
  rows,
  text,
  token,
  verbatim,
} from './row.ts'

export const actionModes = ['code', 'json', 'text'] as const
export const executionPatterns = [
  'single',
  'chain',
  'route',
  'parallel',
  'orchestrator_workers',
  'evaluator_optimizer',
] as const
const dispositions = [
  'consumed',
  'observed',
  'discarded',
  'observed_only',
  'discarded_with_reason',
  'retry_scheduled',
] as const
export const guardrailStages = ['pre_flight', 'input', 'output'] as const

/** What one model turn was allowed to do, by digest. The first eleven are the minimum binding. */
export const CallSpec = {
  callId: id,
  modelRef: requiredText,
  actionMode: required(oneOf(actionModes)),
  executionPattern: requiredToken,
  normalizerId: requiredText,
  mutationPolicyDigest: requiredText,
  governancePolicyDigest: requiredText,
  toolRenderProtocolDigest: requiredText,
  reminderQueuePolicyDigest: requiredText,
  stateViewPolicyDigest: requiredText,
  decompositionPolicyDigest: requiredText,
  toolChoice: json,
  toolPolicy: object({
    tools: required(
      rows({
        toolName: id,
        inputSchema: json,
        schemaDigest: text,
        allowedCallers: refs,
        deferred: flag,
        examplesDigest: text,
        codeExecution: flag,
        shell: flag,
      }),
    ),
  }),
  toolCatalogDigest: text,
  deferPolicyDigest: text,
  toolExampleDigest: text,
  allowedCallersDigest: text,
  preContextFilterPolicy: json,
  evalProfileRef: text,
  textAdapterProfiles: refs,
  parallelPolicy: object({ allowed: requiredFlag, maxBranches: count }),
  toolTransportPolicy: object({
    parallelToolCalls: flag,
    ordering: oneOf(['strict', 'any']),
  }),
  toolResponseTruncationPolicy: object({
    maxBytes: required(count),
    marker: required(verbatim),
  }),
  executionBoundaryPolicy: object({ workdirRoots: refs, editSurfaces: refs, shellMayEdit: flag }),
  runtimeSandboxRef: text,
  compactionPolicyDigest: text,
  stopPolicy: object({
    maxIterations: { kind: 'count', min: 1 },
    checkpointEvery: { kind: 'count', min: 1 },
  }),
  protocolStatePolicy: object({ handled: required(refs), continues: refs }),
  guardrailStagePolicyDigest: text,
  evalGatePolicyDigest: text,
  redTeamPolicyDigest: text,
  observabilityMode: oneOf(['dashboard', 'internal_processor', 'disabled']),
  riskTier: oneOf(['low', 'moderate', 'high']),
  orchestrationRole: oneOf(['orchestrator', 'specialist']),
  contextScopeDigest: text,
  handoffContractDigest: text,
} as const

const callerEdge = object({ parentToolCallId: requiredText })

export const ToolRequest = {
  toolCallId: id,
  toolName: requiredText,
  schemaDigest: text,
  callerId: text,
  searchRefDigest: text,
  seq: count,
  groupId: text,
  arguments: digestedJson,
  /** What normal form keeps of the arguments; given both, it must be their digest. */
  argumentsDigest: text,
  exampleDigest: text,
  searchRef: text,
  callerEdge,
  adapterProfile: text,
} as const

export const ToolResult = {
  toolCallId: id,
  status: oneOf(['ok', 'error']),
  resultDigest: text,
  payload: digestedJson,
  errorCode: text,
  retryable: flag,
  errorMessage: text,
  rawError: digestedJson,
  errorMessageDigest: text,
  /** An error as normal form has it. */
  error: object({ errorCode: text, errorMessageDigest: text, retryable: flag }),
  seq: count,
  bytes: count,
  truncation: object({
    originalBytes: required(count),
    keptBytes: required(count),
    marker: required(verbatim),
  }),
  shell: object({ workdir: text, sandboxRef: text, commandDigest: text, edits: refs }),
  callerEdge,
  streams: object({
    stdoutDigest: requiredText,
    stderrDigest: requiredText,
    tracebackDigest: text,
  }),
  provenanceRef: text,
  tokenDelta: number,
} as const

export const ToolUse = {
  toolCallId: id,
  disposition: required(oneOf(dispositions)),
  resultDigest: text,
  reasonCode: text,
  summaryRef: text,
  handoffRef: text,
  mutationInputRef: text,
} as const

export const ProtocolState = { stopReason: requiredToken, continuationAllowed: firmFlag } as const

export const Handoff = {
  target: requiredText,
  requiredArtifactRefs: refsIfAny,
  returnPathRef: text,
} as const

export const ToolRender = {
  toolCallId: id,
  operatorPayloadDigest: requiredText,
  reminderRenderDigest: requiredText,
  injectionPoint: requiredToken,
  policyDigest: requiredText,
} as const

export const ReminderQueue = {
  queueId: id,
  reducedDigest: requiredText,
  policyDigest: requiredText,
} as const

export const StateView = {
  viewId: id,
  viewDigest: requiredText,
  policyDigest: requiredText,
  sourceRefs: refsIfAny,
} as const

/** Evidence beyond the minimum; each enters normal form and digests only when it is present. */
export const Extension = {
  searches: rows({
    searchRef: id,
    query: required(verbatim),
    resultToolNames: required(refs),
    resultSetDigest: requiredText,
    catalogDigest: text,
  }),
  guardrails: rows({
    stage: required(oneOf(guardrailStages)),
    guardrailId: requiredText,
    triggered: requiredFlag,
    seq: required(count),
    thresholdRef: text,
    modelRef: text,
  }),
  compaction: object({
    policyDigest: text,
    carriedRefs: refs,
    droppedToolCallIds: refs,
    stateDigest: text,
  }),
  iteration: { kind: 'count', min: 1 },
  checkpointRef: text,
  escalation: object({ metric: requiredText, value: required(number), ref: requiredText }),
  artifacts: rows({
    ref: requiredText,
    path: requiredText,
    digest: requiredText,
    role: text,
    toolCallId: text,
  }),
  contextAccess: rows({
    role: requiredText,
    ref: requiredText,
    mode: required(oneOf(['read', 'write'])),
  }),
  evals: rows({
    metric: requiredText,
    value: required(number),
    datasetLineageRef: text,
    graderConfigLineageRef: text,
    thresholdsRef: text,
  }),
  redTeam: object({ probes: required(count), failures: required(count), reportRef: text }),
  traceMode: token,
  selfEvolution: object({ maxAttempts: count, terminalEscalation: text, rollbackRef: text }),
  riskTierProfileRef: text,
} as const

/** Where the turn was recorded: what links its witness to session and trajectory. */
export const Linkage = { sessionRefs: refs, trajectoryRefs: refs } as const

/** What the turn was under and what it asks for. Malformed, it is bad input: the caller's fault. */
export const Claims = {
  governanceProfile: object({
    claimId: text,
    claimed: requiredFlag,
    policyProvenance: object({
      pinned: requiredFlag,
      packageRef: text,
      expectedDigest: text,
      boundDigest: text,
    }),
  }),
  protocolConstraints: object({ parallelTransportOrderValid: flag }),
  handoffConstraints: object({
    requiredArtifactRefs: refs,
    allowedTargets: refs,
    requireReturnPath: firmFlag,
  }),
  truncationConstraints: object({ required: firmFlag, valid: firmFlag }),
  decompositionConstraints: object({
    admissible: flag,
    expectedExecutionPattern: token,
    expectedPolicyDigest: text,
  }),
  mutation: object({
    kind: requiredText,
    action: requiredText,
    issueId: text,
    requiredClaims: refs,
    handoffTarget: text,
  }),
  capabilityClaims: refs,
  activeMutationPolicyDigest: text,
  policies: digestedJson,
  registryClaims: refs,
} as const

export type CallSpec = RowOf<typeof CallSpec>
export type Claims = RowOf<typeof Claims>
export type Extension = RowOf<typeof Extension>
export type Handoff = RowOf<typeof Handoff>
export type ProtocolState = RowOf<typeof ProtocolState>

/** Every list of rows with an id of their own. */
export const surfaces = {
  toolRequests: ToolRequest,
  toolResults: ToolResult,
  toolUse: ToolUse,
  toolRender: ToolRender,
  reminderQueue: ReminderQueue,
  stateViews: StateView,
} as const
