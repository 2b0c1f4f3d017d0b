/** The durable record of an instruction: its content, its run and the verdict. */
import {
  type CheckResult,
  InstructionWitness,
  type JoinLink,
} from '../../wire/instruction/instruction-witness.ts'
import { documentOf } from '../artifact/print.ts'
import { byCodePoint, canonicalJson, inKeyOrder, type Sha256 } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { cleanRefs, trim } from '../text/clean.ts'
import type { CheckedInstruction } from './envelope.ts'
import type { InstructionRuntime } from './instruction-runtime.ts'
import type { CheckedProposal } from './proposal.ts'

export const instructionWitnessKind = 'ci.instruction.v1'

/** The parts of the verdict. */
interface Verdict {
  readonly operational: readonly string[]
  readonly semantic: readonly string[]
}

export function witnessInstruction(
  instruction: CheckedInstruction,
  runtime: InstructionRuntime,
  sha256: Sha256,
): InstructionWitness {
  const { intent, scope, normalizerId, policyDigest, requestedChecks, proposal } = instruction
  const head = {
    instructionClassification: instruction.instructionClassification,
    typingPolicy: instruction.typingPolicy,
    intent,
    scope,
    normalizerId,
    policyDigest,
    capabilityClaims: instruction.capabilityClaims,
    requiredChecks: requestedChecks,
  }
  const verdict = verdictOf(instruction, runtime.results)
  const tail = proposal ? { proposalIngest: ingestOf(proposal) } : {}
  return sealed(witnessOf(head, runtime, verdict, tail, sha256), runtime.join, sha256)
}

/**
 * The witness of an instruction that was refused before it ran, with the members that could be
 * read.
 */
export function rejectWitness(
  envelope: Json | undefined,
  runtime: InstructionRuntime,
  { failureClass, reason }: { readonly failureClass: string; readonly reason: string },
  sha256: Sha256,
): InstructionWitness {
  const given = isJsonObject(envelope) ? envelope : {}
  const typing = given['typingPolicy']
  const head = {
    instructionClassification: { state: 'unknown', reason: 'pre_execution_invalid' } as const,
    typingPolicy: { allowUnknown: isJsonObject(typing) && typing['allowUnknown'] === true },
    intent: salvagedText(given['intent']) ?? '(invalid envelope)',
    scope: given['scope'] === undefined ? null : inKeyOrder(given['scope']),
    normalizerId: salvagedText(given['normalizerId']) ?? null,
    policyDigest: salvagedText(given['policyDigest']) ?? null,
    capabilityClaims: salvagedList(given['capabilityClaims']),
    requiredChecks: salvagedList(given['requestedChecks']),
  }
  const verdict = { operational: [failureClass], semantic: [] }
  const tail = { rejectStage: 'pre_execution' as const, rejectReason: reason }
  const notRun = { ...runtime, results: [] }
  return sealed(witnessOf(head, notRun, verdict, tail, sha256), runtime.join, sha256)
}

const salvagedText = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? trim(value) || undefined : undefined

const salvagedList = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? cleanRefs(value.filter(one => typeof one === 'string')) : []

type Head = Pick<
  InstructionWitness,
  | 'instructionClassification'
  | 'typingPolicy'
  | 'intent'
  | 'scope'
  | 'normalizerId'
  | 'policyDigest'
> & { readonly capabilityClaims: readonly string[]; readonly requiredChecks: readonly string[] }

