/** Reads a model's proposal, in canonical form and named by its digests. */
import {
  Proposal,
  ProposalBinding,
  type ProposalDischarge,
  type ProposalObligation,
  ProposalStep,
  TargetJudgment,
} from '../../wire/instruction/proposal.ts'
import { documentOf } from '../artifact/print.ts'
import { byCodePoint, canonicalJson, type Sha256 } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { isGiven, type Member, membersOf, textOf, textsOf, wordOf } from './instruction-field.ts'
import { allRead, type InstructionRefusal, isRefused, refused } from './instruction-refusal.ts'
import { dischargeOf } from './proposal-discharge.ts'
import { obligationsOf } from './proposal-obligation.ts'

/** A proposal without its digests, which are computed again. */
export type CanonicalProposal = Omit<Proposal, 'proposalDigest' | 'proposalKcirRef'>

export interface CheckedProposal {
  readonly canonical: CanonicalProposal
  readonly digest: string
  readonly kcirRef: string
  readonly obligations: readonly ProposalObligation[]
  readonly discharge: ProposalDischarge
}

/** The proposal with its obligations and their discharge, or why it is invalid. */
export function checkProposal(value: Json, sha256: Sha256): CheckedProposal | InstructionRefusal {
  if (!isJsonObject(value)) return refused('proposal_invalid_shape', 'it is not an object')
  const canonical = readProposal(value)
  if (isRefused(canonical)) return canonical
  const canonicalProposal = documentOf(Proposal, canonical)
  const digest = `prop1_${sha256(canonicalJson(canonicalProposal))}`
  const ref = { kind: 'kcir.proposal.v1', canonicalProposal }
  const kcirRef = `kcir1_${sha256(canonicalJson(ref))}`
  if (isGiven(value, 'proposalDigest') && value['proposalDigest'] !== digest) {
    return refused('proposal_nondeterministic', `proposalDigest is not ${digest}`)
  }
  if (isGiven(value, 'proposalKcirRef') && value['proposalKcirRef'] !== kcirRef) {
    return refused('proposal_kcir_ref_mismatch', `proposalKcirRef is not ${kcirRef}`)
  }
  const obligations = obligationsOf(canonical, sha256)
  return { canonical, digest, kcirRef, obligations, discharge: dischargeOf(canonical, obligations) }
}

function readProposal(value: JsonObject): CanonicalProposal | InstructionRefusal {
  const proposalKind = wordOf(value['proposalKind'], Proposal.members.proposalKind.words, {
    at: 'proposalKind',
    failureClass: 'proposal_invalid_kind',
  })
  if (isRefused(proposalKind)) return proposalKind
  const read = allRead({
    proposalKind,
    targetCtxRef: textOf(value['targetCtxRef'], {
      at: 'targetCtxRef',
      failureClass: 'proposal_invalid_target',
    }),
    targetJudgment: judgmentOf(value['targetJudgment']),
    binding: bindingOf(value['binding']),
    candidateRefs: candidatesOf(value),
    steps: stepsOf(value, proposalKind),
  })
  if (isRefused(read)) return read
  const { targetCtxRef, targetJudgment, candidateRefs, binding, steps } = read
  return {
    proposalKind,
    targetCtxRef,
    targetJudgment,
    candidateRefs,
    binding,
    ...(steps.length > 0 && { steps }),
  }
}

function judgmentOf(value: Json | undefined) {
  const failureClass = 'proposal_invalid_target_judgment'
  if (!isJsonObject(value)) return refused(failureClass, 'targetJudgment is not an object')
  return membersOf(TargetJudgment.members, value, { at: 'targetJudgment', failureClass })
}

function bindingOf(value: Json | undefined) {
  const failureClass = 'proposal_unbound_policy'
  if (!isJsonObject(value)) return refused(failureClass, 'binding is missing or not an object')
  return membersOf(ProposalBinding.members, value, { at: 'binding', failureClass })
}

const ofStep = (at: string): Member => ({ at, failureClass: 'proposal_invalid_step' })

function candidatesOf(value: JsonObject) {
  if (!isGiven(value, 'candidateRefs')) return []
  const refs = textsOf(value['candidateRefs'], ofStep('candidateRefs'))
  return isRefused(refs) ? refs : [...new Set(refs)].sort(byCodePoint)
}

function stepsOf(
  value: JsonObject,
  kind: Proposal['proposalKind'],
): readonly ProposalStep[] | InstructionRefusal {
  const { steps } = value
  if (kind !== 'derivation') {
    const given = isGiven(value, 'steps')
    return given ? refused('proposal_invalid_step', `a ${kind} has no steps`) : []
  }
  if (!Array.isArray(steps) || steps.length === 0) {
    return refused('proposal_invalid_step', 'a derivation has a list of steps, at least one')
  }
  const read = (steps as readonly Json[]).map((step, place) => stepOf(step, `steps[${place}]`))
  return allRead(read)
}

const stepOf = (step: Json, at: string): ProposalStep | InstructionRefusal =>
  isJsonObject(step)
    ? membersOf(ProposalStep.members, step, ofStep(at))
    : refused('proposal_invalid_step', `${at} is not an object`)
