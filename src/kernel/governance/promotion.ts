/** Checks the evidence for promoting a policy. */
import { GovernanceProfile } from '../../wire/policy/governance-promotion.ts'
import { guardrailStages } from '../../wire/turn/turn-evidence.ts'
import { byCodePoint } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject, numberOf } from '../json.ts'
import { trim } from '../text/clean.ts'
import { governanceProfileId } from '../turn/governance-claim.ts'
import type { FailureClass } from '../turn/rules/index.ts'

export interface PromotionFinding {
  readonly failureClass: Extract<FailureClass, `governance.${string}`>
  readonly at: string
  readonly message: string
}

interface PromotionQuestion {
  /** The evidence document, if there is one. */
  readonly evidence: Json | undefined
  /** True during a promotion, which needs evidence. */
  readonly required: boolean
  /** Profiles that the project's registry claims. Claims in the document do not count. */
  readonly registryClaims: readonly string[]
  /** The digest of the document to promote. The evidence must be bound to it. */
  readonly boundTo?: string | undefined
}

/** All missing evidence; empty if the project does not claim governance. */
export function promotionFindings(question: PromotionQuestion): readonly PromotionFinding[] {
  const { evidence, required, registryClaims, boundTo } = question
  if (!registryClaims.includes(governanceProfileId)) return []
  const document = objectOf(evidence)
  if (document['promotionIntent'] === true) return evidenceFindings(document, boundTo)
  if (!required) return []
  const message = 'a promotion is required, and there is no evidence that one is intended'
  return [lacks('governance.eval_lineage_missing', 'promotionIntent', message)]
}

export const promotionClasses = (findings: readonly PromotionFinding[]): readonly string[] =>
  [...new Set(findings.map(({ failureClass }) => failureClass))].sort(byCodePoint)

function evidenceFindings(
  evidence: JsonObject,
  boundTo: string | undefined,
): readonly PromotionFinding[] {
  const profile = objectOf(evidence['governanceProfile'])
  const claim = claimFindings(profile)
  // Evidence for another profile is not checked further.
  if (claim.length > 0) return claim
  return [
    ...packageFindings(profile, boundTo),
    ...stageFindings(profile['guardrailStages']),
    ...evalFindings(profile, objectOf(evidence['workflowTrace'])),
    ...lineageFindings(profile, objectOf(evidence['workflowTrace'])),
    ...redTeamFindings(objectOf(evidence['adversarialGate'])),
    ...modeFindings(profile['observabilityMode']),
    ...riskFindings(objectOf(profile['riskTier'])),
    ...evolutionFindings(objectOf(profile['selfEvolution'])),
  ]
}

const { evalEvidence, observabilityMode, riskTier } = GovernanceProfile.members
const stages: readonly string[] = guardrailStages
const lineageRefs = Object.keys(evalEvidence.members)
const modes: readonly string[] = observabilityMode.words
const tiers: readonly string[] = riskTier.members.tier.words

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})
const isText = (value: Json | undefined) => typeof value === 'string' && trim(value) !== ''

const lacks = (
  failureClass: PromotionFinding['failureClass'],
  at: string,
  message = 'is missing',
): PromotionFinding => ({ failureClass, at, message })

const of = (name: string) => `governanceProfile.${name}`

function claimFindings({ claimId }: JsonObject): readonly PromotionFinding[] {
  if (claimId === undefined || claimId === governanceProfileId) return []
  const message = `is not ${governanceProfileId}`
  return [lacks('governance.claim_id_invalid', of('claimId'), message)]
}

function packageFindings(
  profile: JsonObject,
  boundTo: string | undefined,
): readonly PromotionFinding[] {
  const { pinned, packageRef, expectedDigest, boundDigest } = objectOf(profile['policyProvenance'])
  if (profile['claimed'] !== true) {
    return [lacks('governance.policy_package_unpinned', of('claimed'), 'is not true')]
  }
  if (pinned !== true || ![packageRef, expectedDigest, boundDigest].every(isText)) {
    const message = 'no package is pinned with packageRef, expectedDigest and boundDigest'
    return [lacks('governance.policy_package_unpinned', of('policyProvenance'), message)]
  }
  const at = of('policyProvenance.boundDigest')
  const mismatch = (message: string) => [lacks('governance.policy_package_mismatch', at, message)]
  if (expectedDigest !== boundDigest) return mismatch('is not the expectedDigest')
  if (boundTo === undefined || boundDigest === boundTo) return []
  return mismatch(`is not ${boundTo}, which is to be put in force`)
}

