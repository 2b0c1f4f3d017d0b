/** Decides whether the required checks of a change let it pass. */
import type { WitnessDecision } from '../../wire/required/decision.ts'
import { canonicalJson, type Sha256 } from '../canonical.ts'
import { isRefused } from '../instruction/instruction-refusal.ts'
import { changedPathsOf } from './changed-paths.ts'
import { verifyRequiredWitness, type WitnessQuestion } from './verify-witness.ts'

interface DecisionQuestion extends Omit<WitnessQuestion, 'changedPaths'> {
  /** The paths that changed by the account of somebody else than the witness. */
  readonly expectedChangedPaths: readonly string[] | undefined
}

const decisionKind = 'ci.required.decision.v1'

const pathsMember = {
  at: 'witness.changedPaths',
  failureClass: 'required_witness_decide_invalid',
} as const

export function decideRequired(question: DecisionQuestion, sha256: Sha256): WitnessDecision {
  const { witness, expectedChangedPaths } = question
  const changedPaths = changedPathsOf(witness['changedPaths'], pathsMember)
  if (isRefused(changedPaths)) return reject('invalid_witness_shape', [changedPaths.message])
  const { errors, derived } = verifyRequiredWitness({ ...question, changedPaths }, sha256)
  const isSame =
    expectedChangedPaths === undefined ||
    canonicalJson(expectedChangedPaths) === canonicalJson(changedPaths)
  const all = [
    ...errors,
    ...(isSame ? [] : ['delta comparison mismatch: the witness is about other paths']),
    ...(witness['verdictClass'] === 'accepted'
      ? []
      : ['the verdict of the witness is not accepted']),
  ]
  const { requiredChecks, projectionDigest, normalizerId, policyDigest } = derived
  const { typedCoreProjectionDigest, authorityPayloadDigest } = derived
  const lineage = {
    projectionDigest,
    typedCoreProjectionDigest,
    authorityPayloadDigest,
    normalizerId,
    policyDigest,
    requiredChecks,
  }
  if (all.length > 0) return reject('verification_reject', all, lineage)
  return {
    decisionKind,
    decision: 'accept',
    reasonClass: 'verified_accept',
    ...lineage,
    errors: [],
  }
}

const reject = (
  reasonClass: WitnessDecision['reasonClass'],
  errors: readonly string[],
  lineage: Partial<WitnessDecision> = {},
): WitnessDecision => ({ decisionKind, decision: 'reject', reasonClass, ...lineage, errors })
