/** A judged turn with everything it was judged by, so that a reader can judge it again. */
import type { TurnWitness } from '../../wire/proof/join-witness.ts'
import { type AgentGrant, ageRefusal, type WitnessTerms } from '../authority/agent-grant.ts'
import type { Sha256 } from '../canonical.ts'
import { type IssueRefusal, refuse } from '../issues/issue-refusal.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { witnessKinds } from '../proof/witness.ts'
import { clip } from '../text/clean.ts'
import type { Judgement } from './judge.ts'
import { MutationReady, type Refusal } from './mutation-ready.ts'
import type { Kit } from './rules/rule.ts'
import { witnessDigest } from './witness.ts'

type JoinLinkage = Pick<TurnWitness, 'instructionId' | 'judgedAt'>

export function joinWitness(
  input: Json,
  { turn, join }: Judgement,
  { instructionId, judgedAt }: JoinLinkage,
  sha256: Sha256,
): TurnWitness {
  const { mutation } = turn.claims
  return {
    schema: 1,
    witnessKind: witnessKinds.join,
    judgedAt,
    instructionId,
    issueId: mutation?.issueId ?? null,
    action: mutation?.action ?? null,
    callId: turn.callSpec.callId ?? null,
    mutationPolicyDigest: turn.callSpec.mutationPolicyDigest ?? null,
    result: join.joinClosed ? 'accepted' : 'rejected',
    joinClosed: join.joinClosed,
    mutationReady: join.mutationReady,
    failureClasses: join.failureClasses,
    digests: turn.digests,
    verdictDigest: witnessDigest(turn, join, sha256),
    // Under `disabled` observability nothing is kept, so nothing can be judged again.
    evidence: turn.callSpec.observabilityMode === 'disabled' ? null : input,
  }
}

interface TurnGround extends WitnessTerms {
  readonly kit: Kit
  /** The digest of the policy in force. */
  readonly mutationPolicyDigest: string
}

/**
 * Proof that a witnessed turn may change issue memory. It judges the evidence again instead of
 * trusting a stored boolean.
 */
export function openTurn(
  witness: JsonObject,
  { instruction }: AgentGrant,
  { kit, mutationPolicyDigest, ...terms }: TurnGround,
): MutationReady | IssueRefusal {
  const { instructionId } = instruction
  if (witness['instructionId'] !== instructionId) {
    return noEvidence(`the turn was judged for another instruction than ${instructionId}`)
  }
  const aged = ageRefusal('the witness of the turn', String(witness['judgedAt']), terms)
  if (aged) return aged
  const input = witness['evidence']
  if (!isJsonObject(input)) return noEvidence('the evidence of the turn was not kept')
  // The project decides which policy is in force, not the turn.
  const asked = { ...input, activeMutationPolicyDigest: mutationPolicyDigest }
  const ready = MutationReady.gate(asked, kit)
  return ready.ready ? ready : openTurnRefusal(ready, mutationPolicyDigest)
}

export const noEvidence = (why: string): IssueRefusal =>
  refuse(
    'mutation.use_evidence_missing',
    why,
    'premath harness-join-check --input <turn> --write-witness --instruction <id> makes the witness of a turn.',
  )

/** Demands that only apply to mutations, by their best-fitting class. */
const demandClasses: Readonly<Record<string, string>> = {
  decomposition_document: 'coordination.decomposition_policy_violation',
  execution_pattern: 'coordination.decomposition_policy_violation',
  fan_out: 'coordination.decomposition_policy_violation',
  eval_gate: 'governance.eval_gate_unmet',
  redteam_gate: 'governance.redteam_gate_unmet',
}
const transferClass = 'handoff.target_not_allowed'

/** Longer than any ref that premath writes. */
const refCharsMax = 300

/** The first ref that names nothing, where nothing else is wrong with the turn. */
export function refRefusal({ findings, unmet, unresolved }: Refusal): IssueRefusal | undefined {
  const [first] = unresolved
  if (!first || findings.length > 0 || unmet.length > 0) return undefined
  const { at, ref, noun } = first
  return refuse(
    'turn_ref_unresolved',
    `${at} names ${JSON.stringify(clip(ref, refCharsMax))}, which is no ${noun} of this project`,
    'Name an artifact that exists: a session file, the id of a step, a witness:// ref or a file of the project.',
  )
}

function openTurnRefusal(refusal: Refusal, policyDigest: string): IssueRefusal {
  const { findings, unmet } = refusal
  const found = findings.map(({ failureClass }) => failureClass)
  if (found.includes('mutation.policy_digest_mismatch')) {
    const why = `the turn is bound to another policy than the one in force, ${policyDigest}`
    const remedy = 'Bind the call to the policy in force: callSpec.mutationPolicyDigest.'
    return refuse('mutation.policy_digest_mismatch', why, remedy)
  }
  const unresolved = refRefusal(refusal)
  if (unresolved) return unresolved
  const demanded = unmet.map(({ requirement }) => demandClasses[requirement] ?? transferClass)
  // For an open turn, the missing part is the best explanation.
  const first = findings.find(one => one.failureClass !== 'tool.join_incomplete') ?? findings[0]
  const [lacking] = unmet
  const why = first
    ? `${first.failureClass} at ${first.at}: ${first.message}`
    : `${demanded[0] ?? 'it asks for no change'}${lacking ? `: ${lacking.message}` : ''}`
  const remedy = first?.remedy ?? 'Say in the turn which change it asks for, and what lets it.'
  const turnClasses = [...new Set([...found, ...demanded])]
  return { ...refuse('turn_not_closed', `the turn is open: ${why}`, remedy), turnClasses }
}
