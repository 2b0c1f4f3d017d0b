import { z } from 'zod'
import { Digest, NonEmpty, Refs, Timestamp } from '../primitives.ts'
import {
  ProposalBinding,
  ProposalDischarge,
  ProposalObligations,
  TargetJudgment,
} from './proposal.ts'

const witnessKind = 'ci.instruction.v1'
const runtimeKind = 'premath.instruction.runtime.v1'

const result = z.strictObject({
  checkId: NonEmpty,
  status: NonEmpty,
  exitCode: z.int(),
  durationMs: z.int().nonnegative(),
  failureClass: NonEmpty.optional().describe('Of a check that did not pass, if more is known.'),
  commandDigest: NonEmpty.optional(),
  outputDigest: NonEmpty.optional(),
})

const run = {
  squeakSiteProfile: NonEmpty,
  runStartedAt: Timestamp,
  runFinishedAt: Timestamp,
  runDurationMs: z.int().nonnegative(),
}

const join = {
  joinClosed: z.boolean().optional(),
  joinFailureClasses: z.array(NonEmpty).optional(),
  joinWitnessRef: NonEmpty.optional().describe('The witness that the two before it are told from.'),
}

/** What is told about one run of an instruction. */
export const InstructionRuntime = z
  .looseObject({
    instructionId: NonEmpty,
    instructionRef: NonEmpty,
    instructionDigest: NonEmpty,
    ...run,
    results: z.array(z.looseObject(result.shape)),
    ...join,
  })
  .meta({ title: runtimeKind, description: 'When an instruction ran, and how each check ended.' })

const classification = z.discriminatedUnion('state', [
  z.strictObject({
    state: z.literal('typed'),
    kind: z.enum(['ci.gate.check', 'ci.gate.pre_commit', 'ci.gate.pre_push']),
  }),
  z.strictObject({ state: z.literal('unknown'), reason: NonEmpty }),
])

const ingest = z.strictObject({
  state: z.literal('typed'),
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
export const InstructionWitness = z
  .strictObject({
    ciSchema: z.literal(1),
    witnessKind: z.literal(witnessKind),
    instructionId: NonEmpty,
    instructionRef: NonEmpty,
    instructionDigest: z.templateLiteral(['instr1_', z.string().regex(/^[0-9a-f]{64}$/)]),
    instructionClassification: classification,
    typingPolicy: z.strictObject({ allowUnknown: z.boolean() }),
    intent: NonEmpty,
    scope: z.unknown().describe('As the instruction gives it, with the mutations that it allows.'),
    normalizerId: NonEmpty.nullable(),
    policyDigest: NonEmpty.nullable(),
    typedCoreProjectionDigest: NonEmpty.optional(),
    authorityPayloadDigest: NonEmpty.optional(),
    capabilityClaims: Refs,
    requiredChecks: Refs,
    executedChecks: Refs,
    results: z.array(result),
    verdictClass: z.enum(['accepted', 'rejected']),
    operationalFailureClasses: z.array(NonEmpty),
    semanticFailureClasses: z.array(NonEmpty),
    failureClasses: z.array(NonEmpty),
    ...run,
    rejectStage: z.literal('pre_execution').optional(),
    rejectReason: z.string().optional(),
    proposalIngest: ingest.optional(),
    ...join,
    witnessDigest: Digest.describe('Of the canonical document without this member.'),
  })
  .meta({ title: witnessKind, description: 'What an instruction was, what ran, and the verdict.' })

export type InstructionWitness = z.infer<typeof InstructionWitness>