function stageFindings(value: Json | undefined): readonly PromotionFinding[] {
  const at = of('guardrailStages')
  const given: readonly Json[] = Array.isArray(value) ? value : []
  const missing = stages.filter(stage => !given.includes(stage))
  if (missing.length > 0) {
    return [lacks('governance.guardrail_stage_missing', at, `lacks ${missing.join(', ')}`)]
  }
  const inOrder =
    given.length === stages.length && stages.every((one, place) => given[place] === one)
  if (inOrder) return []
  const message = `is not ${stages.join(', ')}`
  return [lacks('governance.guardrail_stage_order_invalid', at, message)]
}

/** Requires a declared pass and a score that reaches the threshold. */
function evalFindings(profile: JsonObject, trace: JsonObject): readonly PromotionFinding[] {
  const unmet = (at: string, message: string) => lacks('governance.eval_gate_unmet', at, message)
  const [score, threshold] = [numberOf(trace['score']), numberOf(trace['threshold'])]
  const isMeasured = score !== undefined && threshold !== undefined
  const { grade } = trace
  return [
    ...(objectOf(profile['evalGate'])['passed'] === true
      ? []
      : [unmet(of('evalGate.passed'), 'is not true')]),
    ...(isMeasured ? [] : [unmet('workflowTrace', 'score or threshold is missing')]),
    ...(isMeasured && score < threshold
      ? [unmet('workflowTrace.score', `is ${score}, below ${threshold}`)]
      : []),
    ...(typeof grade === 'string' && /^(?:fail|reject)/i.test(trim(grade))
      ? [unmet('workflowTrace.grade', 'is a failure')]
      : []),
  ]
}

function lineageFindings(profile: JsonObject, trace: JsonObject): readonly PromotionFinding[] {
  const refs = objectOf(profile['evalEvidence'])
  const missing = lineageRefs.filter(name => !isText(refs[name]))
  const places = missing.map(name => of(`evalEvidence.${name}`))
  if (!isText(trace['traceRef'])) places.push('workflowTrace.traceRef')
  return places.map(at => lacks('governance.eval_lineage_missing', at))
}

function redTeamFindings({ passed, reportRef }: JsonObject): readonly PromotionFinding[] {
  const unmet = (at: string, message: string) => lacks('governance.redteam_gate_unmet', at, message)
  return [
    ...(passed === true ? [] : [unmet('adversarialGate.passed', 'is not true')]),
    ...(isText(reportRef) ? [] : [unmet('adversarialGate.reportRef', 'is missing')]),
  ]
}

function modeFindings(mode: Json | undefined): readonly PromotionFinding[] {
  if (typeof mode === 'string' && modes.includes(mode)) return []
  const message = `is none of ${modes.join(', ')}`
  return [lacks('governance.trace_mode_violation', of('observabilityMode'), message)]
}

function riskFindings({ tier, controlProfileBound }: JsonObject): readonly PromotionFinding[] {
  const isKnown = typeof tier === 'string' && tiers.includes(tier)
  if (isKnown && controlProfileBound === true) return []
  const message = isKnown ? 'has no control profile' : `is none of ${tiers.join(', ')}`
  return [lacks('governance.risk_tier_profile_missing', of('riskTier'), message)]
}

function evolutionFindings({
  maxAttempts,
  terminalEscalation,
  rollbackRef,
}: JsonObject): readonly PromotionFinding[] {
  const at = (name: string) => of(`selfEvolution.${name}`)
  const isBounded = Number.isSafeInteger(maxAttempts) && Number(maxAttempts) >= 1
  return [
    ...(isBounded
      ? []
      : [lacks('governance.self_evolution_retry_missing', at('maxAttempts'), 'is not at least 1')]),
    ...(isText(terminalEscalation)
      ? []
      : [lacks('governance.self_evolution_escalation_missing', at('terminalEscalation'))]),
    ...(isText(rollbackRef)
      ? []
      : [lacks('governance.self_evolution_rollback_missing', at('rollbackRef'))]),
  ]
}
