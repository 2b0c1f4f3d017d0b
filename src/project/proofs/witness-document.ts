/** Reads and verifies one witness of any kind. */
import { Fault } from '../../fault.ts'
import { flawIn } from '../../kernel/artifact/flaw.ts'
import { canonicalJson } from '../../kernel/canonical.ts'
import { instructionWitnessKind } from '../../kernel/instruction/instruction-witness.ts'
import { checkWitness } from '../../kernel/instruction/witness-check.ts'
import { isJsonObject, type Json, type JsonObject, jsonIn } from '../../kernel/json.ts'
import { openedAs } from '../../kernel/proof/proof-check.ts'
import { finding, type ProofFinding } from '../../kernel/proof/proof-classes.ts'
import { type WitnessFolderName, witnessDigest, witnessKinds } from '../../kernel/proof/witness.ts'
import { witnessDigest as verdictDigestOf } from '../../kernel/turn/witness.ts'
import { InstructionWitness } from '../../wire/instruction/instruction-witness.ts'
import { TurnWitness } from '../../wire/proof/join-witness.ts'
import { SpecWitness } from '../../wire/proof/spec-witness.ts'
import { VerifyWitness } from '../../wire/proof/verify-witness.ts'
import { RelocationWitness } from '../../wire/relocation/relocation-witness.ts'
import type { Shape } from '../../wire/shape.ts'
import type { OpenWitnesses } from '../open-witnesses.ts'

export type WitnessKind = WitnessFolderName | 'instruction'

interface WitnessDocument {
  readonly kind: WitnessKind
  /** Computed from the content, in lower-case hexadecimal. */
  readonly digest: string
  readonly value: JsonObject
}

const kindNames: Readonly<Record<string, WitnessKind>> = {
  [witnessKinds.join]: 'join',
  [witnessKinds.relocation]: 'relocation',
  [witnessKinds.spec]: 'spec',
  [witnessKinds.verify]: 'verify',
  [instructionWitnessKind]: 'instruction',
}

const shapes: Readonly<Record<WitnessKind, Shape>> = {
  instruction: InstructionWitness,
  join: TurnWitness,
  relocation: RelocationWitness,
  spec: SpecWitness,
  verify: VerifyWitness,
}

/** `undefined` where the text is not a witness. */
export function witnessIn(
  text: string,
  sha256: OpenWitnesses['sha256'],
): WitnessDocument | undefined {
  const value = jsonIn(text)
  const kind = isJsonObject(value) ? kindNames[String(value['witnessKind'])] : undefined
  if (kind === undefined || !isJsonObject(value)) return undefined
  const stored = String(value['witnessDigest']).replace(/^sha256:/, '')
  const digest = kind === 'instruction' ? stored : witnessDigest(value, sha256)
  return { kind, digest, value }
}

/** Verifies digest, shape and content. The caller judges its result and its tree. */
export async function documentFindings(
  { kind, digest, value }: WitnessDocument,
  at: string,
  text: string,
  { gate, sha256 }: Pick<OpenWitnesses, 'gate' | 'sha256'>,
): Promise<readonly ProofFinding[]> {
  if (openedAs(kind, digest, text, sha256) === undefined) {
    return [finding('witness_changed', at, 'its content does not match its digest')]
  }
  const misshapen = shapeFinding(shapes[kind], value, at)
  if (misshapen) return [misshapen]
  if (kind === 'instruction') return instructionFindings(value, at, sha256)
  return kind === 'join' ? await turnFindings(value, at, gate) : []
}

export function shapeFinding(shape: Shape, value: Json, at: string): ProofFinding | undefined {
  const flaw = flawIn(shape, JSON.parse(canonicalJson(value)))
  return flaw && finding('witness_invalid', at, String(flaw))
}

/** The witness is judged by the policies of its time, so the policies of now are left out. */
function instructionFindings(value: JsonObject, at: string, sha256: OpenWitnesses['sha256']) {
  return checkWitness(value, { registry: new Map(), sha256 })
    .filter(found => found.at !== 'policyDigest')
    .map(found => finding('witness_changed', at, `${found.at} ${found.message}`.trim()))
}

/** Judges the turn again from the recorded evidence. */
async function turnFindings(
  { evidence = null, verdictDigest }: JsonObject,
  at: string,
  gate: OpenWitnesses['gate'],
): Promise<readonly ProofFinding[]> {
  if (evidence === null) return []
  const judged = await verdictOn(evidence, gate)
  if (judged === verdictDigest) return []
  return [finding('proof_unmet', at, 'judged again, the turn has another verdict')]
}

/** `undefined` where the evidence is not a turn. */
async function verdictOn(evidence: Json, gate: OpenWitnesses['gate']): Promise<string | undefined> {
  try {
    const { turn, join } = await gate.judge(evidence)
    return verdictDigestOf(turn, join, gate.sha256)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

export function resultOf({ kind, value }: WitnessDocument): 'accepted' | 'rejected' {
  const stored = kind === 'instruction' ? value['verdictClass'] : value['result']
  return stored === 'accepted' ? 'accepted' : 'rejected'
}
