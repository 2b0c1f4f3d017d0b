import { FailureCluster } from '../harness/trajectory-projection.ts'
import { NonEmpty, Timestamp } from '../primitives.ts'
import {
  about,
  amount,
  any,
  artifact,
  count,
  flag,
  list,
  literal,
  map,
  nullable,
  openRecord,
  optional,
  record,
  text,
  type ValueOf,
  whole,
  word,
} from '../shape.ts'

export const surfaceKind = 'ci.observation.surface.v0'

const ids = list(text)
const orNull = nullable(text)

/** Members of all rows that a verdict of the required checks binds. */
const binding = {
  typedCoreProjectionDigest: optional(text),
  authorityPayloadDigest: optional(text),
  normalizerId: optional(text),
  policyDigest: optional(text),
}

const DeltaRow = record({
  ref: text,
  projectionPolicy: orNull,
  projectionDigest: orNull,
  ...binding,
  deltaSource: orNull,
  fromRef: orNull,
  toRef: orNull,
  changedPaths: ids,
  changedPathCount: count,
})

const RequiredRow = record({
  ref: text,
  witnessKind: orNull,
  projectionPolicy: orNull,
  projectionDigest: orNull,
  ...binding,
  verdictClass: orNull,
  requiredChecks: about(ids, 'In the order of the witness.'),
  executedChecks: ids,
  failureClasses: ids,
})

const DecisionRow = record({
  ref: text,
  decisionKind: orNull,
  projectionDigest: orNull,
  ...binding,
  decision: orNull,
  reasonClass: orNull,
  witnessPath: orNull,
  deltaSnapshotPath: orNull,
  requiredChecks: ids,
})

export const InstructionRow = record({
  ref: text,
  witnessKind: text,
  instructionId: text,
  instructionDigest: orNull,
  typedCoreProjectionDigest: optional(text),
  authorityPayloadDigest: optional(text),
  instructionClassification: any,
  intent: orNull,
  scope: any,
  policyDigest: orNull,
  verdictClass: orNull,
  requiredChecks: about(ids, 'In the order of the witness.'),
  executedChecks: ids,
  failureClasses: ids,
  runStartedAt: optional(text),
  runFinishedAt: optional(text),
  proposalIngest: optional(any),
  standing: about(
    word(['current', 'superseded', 'settled']),
    'superseded: a later run had the same intent and scope. settled: all its issues are closed. Only a current one calls for attention.',
  ),
})
export type InstructionRow = ValueOf<typeof InstructionRow>

const Integrity = record({
  graphScope: word(['active', 'full']),
  issueCount: count,
  hasCycle: flag,
  cyclePath: nullable(ids),
})

const Coherence = record({
  attentionReasons: ids,
  dependencyIntegrity: record({ active: Integrity, full: Integrity }),
  instructionTyping: record({
    instructionCount: count,
    typedCount: count,
    unknownCount: count,
    unknownInstructionIds: ids,
    unknownRate: amount,
    unknownRatePercent: amount,
    unknownRejectedCount: count,
  }),
  issuePartition: record({
    blockedCount: count,
    blockedIssueIds: ids,
    isCoherent: flag,
    openIssueCount: count,
    openPartitionGapIssueIds: ids,
    overlapIssueIds: ids,
    readyCount: count,
    readyIssueIds: ids,
  }),
  leaseHealth: record({
    activeLeaseCount: count,
    contendedCount: count,
    contendedIssueIds: ids,
    leaseIssueCount: count,
    referenceTime: Timestamp,
    staleCount: count,
    staleIssueIds: ids,
    unknownEvaluationCount: count,
    unknownEvaluationIssueIds: ids,
  }),
  needsAttention: flag,
  policyDrift: record({
    aliasProjectionDigests: ids,
    driftClasses: ids,
    driftDetected: flag,
    instructionPolicyDigests: ids,
    missingInstructionPolicyIds: ids,
    projectionDigests: ids,
    projectionPolicies: ids,
    typedCoreProjectionDigests: ids,
  }),
  proposalRejectClasses: record({
    classCounts: map(count),
    instructionIds: ids,
    topClasses: ids,
    totalRejectCount: count,
  }),
  workerLaneThroughput: record({
    activeLeaseCount: count,
    activeLeaseIssueIds: ids,
    inProgressCount: count,
    perWorkerInProgress: list(record({ worker: text, inProgressCount: count })),
    referenceTime: Timestamp,
    staleLeaseCount: count,
    staleLeaseIssueIds: ids,
    unassignedInProgressCount: count,
    unknownLeaseEvaluationCount: count,
    unknownLeaseEvaluationIssueIds: ids,
    workerCount: count,
  }),
})
export type Coherence = ValueOf<typeof Coherence>

