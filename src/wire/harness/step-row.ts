import { Digest, NonEmpty, Refs, Timestamp } from '../primitives.ts'
import { LandedCommit } from '../proof/proof-chain.ts'
import { SandboxMode } from '../sandbox-mode.ts'
import {
  about,
  artifact,
  count,
  flag,
  list,
  literal,
  nullable,
  openRecord,
  optional,
  orNone,
  positive,
  text,
  untouched,
  type ValueOf,
  word,
} from '../shape.ts'
import { ObservabilityMode } from './payload.ts'

const kind = 'premath.harness.step.v1'

/** One finished command of a step. */
export const StepCommand = openRecord({
  role: word(['startup', 'before', 'work', 'verify', 'transport', 'land']),
  commandDigest: text,
  exitCode: nullable(count, 'null where a signal ended it.'),
  signal: optional(text),
  durationMs: count,
  outputDigest: text,
  outputBytes: optional(count, 'The size of its output, if the output is not kept.'),
})
export type StepCommand = ValueOf<typeof StepCommand>

/** The verdict on the turns of a step, without their payloads. */
export const StepTurn = openRecord({
  callSpecDigest: text,
  useSetDigest: text,
  joinSetDigest: text,
  joinClosed: flag,
  mutationReady: flag,
  failureClasses: list(text),
})
export type StepTurn = ValueOf<typeof StepTurn>

/** The turns that the work left, bound by digests, so that a later change of them is seen. */
export const StepEvidence = openRecord({
  sha256: about(Digest, 'Of the bytes of evidence.ndjson in the folder of the step.'),
  turns: positive,
  verdictsDigest: about(Digest, 'Of the digests of the verdicts on all turns, in order.'),
  joinClosed: flag,
  observabilityMode: optional(ObservabilityMode, 'Set if the file is not kept.'),
})
export type StepEvidence = ValueOf<typeof StepEvidence>

/** One line of `.premath/harness_trajectory.jsonl`. Members it does not name are kept. */
export const StepRow = artifact(
  kind,
  'A step that ended, as the trajectory keeps it.',
  openRecord({
    schema: literal(1),
    stepKind: literal(kind),
    stepId: NonEmpty,
    issueId: optional(NonEmpty),
    action: NonEmpty,
    resultClass: NonEmpty,
    instructionRefs: orNone(Refs),
    witnessRefs: orNone(Refs),
    lineageRefs: orNone(Refs),
    startedAt: optional(Timestamp),
    finishedAt: Timestamp,
    workerId: optional(NonEmpty),
    attempt: optional(positive),
    durationMs: optional(count),
    nextStep: optional(NonEmpty, 'What should be done next.'),
    commands: optional(list(StepCommand)),
    turn: optional(StepTurn, 'What the turns of the step came to.'),
    evidence: optional(StepEvidence, 'The turns that the work left.'),
    sandbox: optional(SandboxMode, 'The sandbox of its commands.'),
    landed: optional(LandedCommit, 'The commit that put the work on its target branch.'),
    failureClasses: untouched(list(NonEmpty), 'Why the step failed.'),
    summary: untouched(NonEmpty, 'Why the step failed, for people.'),
    reason: untouched(NonEmpty, 'The reason that a person gave for a remediation.'),
  }),
)
export type StepRow = ValueOf<typeof StepRow>
