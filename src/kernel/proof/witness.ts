/** Witnesses: records of checks, each named by the digest of its content. */
import { canonicalJson, type Sha256 } from '../canonical.ts'
import { isJsonObject, type JsonObject, jsonIn } from '../json.ts'

/** Relative to the project folder. */
export const witnessFolder = 'artifacts/ciwitness'

/** The kind of the witnesses in each folder. */
export const witnessKinds = {
  join: 'premath.harness.join_witness.v1',
  relocation: 'premath.relocation.witness.v1',
  spec: 'premath.spec.witness.v1',
  verify: 'premath.verify.witness.v1',
} as const

export type WitnessFolderName = keyof typeof witnessKinds

/** The commit, for people. It is not part of the digest, because commits can share a tree. */
const unhashed = 'head'

/** In lower-case hexadecimal. */
export function witnessDigest(witness: JsonObject, sha256: Sha256): string {
  const { [unhashed]: _, ...hashed } = witness
  return sha256(canonicalJson(hashed))
}

export const witnessPath = (folder: WitnessFolderName, digest: string): string =>
  `${witnessFolder}/${folder}/${digest}.json`

/** The signature that was made with the witness. */
export const signaturePath = (path: string): string => path.replace(/json$/, 'signed.jsonl')

/** A file that may be a witness. */
interface WitnessFile {
  /** Relative to the project folder. */
  readonly path: string
  readonly text: string
}

/** A witness whose name matches the digest of its content. */
export interface OpenedWitness {
  readonly path: string
  readonly value: JsonObject
}

/** Recomputes the digest; `undefined` if the file name does not match it. */
export function openWitness(
  folder: WitnessFolderName,
  { path, text }: WitnessFile,
  sha256: Sha256,
): OpenedWitness | undefined {
  const value = jsonIn(text)
  if (!isJsonObject(value) || value['witnessKind'] !== witnessKinds[folder]) return undefined
  return path === witnessPath(folder, witnessDigest(value, sha256)) ? { path, value } : undefined
}
