/**
 * Checks the answers from another location: first the outcome of the transport, then the check of
 * the location. Each digest is computed again and compared with the inputs.
 */
import {
  RelocationCheck,
  type RelocationWitness,
} from '../../../wire/relocation/relocation-witness.ts'
import { Flaw, shaped } from '../../artifact/flaw.ts'
import { canonicalJson, type Sha256 } from '../../canonical.ts'
import { isJsonObject, type Json, type JsonObject, jsonIn } from '../../json.ts'
import { witnessDigest, witnessPath } from '../../proof/witness.ts'
import type { SentRelocation } from './relocation.ts'
import { checkedParts } from './relocation-check.ts'
import {
  relocationFinding as finding,
  isRelocationClass,
  type RelocationClass,
  type RelocationFinding,
} from './relocation-classes.ts'

export const transportOutcomeKind = 'premath.harness.transport_outcome.v1'
export const relocationCheckKind = 'premath.harness.relocation_check.v1'

/** The answers to keep, including rejections, and all findings against the step. */
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
    const message = `no answer came back from ${sent.relocation.destination}`
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
    const message = `answer ${unknown + 1} is neither a transport outcome nor a check`
    return finding('handoff.evidence_invalid', message)
  }
  if (!kinds.includes('outcome')) {
    return finding('handoff.transport_evidence_missing', 'the transport reported no outcome')
  }
  const order = kinds.join(', ')
  if (order === 'outcome' || order === 'outcome, check') return undefined
  return finding(
    'handoff.evidence_out_of_order',
    `the answers must be an outcome and then a check, but are ${order}`,
  )
}

function outcomeFinding(
  outcome: JsonObject | undefined,
  sent: SentRelocation,
): RelocationFinding | undefined {
  if (outcome?.['relocationDigest'] !== `sha256:${sent.digest}`) {
    return finding(
      'handoff.evidence_mismatch',
      'the outcome of the transport is about other inputs',
    )
  }
  if (outcome['result'] === 'delivered' && outcome['schema'] === 1) return undefined
  return outcome['result'] === 'failed'
    ? finding('handoff.transport_failed', 'the transport reports that the inputs did not arrive')
    : finding('handoff.evidence_invalid', 'the outcome of the transport has a wrong shape')
}

function checkVerdict(
  check: JsonObject,
  { relocation, digest }: SentRelocation,
  sha256: Sha256,
): Omit<AnswersVerdict, 'outcome'> {
  const read = readCheck(check, sha256)
  if (typeof read === 'string') return { findings: [finding('handoff.evidence_invalid', read)] }
  const { reported, witness } = read
  const { destination, issueId, stepId, treeDigest, mutationPolicyDigest } = relocation
  const about = { relocationDigest: `sha256:${digest}`, destination, issueId, stepId }
  const other = firstOther(witness, about)
  // It is about other inputs, so it is ignored and not kept.
  if (other) return { findings: [other] }
  const refused = refusalIn(reported)
  if (refused.length > 0) return { witness, findings: refused }
  const moved = firstOther(witness, { treeDigest, mutationPolicyDigest })
  if (moved) return { witness, findings: [moved] }
  const unshown = missingWitness(reported)
  if (unshown === undefined) return { witness, findings: [] }
  return { witness, findings: [finding('handoff.evidence_invalid', unshown)] }
}

interface ReadCheck {
  readonly reported: RelocationWitness
  /** The same witness as received, with unknown members. */
  readonly witness: JsonObject
}

/**
 * Returns a message if the check has a wrong shape, a wrong digest, or disagrees with its witness.
 */
function readCheck(check: JsonObject, sha256: Sha256): ReadCheck | string {
  const { witness, witnessRef } = check
  const reported = shaped(RelocationCheck, JSON.parse(canonicalJson(check)))
  if (reported instanceof Flaw) return `the check of the location is not valid: ${reported}`
  if (!isJsonObject(witness)) return 'the check of the location is not valid: it has no witness'
  if (witnessRef !== witnessPath('relocation', witnessDigest(witness, sha256))) {
    return 'the witness of the location does not match its digest'
  }
  if (!isAgreed(reported)) return 'the check of the location contradicts its witness'
  return { reported: reported.witness, witness }
}

/** The check and its witness must have the same result and the same classes. */
function isAgreed({ result, failureClasses, findings, witness }: RelocationCheck): boolean {
  const printed = (classes: readonly string[]) => [...new Set(classes)].sort().join('\n')
  const expected = printed(witness.failureClasses)
  return (
    result === witness.result &&
    printed(failureClasses) === expected &&
    printed(findings.map(({ failureClass }) => failureClass)) === expected
  )
}

function firstOther(
  witness: JsonObject,
  expected: Readonly<Record<string, string>>,
): RelocationFinding | undefined {
  const other = Object.keys(expected).find(member => witness[member] !== expected[member])
  if (other === undefined) return undefined
  const message = `the witness of the location has a different ${other}`
  return finding('handoff.evidence_mismatch', message)
}

/** Adds the known classes of the location as findings of their own. Unknown ones are dropped. */
function refusalIn({ result, failureClasses }: RelocationWitness): readonly RelocationFinding[] {
  if (result === 'accepted' && failureClasses.length === 0) return []
  const known: readonly RelocationClass[] = failureClasses.filter(isRelocationClass)
  const why = known.length > 0 ? `: ${known.join(', ')}` : ''
  const message = `the check at the location rejected the work${why}`
  return [
    finding('handoff.destination_rejected', message),
    ...known.map(name => finding(name, message)),
  ]
}

/** Returns what an accepted witness fails to show. */
function missingWitness({ checked, verifications }: RelocationWitness): string | undefined {
  const parts = [...checkedParts, 'verification'] as const
  const unseen = parts.find(part => !checked.includes(part))
  if (unseen !== undefined) return `the witness accepts the work but did not check: ${unseen}`
  const isPassed = verifications.every(({ exitCode }) => exitCode === 0)
  if (isPassed && verifications.length > 0) return undefined
  return 'the witness accepts the work but shows no passed verification'
}