/** In the member order of earlier tools. */
function witnessOf(
  head: Head,
  runtime: InstructionRuntime,
  verdict: Verdict,
  tail: object,
  sha256: Sha256,
) {
  const { instructionId, instructionRef, instructionDigest, results } = runtime
  const { capabilityClaims, requiredChecks, ...rest } = head
  const core = typedCoreDigest(instructionDigest, head.normalizerId, head.policyDigest, sha256)
  return {
    ciSchema: 1,
    witnessKind: instructionWitnessKind,
    instructionId,
    instructionRef,
    instructionDigest,
    ...rest,
    ...(core !== undefined && { typedCoreProjectionDigest: core }),
    authorityPayloadDigest: instructionDigest,
    capabilityClaims,
    requiredChecks,
    executedChecks: results.map(({ checkId }) => checkId),
    results,
    ...verdictMembers(verdict),
    squeakSiteProfile: runtime.squeakSiteProfile,
    runStartedAt: runtime.runStartedAt,
    runFinishedAt: runtime.runFinishedAt,
    runDurationMs: runtime.runDurationMs,
    ...tail,
  }
}

/** `ev1_` over instruction, normalizer and policy; absent if one of them is unknown. */
export function typedCoreDigest(
  instructionDigest: string,
  normalizerId: string | null,
  policyDigest: string | null,
  sha256: Sha256,
): string | undefined {
  if (normalizerId === null || policyDigest === null) return undefined
  return `ev1_${sha256(`${instructionDigest}\0${normalizerId}\0${policyDigest}\0`)}`
}

function verdictOf(
  { executionDecision, requestedChecks }: CheckedInstruction,
  results: readonly CheckResult[],
): Verdict {
  if (executionDecision.state === 'reject') {
    const { operationalFailureClasses, semanticFailureClasses } = executionDecision
    return { operational: operationalFailureClasses, semantic: semanticFailureClasses }
  }
  return { operational: failedBy(requestedChecks, results), semantic: [] }
}

/** The failures in the results of a run. */
export function failedBy(
  requiredChecks: readonly string[],
  results: readonly CheckResult[],
): readonly string[] {
  const executed = new Set(results.map(({ checkId }) => checkId))
  const failed = results
    .filter(({ exitCode }) => exitCode !== 0)
    .map(({ failureClass = 'check_failed' }) => failureClass)
  // A check that did not run has not passed.
  const notRun = requiredChecks.some(check => !executed.has(check)) ? ['check_not_executed'] : []
  return inOrder([...failed, ...notRun])
}

function verdictMembers({ operational, semantic }: Verdict) {
  const failureClasses = inOrder([...operational, ...semantic])
  return {
    verdictClass: failureClasses.length === 0 ? 'accepted' : 'rejected',
    operationalFailureClasses: operational,
    semanticFailureClasses: semantic,
    failureClasses,
  }
}

export const inOrder = (classes: readonly string[]): readonly string[] =>
  [...new Set(classes)].sort(byCodePoint)

const ingestOf = ({ canonical, digest, kcirRef, obligations, discharge }: CheckedProposal) => ({
  state: 'typed',
  kind: `proposal.${canonical.proposalKind}`,
  proposalDigest: digest,
  proposalKcirRef: kcirRef,
  binding: canonical.binding,
  targetCtxRef: canonical.targetCtxRef,
  targetJudgment: canonical.targetJudgment,
  obligations,
  discharge,
})

/** Adds the join link and recomputes the digest. */
export function withJoin(
  { witnessDigest: _own, ...witness }: InstructionWitness,
  join: JoinLink,
  sha256: Sha256,
): InstructionWitness {
  return sealed(witness, join, sha256)
}

function sealed(witness: object, join: JoinLink | undefined, sha256: Sha256): InstructionWitness {
  const { joinClosed, joinFailureClasses, joinWitnessRef } = join ?? {}
  const linked = join ? { ...witness, joinClosed, joinFailureClasses, joinWitnessRef } : witness
  const whole = documentOf(InstructionWitness, linked)
  return { ...linked, witnessDigest: instructionWitnessDigest(whole, sha256) } as InstructionWitness
}

/** Covers the whole witness except the digest itself. */
export function instructionWitnessDigest(witness: JsonObject, sha256: Sha256): string {
  const { witnessDigest: _own, ...rest } = witness
  return `sha256:${sha256(canonicalJson(rest))}`
}
