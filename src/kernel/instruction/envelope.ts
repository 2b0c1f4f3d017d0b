/** Reads an instruction: the intent, its policy and its requested checks. */
import type {
  InstructionClassification,
  InstructionWitness,
} from '../../wire/instruction/instruction-witness.ts'
import type { ProposalBinding } from '../../wire/instruction/proposal.ts'
import { byCodePoint, canonicalJson, inKeyOrder, type Sha256 } from '../canonical.ts'
import { isJsonObject, type Json, JsonNumber, type JsonObject } from '../json.ts'
import { exactTextOf, isGiven, isWhole, namesOf, shown, textOf } from './instruction-field.ts'
import { type PolicyRegistry, policyNamed, type RegisteredPolicy } from './instruction-policy.ts'
import { allRead, type InstructionRefusal, isRefused, refused } from './instruction-refusal.ts'
import { classifyInstruction, decideExecution, type ExecutionDecision } from './instruction-type.ts'
import { type CheckedProposal, checkProposal } from './proposal.ts'
import { scopeMutations } from './scope-mutations.ts'

/** In the order of the answer. */
export interface CheckedInstruction {
  readonly intent: string
  readonly scope: Json
  readonly normalizerId: string
  readonly policyDigest: string
  readonly instructionDigest: string
  readonly requestedChecks: readonly string[]
  readonly instructionType?: string
  readonly instructionClassification: InstructionClassification
  readonly executionDecision: ExecutionDecision
  readonly typingPolicy: TypingPolicy
  readonly capabilityClaims: readonly string[]
  readonly proposal?: CheckedProposal
}

type TypingPolicy = InstructionWitness['typingPolicy']

/** Covers the whole document, unknown members included. */
export const instructionDigestOf = (envelope: Json, sha256: Sha256): string =>
  `instr1_${sha256(canonicalJson(envelope))}`

/** Reads the document member by member and reports the first error, in a fixed order. */
export function checkEnvelope(
  envelope: Json,
  registry: PolicyRegistry | InstructionRefusal,
  sha256: Sha256,
): CheckedInstruction | InstructionRefusal {
  if (!isJsonObject(envelope)) {
    return refused('instruction_envelope_invalid_shape', 'the instruction is not an object')
  }
  const asked = askedIn(envelope)
  if (isRefused(asked)) return asked
  const policy = policyNamed(asked.policyDigest, registry)
  if (isRefused(policy)) return policy
  const forbidden = forbiddenBy(policy, asked)
  if (forbidden) return forbidden
  const options = optionsIn(envelope, asked, sha256)
  if (isRefused(options)) return options
  return checked(asked, options, instructionDigestOf(envelope, sha256))
}

type Asked = Exclude<ReturnType<typeof askedIn>, InstructionRefusal>
type Options = Exclude<ReturnType<typeof optionsIn>, InstructionRefusal>

function checked(asked: Asked, options: Options, instructionDigest: string): CheckedInstruction {
  const { intent, scope, normalizerId, policyDigest, requestedChecks } = asked
  const { typingPolicy, capabilityClaims } = options
  const [instructionType] = options.instructionType
  const [proposal] = options.proposal
  const classification = classifyInstruction(instructionType, requestedChecks)
  const { allowUnknown } = typingPolicy
  return {
    intent,
    scope,
    normalizerId,
    policyDigest,
    instructionDigest,
    requestedChecks,
    ...(instructionType !== undefined && { instructionType }),
    instructionClassification: classification,
    executionDecision: decideExecution(classification, allowUnknown, proposal?.discharge),
    typingPolicy,
    capabilityClaims,
    ...(proposal && { proposal }),
  }
}

/** The required members. */
function askedIn(envelope: JsonObject) {
  return allRead({
    schema: schemaOf(envelope['schema']),
    intent: exactTextOf(envelope['intent'], {
      at: 'intent',
      failureClass: 'instruction_invalid_intent',
    }),
    normalizerId: exactTextOf(envelope['normalizerId'], {
      at: 'normalizerId',
      failureClass: 'instruction_invalid_normalizer',
    }),
    policyDigest: exactTextOf(envelope['policyDigest'], {
      at: 'policyDigest',
      failureClass: 'instruction_invalid_policy_digest',
    }),
    scope: scopeOf(envelope['scope']),
    requestedChecks: requestedChecksOf(envelope['requestedChecks']),
  })
}

