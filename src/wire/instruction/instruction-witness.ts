import { Digest, NonEmpty, Refs, Timestamp } from '../primitives.ts'
import {
  about,
  any,
  artifact,
  count,
  digest,
  flag,
  list,
  literal,
  nullable,
  openRecord,
  optional,
  partial,
  record,
  text,
  type ValueOf,
  variant,
  whole,
  word,
} from '../shape.ts'
import {
  ProposalBinding,
  ProposalDischarge,
  ProposalObligations,
  TargetJudgment,
} from './proposal.ts'

const witnessKind = 'ci.instruction.v1'
const runtimeKind = 'premath.instruction.runtime.v1'

const CheckResult = record({
  checkId: NonEmpty,
  status: NonEmpty,
  exitCode: whole,
  durationMs: count,
  failureClass: optional(NonEmpty, 'Of a check that did not pass, if more is known.'),
  commandDigest: optional(NonEmpty),
  outputDigest: optional(NonEmpty),
})
export type CheckResult = ValueOf<typeof CheckResult>

const run = {
  squeakSiteProfile: NonEmpty,
  runStartedAt: Timestamp,
  runFinishedAt: Timestamp,
  runDurationMs: count,
}

/** The link from an instruction to the join witness of its turn: all three members, or none. */
const JoinLink = record({
  joinClosed: flag,
  joinFailureClasses: list(NonEmpty),
  joinWitnessRef: about(NonEmpty, 'The witness that the two members before it come from.'),
})
export type JoinLink = ValueOf<typeof JoinLink>
const join = partial(JoinLink).members

/** The report of one run of an instruction. */
export const InstructionRuntime = artifact(
  runtimeKind,
  'When an instruction ran, and how each check ended.',
  openRecord({
    instructionId: NonEmpty,
    instructionRef: NonEmpty,
    instructionDigest: NonEmpty,
    ...run,
    results: list(openRecord(CheckResult.members)),
    ...join,
  }),
)
export type InstructionRuntime = ValueOf<typeof InstructionRuntime>

export const instructionTypes = ['ci.gate.check', 'ci.gate.pre_commit', 'ci.gate.pre_push'] as const
export type InstructionType = (typeof instructionTypes)[number]

export const InstructionClassification = variant('state', [
  record({
    state: literal('typed'),
    kind: word(instructionTypes),
  }),
  record({ state: literal('unknown'), reason: NonEmpty }),
])
export type InstructionClassification = ValueOf<typeof InstructionClassification>

const ingest = record({
  state: literal('typed'),
  kind: NonEmpty,
  proposalDigest: NonEmpty,
  proposalKcirRef: NonEmpty,
  binding: ProposalBinding,
  targetCtxRef: NonEmpty,
  targetJudgment: TargetJudgment,
  obligations: ProposalObligations,
  discharge: ProposalDischarge,
})

/** `artifacts/ciwitness/<instructionId>.json`. */
export const InstructionWitness = artifact(
  witnessKind,
  'What an instruction was, what ran, and the verdict.',
  record({
    ciSchema: literal(1),
    witnessKind: literal(witnessKind),
    instructionId: NonEmpty,
    instructionRef: NonEmpty,
    instructionDigest: digest('instr1_'),
    instructionClassification: InstructionClassification,
    typingPolicy: record({ allowUnknown: flag }),
    intent: NonEmpty,
    scope: about(any, 'As the instruction gives it, with the mutations that it allows.'),
    normalizerId: nullable(NonEmpty),
    policyDigest: nullable(NonEmpty),
    typedCoreProjectionDigest: optional(NonEmpty),
    authorityPayloadDigest: optional(NonEmpty),
    capabilityClaims: Refs,
    requiredChecks: Refs,
    executedChecks: Refs,
    results: list(CheckResult),
    verdictClass: word(['accepted', 'rejected']),
    operationalFailureClasses: list(NonEmpty),
    semanticFailureClasses: list(NonEmpty),
    failureClasses: list(NonEmpty),
    ...run,
    rejectStage: optional(literal('pre_execution')),
    rejectReason: optional(text),
    proposalIngest: optional(ingest),
    ...join,
    witnessDigest: about(Digest, 'Of the canonical document without this member.'),
  }),
)

export type InstructionWitness = ValueOf<typeof InstructionWitness>
