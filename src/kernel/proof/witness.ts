/** Witnesses: records that something was checked, each named by the digest of what it says. */
import { canonicalJson, type Sha256 } from '../canonical.ts'
import { isJsonObject, type JsonObject, jsonIn } from '../json.ts'

/** Where the witnesses of a project lie, from its folder. */
export const witnessFolder = 'artifacts/ciwitness'

/** One folder each. */
export const witnessKinds = {
  join: 'premath.harness.join_witness.v1',
  relocation: 'premath.relocation.witness.v1',
  spec: 'premath.spec.witness.v1',
  verify: 'premath.verify.witness.v1',
} as const

export type WitnessFolderName = keyof typeof witnessKinds

/** Recorded for people: the same tree may be on another commit. */
const unhashed = 'head'

/** In lower-case hexadecimal. */
export function witnessDigest(witness: JsonObject, sha256: Sha256): string {
  const { [unhashed]: _, ...hashed } = witness
  return sha256(canonicalJson(hashed))
}

export const witnessPath = (folder: WitnessFolderName, digest: string): string =>
  `${witnessFolder}/${folder}/${digest}.json`

/** A file that is said to be a witness. */
interface WitnessFile {
  /** From the project's folder. */
  readonly path: string
  readonly text: string
}

/** A witness that is named by the digest of what it says. */
export interface OpenedWitness {
  readonly path: string
  readonly value: JsonObject
}

/** Recomputes the digest; `undefined` where the file is not what its name says. */
export function openWitness(
  folder: WitnessFolderName,
  { path, text }: WitnessFile,
  sha256: Sha256,
): OpenedWitness | undefined {
  const value = jsonIn(text)
  if (!isJsonObject(value) || value['witnessKind'] !== witnessKinds[folder]) return undefined
  return path === witnessPath(folder, witnessDigest(value, sha256)) ? { path, value } : undefined
}