function schemaOf(value: Json | undefined) {
  const text = value instanceof JsonNumber ? value.text : String(value)
  if (value !== undefined && isWhole(value) && !/^(?:-|0$)/.test(text)) return value
  return refused('instruction_invalid_schema', 'schema is not a whole number above 0')
}

function scopeOf(scope: Json | undefined): Json | InstructionRefusal {
  if (scope === undefined) return refused('instruction_scope_missing', 'scope is missing')
  if (scope === null || scope === '') {
    return refused('instruction_scope_invalid', 'scope is null or blank')
  }
  const mutations = scopeMutations(scope)
  return isRefused(mutations) ? mutations : inKeyOrder(scope)
}

function requestedChecksOf(value: Json | undefined) {
  const failureClass = 'instruction_requested_checks_invalid'
  const names = namesOf(value, { at: 'requestedChecks', failureClass })
  if (isRefused(names) || names.length > 0) return names
  return refused(failureClass, 'requestedChecks is empty')
}

function forbiddenBy(
  { allowedChecks, requiredChecks = [], allowedNormalizers, policyId }: RegisteredPolicy,
  { requestedChecks, normalizerId }: Asked,
): InstructionRefusal | undefined {
  const check = requestedChecks.find(one => !allowedChecks.includes(one))
  if (check !== undefined) {
    const why = `${policyId} does not allow the check ${shown(check)}`
    return refused('instruction_check_not_allowed', why)
  }
  const lacking = requiredChecks.find(one => !requestedChecks.includes(one))
  if (lacking !== undefined) {
    const why = `${policyId} requires the check ${shown(lacking)}, and requestedChecks lacks it`
    return refused('instruction_check_required', why)
  }
  if (allowedNormalizers.includes(normalizerId)) return undefined
  const why = `${policyId} does not allow the normalizer ${shown(normalizerId)}`
  return refused('instruction_normalizer_not_allowed', why)
}

/** The optional members, each as a list of one or none. */
function optionsIn(envelope: JsonObject, binding: ProposalBinding, sha256: Sha256) {
  return allRead({
    instructionType: instructionTypeIn(envelope),
    typingPolicy: typingPolicyIn(envelope),
    capabilityClaims: capabilityClaimsIn(envelope),
    proposal: proposalIn(envelope, binding, sha256),
  })
}

function instructionTypeIn(envelope: JsonObject): readonly [string?] | InstructionRefusal {
  if (!isGiven(envelope, 'instructionType')) return []
  const type = textOf(envelope['instructionType'], {
    at: 'instructionType',
    failureClass: 'instruction_instruction_type_invalid',
  })
  return isRefused(type) ? type : [type]
}

function typingPolicyIn(envelope: JsonObject): TypingPolicy | InstructionRefusal {
  if (!isGiven(envelope, 'typingPolicy')) return { allowUnknown: false }
  const bad = (why: string) => refused('instruction_typing_policy_invalid', why)
  const policy = envelope['typingPolicy']
  if (!isJsonObject(policy)) return bad('typingPolicy is not an object')
  const allowUnknown = isGiven(policy, 'allowUnknown') ? policy['allowUnknown'] : false
  if (typeof allowUnknown === 'boolean') return { allowUnknown }
  return bad('typingPolicy.allowUnknown is not true or false')
}

function capabilityClaimsIn(envelope: JsonObject) {
  if (!isGiven(envelope, 'capabilityClaims')) return []
  const names = namesOf(envelope['capabilityClaims'], {
    at: 'capabilityClaims',
    failureClass: 'instruction_capability_claims_invalid',
  })
  return isRefused(names) ? names : names.toSorted(byCodePoint)
}

function proposalIn(
  envelope: JsonObject,
  { normalizerId, policyDigest }: ProposalBinding,
  sha256: Sha256,
): readonly [CheckedProposal?] | InstructionRefusal {
  const given = ['proposal', 'llmProposal'].filter(name => isGiven(envelope, name))
  const [name] = given
  if (name === undefined) return []
  if (given.length > 1) {
    return refused('proposal_invalid_shape', 'proposal and llmProposal are both given')
  }
  const proposal = checkProposal(envelope[name] ?? null, sha256)
  if (isRefused(proposal)) return refused(proposal.failureClass, `${name}: ${proposal.message}`)
  const { binding } = proposal.canonical
  if (binding.normalizerId === normalizerId && binding.policyDigest === policyDigest) {
    return [proposal]
  }
  const why = `${name}.binding is not the normalizerId and policyDigest of the instruction`
  return refused('proposal_binding_mismatch', why)
}
