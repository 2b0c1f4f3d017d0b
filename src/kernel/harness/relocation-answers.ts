/**
 * What came back from another location, link by link: first the transport says that the inputs
 * arrived, then the location says what it found. Each is computed again and held to the inputs.
 */
import type { Sha256 } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject, jsonIn } from '../json.ts'
import { witnessDigest, witnessKinds, witnessPath } from '../work/witness.ts'
import type { SentRelocation } from './relocation.ts'
import {
  relocationFinding as finding,
  isRelocationClass,
  type RelocationClass,
  type RelocationFinding,
} from './relocation-classes.ts'

export const transportOutcomeKind = 'premath.harness.transport_outcome.v1'
export const relocationCheckKind = 'premath.harness.relocation_check.v1'

/** What is kept of the answers, a no included; and all that keeps the step from counting. */
export interface AnswersVerdict {
  readonly outcome?: JsonObject
  readonly witness?: JsonObject
  readonly findings: readonly RelocationFinding[]
}

export function judgeAnswers(text: string, sent: SentRelocation, sha256: Sha256): AnswersVerdict {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  const answers = lines.map(line => answerIn(jsonIn(line)))
  const misplaced = orderFinding(answers.map(({ is }) => is))
  if (misplaced) return { findings: [misplaced] }
  const [outcome, check] = answers.map(({ value }) => value)
  const unsent = outcomeFinding(outcome, sent)
  if (unsent || outcome === undefined) return { findings: unsent ? [unsent] : [] }
  if (check === undefined) {
    const message = `nothing came back from ${sent.relocation.destination}`
    return { outcome, findings: [finding('handoff.destination_evidence_missing', message)] }
  }
  return { outcome, ...checkVerdict(check, sent, sha256) }
}

interface Answer {
  readonly is: 'outcome' | 'check' | 'unknown'
  readonly value: JsonObject | undefined
}

function answerIn(value: Json | undefined): Answer {
  if (!isJsonObject(value)) return { is: 'unknown', value: undefined }
  if (value['outcomeKind'] === transportOutcomeKind) return { is: 'outcome', value }
  return { is: value['checkKind'] === relocationCheckKind ? 'check' : 'unknown', value }
}

function orderFinding(kinds: readonly Answer['is'][]): RelocationFinding | undefined {
  const unknown = kinds.indexOf('unknown')
  if (unknown !== -1) {
    const message = `answer ${unknown + 1} is neither an outcome of the transport nor a check`
    return finding('handoff.evidence_invalid', message)
  }
  if (!kinds.includes('outcome')) {
    return finding('handoff.transport_evidence_missing', 'the transport left no outcome')
  }
  const order = kinds.join(', ')
  if (order === 'outcome' || order === 'outcome, check') return undefined
  return finding('handoff.evidence_out_of_order', `the answers are ${order}`)
}

function outcomeFinding(
  outcome: JsonObject | undefined,
  sent: SentRelocation,
): RelocationFinding | undefined {
  if (outcome?.['relocationDigest'] !== `sha256:${sent.digest}`) {
    return finding('handoff.evidence_mismatch', 'the transport tells of other inputs')
  }
  if (outcome['result'] === 'delivered' && outcome['schema'] === 1) return undefined
  return outcome['result'] === 'failed'
    ? finding('handoff.transport_failed', 'the transport says that the inputs did not arrive')
    : finding('handoff.evidence_invalid', 'the outcome of the transport has not its shape')
}

function checkVerdict(
  { witness, witnessRef }: JsonObject,
  { relocation, digest }: SentRelocation,
  sha256: Sha256,
): Omit<AnswersVerdict, 'outcome'> {
  if (!isWitness(witness, witnessRef, sha256)) {
    const message = 'the witness of the location is not what its digest says'
    return { findings: [finding('handoff.evidence_invalid', message)] }
  }
  const { destination, issueId, stepId, treeDigest, mutationPolicyDigest } = relocation
  const about = { relocationDigest: `sha256:${digest}`, destination, issueId, stepId }
  const other = firstOther(witness, about)
  // About something else: what it says is nothing to us, and is not kept.
  if (other) return { findings: [other] }
  const refused = refusalIn(witness)
  if (refused.length > 0) return { witness, findings: refused }
  const moved = firstOther(witness, { treeDigest, mutationPolicyDigest })
  if (moved) return { witness, findings: [moved] }
  if (isVerified(witness)) return { witness, findings: [] }
  const message = 'the witness says yes, and shows no verification that passed'
  return { witness, findings: [finding('handoff.evidence_invalid', message)] }
}

function isWitness(
  witness: Json | undefined,
  witnessRef: Json | undefined,
  sha256: Sha256,
): witness is JsonObject {
  if (!isJsonObject(witness) || witness['schema'] !== 1) return false
  if (witness['witnessKind'] !== witnessKinds.relocation) return false
  return witnessRef === witnessPath('relocation', witnessDigest(witness, sha256))
}

function firstOther(
  witness: JsonObject,
  expected: Readonly<Record<string, string>>,
): RelocationFinding | undefined {
  const other = Object.keys(expected).find(member => witness[member] !== expected[member])
  if (other === undefined) return undefined
  const message = `the witness of the location has another ${other}`
  return finding('handoff.evidence_mismatch', message)
}

/** Its own classes come along, as far as they are known: the rest is said by the first. */
function refusalIn({ result, failureClasses }: JsonObject): readonly RelocationFinding[] {
  const named = Array.isArray(failureClasses) ? failureClasses : [undefined]
  if (result === 'accepted' && named.length === 0) return []
  const known: readonly RelocationClass[] = named.filter(isRelocationClass)
  const why = known.length > 0 ? `: ${known.join(', ')}` : ''
  const message = `the check at the location said no${why}`
  return [
    finding('handoff.destination_rejected', message),
    ...known.map(name => finding(name, message)),
  ]
}

function isVerified({ verifications }: JsonObject): boolean {
  const passed = (one: Json) => isJsonObject(one) && one['exitCode'] === 0
  return Array.isArray(verifications) && verifications.length > 0 && verifications.every(passed)
}
