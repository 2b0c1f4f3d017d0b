/** Verifies a decision about required checks against the files that it names. */
import { type DecisionVerification, decisions } from '../../wire/required/decision.ts'
import { canonicalJson } from '../canonical.ts'
import type { Json, JsonObject } from '../json.ts'
import { listIn, textIn } from './verify-witness.ts'

export interface DecisionClaim {
  readonly decision: JsonObject
  readonly witness: JsonObject | undefined
  readonly deltaSnapshot: JsonObject | undefined
  /** The digests of the files as they are. */
  readonly actualWitnessSha256: string | undefined
  readonly actualDeltaSha256: string | undefined
}

const lineage = [
  'typedCoreProjectionDigest',
  'authorityPayloadDigest',
  'normalizerId',
  'policyDigest',
  'projectionDigest',
  'requiredChecks',
] as const

export function verifyDecision(claim: DecisionClaim): DecisionVerification {
  const { decision, witness, deltaSnapshot } = claim
  const value = textIn(decision, 'decision')
  const errors = [
    ...(decision['decisionKind'] === 'ci.required.decision.v1'
      ? []
      : ['decisionKind mismatch: it must be ci.required.decision.v1']),
    ...(decisions.some(one => one === value)
      ? []
      : [`decision must be accept or reject, not ${JSON.stringify(decision['decision'])}`]),
    ...shaErrors('witnessSha256', decision, claim.actualWitnessSha256),
    ...shaErrors('deltaSha256', decision, claim.actualDeltaSha256),
    ...lineageErrors(decision, witness, 'witness'),
    ...lineageErrors(decision, deltaSnapshot, 'delta'),
    ...(value === 'accept' && witness && witness['verdictClass'] !== 'accepted'
      ? ['decision mismatch: it accepts, and the verdict of the witness is not accepted']
      : []),
    ...(value === 'accept' && listIn(decision, 'errors').length > 0
      ? ['decision mismatch: it accepts, and lists errors']
      : []),
  ]
  const texts = lineage.flatMap(name => {
    const text = name === 'requiredChecks' ? undefined : textIn(decision, name)
    return text === undefined ? [] : [[name, text] as const]
  })
  const checks = decision['requiredChecks']
  return {
    errors,
    derived: {
      ...(value !== undefined && { decision: value }),
      ...Object.fromEntries(texts),
      ...(areTexts(checks) && { requiredChecks: checks }),
    },
  }
}

/** A decision that does not say which file it is about can be put beside any other. */
function shaErrors(
  name: 'witnessSha256' | 'deltaSha256',
  decision: JsonObject,
  actual: string | undefined,
): readonly string[] {
  const claimed = textIn(decision, name)
  if (claimed === undefined) return [`${name} is missing`]
  if (actual === undefined || claimed === actual) return []
  return [`${name} mismatch: expected ${claimed}, the file has ${actual}`]
}

const lineageErrors = (
  decision: JsonObject,
  other: JsonObject | undefined,
  noun: string,
): readonly string[] =>
  other === undefined
    ? []
    : lineage.flatMap(name =>
        canonicalJson(decision[name] ?? null) === canonicalJson(other[name] ?? null)
          ? []
          : [`${name} mismatch: the ${noun} has another one`],
      )

const areTexts = (value: Json | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every(one => typeof one === 'string')
