/** Witnesses: records that something was checked, each named by the digest of what it says. */
import { canonicalJson, type Sha256 } from '../canonical.ts'
import type { JsonObject } from '../json.ts'

/** Where the witnesses of a project lie, from its folder. */
export const witnessFolder = 'artifacts/ciwitness'

/** One folder each. */
export const witnessKinds = { spec: 'premath.spec.witness.v1' } as const

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