export const observationStates = ['accepted', 'rejected', 'error', 'running', 'empty'] as const

const Summary = openRecord({
  state: word(observationStates),
  needsAttention: flag,
  topFailureClass: orNull,
  latestProjectionDigest: orNull,
  latestInstructionId: orNull,
  requiredCheckCount: count,
  executedCheckCount: count,
  changedPathCount: count,
  coherence: optional(Coherence),
})

const Latest = record({
  delta: nullable(DeltaRow),
  required: nullable(RequiredRow),
  decision: nullable(DecisionRow),
})

const AttentionItem = record({
  about: NonEmpty,
  issueId: orNull,
  title: orNull,
  message: NonEmpty,
  next: about(NonEmpty, 'What to do about it.'),
  failureClasses: ids,
  at: nullable(text, 'When a run reported it; null for a state of the project.'),
})

const KpiView = record({
  state: text,
  reason: text,
  kpi: amount,
  throughputPerWorkerPerDay: amount,
  gatePassRate: amount,
  windowHours: count,
  windowEnd: Timestamp,
  windowRows: count,
  expansionPaused: flag,
})

export const RecentStep = record({
  stepId: text,
  issueId: orNull,
  workerId: orNull,
  action: text,
  resultClass: text,
  finishedAt: text,
})
export type RecentStep = ValueOf<typeof RecentStep>

const HarnessView = record({
  attention: about(list(AttentionItem), 'What a person should look at, beside the coherence.'),
  issues: record({
    total: count,
    ready: count,
    inProgress: count,
    blocked: count,
    inReview: count,
    other: count,
    closed: count,
    forced: count,
  }),
  sessions: list(
    record({
      path: text,
      state: word(['active', 'stopped', 'unreadable']),
      sessionId: orNull,
      issueId: orNull,
      updatedAt: orNull,
      summary: orNull,
      nextStep: orNull,
    }),
  ),
  workers: list(
    record({
      workerId: text,
      issueIds: ids,
      activeLeaseCount: count,
      staleLeaseCount: count,
      lastStepAt: orNull,
    }),
  ),
  leases: about(
    list(
      record({
        issueId: text,
        title: text,
        workerId: text,
        since: orNull,
        expiresAt: orNull,
        state: word(['active', 'stale', 'none']),
      }),
    ),
    'Issues that somebody holds, and those in progress without a lease.',
  ),
  landingQueue: nullable(
    list(
      record({
        issueId: text,
        title: text,
        status: text,
        state: text,
        branch: text,
        commit: orNull,
        commits: count,
      }),
    ),
    'Work that is not on the target yet; null where work cannot land.',
  ),
  trajectory: record({
    totalCount: count,
    failedCount: count,
    retryNeededCount: count,
    badLineCount: count,
    recent: about(list(RecentStep), 'The newest first.'),
  }),
  clusters: about(list(FailureCluster), 'Failed steps of the last seven days, by class.'),
  kpi: KpiView,
  refusals: about(
    list(record({ failureClass: text, count: count, lastAt: orNull })),
    'Classes of the gate and of issue memory, among the failed steps of the last seven days and the current instructions.',
  ),
  specRuns: record({ witnessCount: count, acceptedCount: count, rejectedCount: count }),
  proofs: about(
    record({
      folderCount: count,
      provenCount: count,
      forcedCount: count,
      importedCount: count,
      unrecordedCount: count,
    }),
    'As the rows of closed issues say. premath witness verify opens the proofs.',
  ),
  features: nullable(
    record({ featureCount: whole, completedCount: whole, nextFeatureId: orNull }),
    'The feature ledger; null without a valid one.',
  ),
})
export type HarnessView = ValueOf<typeof HarnessView>

/** `artifacts/observation/latest.json`. An earlier tool writes it without the optional members. */
export const ObservationSurface = artifact(
  surfaceKind,
  'What can be seen of a project at one moment. It is evidence, and gives no authority.',
  openRecord({
    schema: literal(1),
    surfaceKind: literal(surfaceKind),
    evaluatedAt: optional(Timestamp, 'The time for which leases and reports were evaluated.'),
    summary: Summary,
    latest: Latest,
    instructions: list(InstructionRow),
    harness: optional(HarnessView),
  }),
)
export type ObservationSurface = ValueOf<typeof ObservationSurface>

/** One line of `artifacts/observation/events.jsonl`. */
export const ObservationEvent = artifact(
  'ci.observation.event.v0',
  'One part of the observation surface.',
  record({
    kind: word([
      'ci.delta.v1.summary',
      'ci.required.v1.summary',
      'ci.required.decision.v1.summary',
      'ci.instruction.v1.summary',
      `${surfaceKind}.summary`,
      `${surfaceKind}.coherence`,
    ]),
    payload: any,
  }),
)
