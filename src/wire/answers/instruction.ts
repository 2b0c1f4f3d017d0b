/** The answers of the commands about instructions and proposals. */
import {
  InstructionClassification,
  InstructionWitness,
} from '../instruction/instruction-witness.ts'
import { Proposal, ProposalDischarge, ProposalObligations } from '../instruction/proposal.ts'
import {
  about,
  any,
  digest,
  flag,
  list,
  literal,
  optional,
  record,
  text,
  variant,
  word,
} from '../shape.ts'

export const ProposalCheckAnswer = record({
  canonical: Proposal,
  digest: digest('prop1_'),
  kcirRef: digest('kcir1_'),
  obligations: ProposalObligations,
  discharge: ProposalDischarge,
})

export const InstructionCheckAnswer = record({
  intent: text,
  scope: about(any, 'As the instruction gives it.'),
  normalizerId: text,
  policyDigest: text,
  instructionDigest: digest('instr1_'),
  requestedChecks: list(text),
  instructionType: optional(text),
  instructionClassification: InstructionClassification,
  executionDecision: variant('state', [
    record({ state: literal('execute') }),
    record({
      state: literal('reject'),
      source: word(['instruction_classification', 'proposal_discharge']),
      reason: text,
      operationalFailureClasses: list(text),
      semanticFailureClasses: list(text),
    }),
  ]),
  typingPolicy: InstructionWitness.members.typingPolicy,
  capabilityClaims: list(text),
  proposal: optional(ProposalCheckAnswer),
})

export const InstructionNewAnswer = record({
  action: literal('instruction.new'),
  result: literal('written'),
  instructionId: text,
  instructionDigest: digest('instr1_'),
  issueId: text,
  path: about(text, 'From the root of the project.'),
  policyId: text,
  requestedChecks: list(text),
  inForce: about(flag, 'false if somebody has to put it in force, or to commit it.'),
  next: about(list(text), 'The commands that make it count.'),
})

export const InstructionRunAnswer = record({
  action: literal('instruction-run'),
  result: word(['accepted', 'rejected']),
  failureClasses: list(text),
  witness: InstructionWitness,
  witnessPath: text,
})
