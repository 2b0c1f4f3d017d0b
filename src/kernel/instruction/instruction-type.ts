/** Classifies an instruction and decides whether it may run. */
import {
  type InstructionClassification,
  type InstructionType,
  instructionTypes,
} from '../../wire/instruction/instruction-witness.ts'
import type { ProposalDischarge } from '../../wire/instruction/proposal.ts'

export type ExecutionDecision =
  | { readonly state: 'execute' }
  | {
      readonly state: 'reject'
      readonly source: 'instruction_classification' | 'proposal_discharge'
      readonly reason: string
      readonly operationalFailureClasses: readonly string[]
      readonly semanticFailureClasses: readonly string[]
    }

/** By its declared type, or by its checks if all of them are hooks. */
export function classifyInstruction(
  instructionType: string | undefined,
  requestedChecks: readonly string[],
): InstructionClassification {
  if (instructionType !== undefined) {
    const kind = instructionTypes.find(one => one === instructionType)
    return kind
      ? { state: 'typed', kind }
      : { state: 'unknown', reason: 'unsupported_instruction_type' }
  }
  if (!requestedChecks.every(check => check.startsWith('hk-'))) {
    return { state: 'unknown', reason: 'unrecognized_requested_checks' }
  }
  return { state: 'typed', kind: kindOfHooks(requestedChecks) }
}

function kindOfHooks(checks: readonly string[]): InstructionType {
  const [only] = checks.length === 1 ? checks : []
  if (only === 'hk-pre-commit') return 'ci.gate.pre_commit'
  return only === 'hk-pre-push' ? 'ci.gate.pre_push' : 'ci.gate.check'
}

export function decideExecution(
  classification: InstructionClassification,
  allowUnknown: boolean,
  discharge: ProposalDischarge | undefined,
): ExecutionDecision {
  if (classification.state === 'unknown' && !allowUnknown) {
    return {
      state: 'reject',
      source: 'instruction_classification',
      reason: classification.reason,
      operationalFailureClasses: ['instruction_unknown_unroutable'],
      semanticFailureClasses: [],
    }
  }
  if (discharge?.outcome === 'rejected') {
    return {
      state: 'reject',
      source: 'proposal_discharge',
      reason: 'proposal_discharge_rejected',
      operationalFailureClasses: [],
      semanticFailureClasses: discharge.failureClasses,
    }
  }
  return { state: 'execute' }
}
