/** Reads a model's proposal, in canonical form and named by its digests. */
import { byCodePoint, canonicalJson, type Sha256 } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { isGiven, type Member, textOf, textsOf } from './instruction-field.ts'
import { allRead, type InstructionRefusal, isRefused, refused } from './instruction-refusal.ts'
import { dischargeOf, type ProposalDischarge } from './proposal-discharge.ts'
import { obligationsOf, type ProposalObligation } from './proposal-obligation.ts'

const proposalKinds = ['value', 'derivation', 'refinementPlan'] as const
const judgmentKinds = ['obj', 'mor'] as const

type ProposalKind = (typeof proposalKinds)[number]

export interface ProposalBinding {
  readonly normalizerId: string
  readonly policyDigest: string
}

interface ProposalStep {
  readonly ruleId: string
  readonly claim: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
}

export interface CanonicalProposal {
  readonly proposalKind: ProposalKind
  readonly targetCtxRef: string
  readonly targetJudgment: {
    readonly kind: (typeof judgmentKinds)[number]
    readonly shape: string
  }
  readonly candidateRefs: readonly string[]
  readonly binding: ProposalBinding
  readonly steps?: readonly ProposalStep[]
}

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
  const digest = `prop1_${sha256(canonicalJson(asJson(canonical)))}`
  const ref = { kind: 'kcir.proposal.v1', canonicalProposal: asJson(canonical) }
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

const asJson = (proposal: CanonicalProposal) => proposal as unknown as JsonObject

function readProposal(value: JsonObject): CanonicalProposal | InstructionRefusal {
  const proposalKind = oneOf(value['proposalKind'], proposalKinds, {
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

function oneOf<T extends string>(value: Json | undefined, known: readonly T[], member: Member) {
  const text = textOf(value, member)
  const found = known.find(one => one === text)
  return found ?? refused(member.failureClass, `${member.at} is none of ${known.join(', ')}`)
}

function judgmentOf(value: Json | undefined) {
  const failureClass = 'proposal_invalid_target_judgment'
  if (!isJsonObject(value)) return refused(failureClass, 'targetJudgment is not an object')
  return allRead({
    kind: oneOf(value['kind'], judgmentKinds, { at: 'targetJudgment.kind', failureClass }),
    shape: textOf(value['shape'], { at: 'targetJudgment.shape', failureClass }),
  })
}

function bindingOf(value: Json | undefined) {
  const failureClass = 'proposal_unbound_policy'
  if (!isJsonObject(value)) return refused(failureClass, 'binding is missing or not an object')
  return allRead({
    normalizerId: textOf(value['normalizerId'], { at: 'binding.normalizerId', failureClass }),
    policyDigest: textOf(value['policyDigest'], { at: 'binding.policyDigest', failureClass }),
  })
}

const ofStep = (at: string): Member => ({ at, failureClass: 'proposal_invalid_step' })

function candidatesOf(value: JsonObject) {
  if (!isGiven(value, 'candidateRefs')) return []
  const refs = textsOf(value['candidateRefs'], ofStep('candidateRefs'))
  return isRefused(refs) ? refs : [...new Set(refs)].sort(byCodePoint)
}

function stepsOf(
  value: JsonObject,
  kind: ProposalKind,
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

function stepOf(step: Json, at: string): ProposalStep | InstructionRefusal {
  if (!isJsonObject(step)) return refused('proposal_invalid_step', `${at} is not an object`)
  const texts = (name: 'inputs' | 'outputs') =>
    isGiven(step, name) ? textsOf(step[name], ofStep(`${at}.${name}`)) : []
  return allRead({
    ruleId: textOf(step['ruleId'], ofStep(`${at}.ruleId`)),
    claim: textOf(step['claim'], ofStep(`${at}.claim`)),
    inputs: texts('inputs'),
    outputs: texts('outputs'),
  })
}
