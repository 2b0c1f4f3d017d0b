/** Verifies an instruction witness by recomputing it. */
import { InstructionWitness } from '../../wire/instruction/instruction-witness.ts'
import { documentOf } from '../artifact/print.ts'
import { canonicalJson, type Sha256 } from '../canonical.ts'
import { isJsonObject, type Json } from '../json.ts'
import { checkEnvelope, instructionDigestOf } from './envelope.ts'
import type { InstructionClass } from './instruction-classes.ts'
import { isInstructionId } from './instruction-id.ts'
import { type PolicyRegistry, policyNamed } from './instruction-policy.ts'
import { type InstructionRefusal, isRefused, refused } from './instruction-refusal.ts'
import { readRuntime } from './instruction-runtime.ts'
import {
  failedBy,
  inOrder,
  instructionWitnessDigest,
  instructionWitnessKind,
  typedCoreDigest,
  witnessInstruction,
} from './instruction-witness.ts'
import { scopeMutations } from './scope-mutations.ts'

/** A defect of a witness, with its location. */
interface WitnessFinding {
  readonly failureClass: InstructionClass
  readonly at: string
  readonly message: string
}

interface WitnessGround {
  readonly registry: PolicyRegistry | InstructionRefusal
  readonly sha256: Sha256
  /** The instruction, if available. The whole witness is then recomputed. */
  readonly envelope?: Json
}

const isText = (value: Json | undefined) => typeof value === 'string' && value !== ''
const areTexts = (value: Json | undefined) => Array.isArray(value) && value.every(isText)
const isTextOrNull = (value: Json | undefined) => value === null || isText(value)

/** The members the checks below rely on. */
const shapes: Readonly<Record<string, (value: Json | undefined) => boolean>> = {
  ciSchema: value => value === 1,
  witnessKind: value => value === instructionWitnessKind,
  instructionId: value => typeof value === 'string' && isInstructionId(value),
  instructionDigest: isText,
  scope: value => value !== undefined && !isRefused(scopeMutations(value)),
  normalizerId: isTextOrNull,
  policyDigest: isTextOrNull,
  capabilityClaims: areTexts,
  requiredChecks: areTexts,
  executedChecks: areTexts,
  verdictClass: value => value === 'accepted' || value === 'rejected',
  operationalFailureClasses: areTexts,
  semanticFailureClasses: areTexts,
  failureClasses: areTexts,
  witnessDigest: isText,
}

/** Reads the document as a witness by its members. */
export function readWitness(value: Json): InstructionWitness | InstructionRefusal {
  const bad = (why: string) => refused('instruction_witness_invalid_shape', why)
  if (!isJsonObject(value)) return bad('it is not an object')
  const wrong = Object.keys(shapes).find(name => !shapes[name]?.(value[name]))
  if (wrong !== undefined) return bad(`its ${wrong} is missing or not what it must be`)
  const runtime = readRuntime(value)
  if (isRefused(runtime)) return bad(runtime.message)
  return value as unknown as InstructionWitness
}

/** All defects; empty if the witness is valid. */
export function checkWitness(value: Json, ground: WitnessGround): readonly WitnessFinding[] {
  const witness = readWitness(value)
  if (isRefused(witness)) return [{ ...witness, at: '' }]
  const findings = [
    ...digestFindings(witness, ground),
    ...verdictFindings(witness),
    ...policyFindings(witness, ground),
  ]
  return ground.envelope === undefined
    ? findings
    : [...findings, ...envelopeFindings(witness, ground.envelope, ground)]
}

const asJson = (witness: object) => documentOf(InstructionWitness, witness)

function digestFindings(witness: InstructionWitness, { sha256 }: WitnessGround) {
  const { instructionDigest, normalizerId, policyDigest } = witness
  const expected = {
    witnessDigest: instructionWitnessDigest(asJson(witness), sha256),
    authorityPayloadDigest: instructionDigest,
    typedCoreProjectionDigest: typedCoreDigest(
      instructionDigest,
      normalizerId,
      policyDigest,
      sha256,
    ),
  }
  return Object.entries(expected)
    .filter(([at, digest]) => asJson(witness)[at] !== digest)
    .map(([at, digest]): WitnessFinding => {
      const message = `is not ${digest ?? 'absent'}`
      return { failureClass: 'instruction_witness_digest_mismatch', at, message }
    })
}

function verdictFindings(witness: InstructionWitness): readonly WitnessFinding[] {
  const { results, requiredChecks, executedChecks, operationalFailureClasses } = witness
  const wrong = (at: string, message: string): WitnessFinding => ({
    failureClass: 'instruction_witness_verdict_mismatch',
    at,
    message,
  })
  const classes = inOrder([...operationalFailureClasses, ...witness.semanticFailureClasses])
  const failed = failedBy(requiredChecks, results)
  const verdict = classes.length === 0 ? 'accepted' : 'rejected'
  const isDenied = verdict === 'accepted' && failed.length > 0
  return [
    ...(String(executedChecks) === String(results.map(({ checkId }) => checkId))
      ? []
      : [wrong('executedChecks', 'is not what the results are of')]),
    ...(String(witness.failureClasses) === String(classes)
      ? []
      : [wrong('failureClasses', 'is not both kinds of classes, in order')]),
    ...(witness.verdictClass === verdict ? [] : [wrong('verdictClass', `is not ${verdict}`)]),
    ...(isDenied ? [wrong('results', `there is ${failed.join(' and ')}`)] : []),
  ]
}

/** A rejected witness may name an unknown policy, which may be why it was rejected. */
function policyFindings(
  { policyDigest, verdictClass }: InstructionWitness,
  { registry }: WitnessGround,
): readonly WitnessFinding[] {
  const policy = verdictClass === 'accepted' ? policyNamed(policyDigest ?? '', registry) : undefined
  return isRefused(policy) ? [{ ...policy, at: 'policyDigest' }] : []
}

/** Recomputes the witness from the instruction and the recorded run, and compares all members. */
function envelopeFindings(witness: InstructionWitness, envelope: Json, ground: WitnessGround) {
  const wrong = (at: string, message: string): WitnessFinding => ({
    failureClass: 'instruction_witness_envelope_mismatch',
    at,
    message,
  })
  const { registry, sha256 } = ground
  const digest = instructionDigestOf(envelope, sha256)
  if (witness.instructionDigest !== digest) {
    return [wrong('instructionDigest', `the instruction is ${digest}`)]
  }
  if (witness.rejectStage !== undefined) return []
  const instruction = checkEnvelope(envelope, registry, sha256)
  const runtime = readRuntime(asJson(witness))
  if (isRefused(instruction)) return [{ ...instruction, at: '' }]
  if (isRefused(runtime)) return [{ ...runtime, at: '' }]
  const { witnessDigest: _own, ...made } = witnessInstruction(instruction, runtime, sha256)
  const [stored, follows] = [asJson(witness), asJson(made)]
  return Object.keys(follows)
    .filter(name => printed(stored[name]) !== printed(follows[name]))
    .map(name => wrong(name, 'does not follow from the instruction'))
}

const printed = (value: Json | undefined) => (value === undefined ? '' : canonicalJson(value))
