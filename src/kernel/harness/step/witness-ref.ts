/** The refs to files of a step. */
import type { Sha256 } from '../../canonical.ts'
import { openWitness, type WitnessFolderName, witnessPath } from '../../proof/witness.ts'
import { isNamedBy, relocationFile } from '../relocation/relocation.ts'

/** A file in the step folder, by the digest of its bytes. */
export const stepFileRef = (folder: string, name: string, sha256: string): string =>
  `witness://steps/${folder}/${name}/${sha256}`

/** The inputs of a relocation, by the digest of their canonical JSON. */
export const relocationRef = (digest: string): string => `witness://relocations/${digest}`

/** The witness of the location, by the same kind of digest. */
export const checkedRef = (digest: string): string => `witness://ciwitness/${checked}/${digest}`

const checked = 'relocation' satisfies WitnessFolderName

export const isRelocationRef = (ref: string): boolean => relocationShape.test(ref)

/** The file of a ref, relative to the project root. */
interface NamedFile {
  readonly path: string
  /** True if the text has the digest of the ref. */
  isStill(text: string, sha256: Sha256): boolean
}

const stepShape =
  /^witness:\/\/steps\/([^/.][^/]*)\/([A-Za-z0-9_-][A-Za-z0-9._-]*)\/([0-9a-f]{64})$/
const relocationShape = /^witness:\/\/(relocations|ciwitness\/relocation)\/([0-9a-f]{64})$/

/** Returns `undefined` for a ref that is not a local file. */
export function fileOfRef(ref: string): NamedFile | undefined {
  const [, folder, name, bytes] = stepShape.exec(ref) ?? []
  if (bytes !== undefined) {
    const path = `artifacts/steps/${folder}/${name}`
    return { path, isStill: (text, sha256) => sha256(text) === bytes }
  }
  const [, where, digest] = relocationShape.exec(ref) ?? []
  if (digest === undefined) return undefined
  if (where === 'relocations') {
    const path = relocationFile(digest)
    return { path, isStill: (text, sha256) => isNamedBy(digest, text, sha256) }
  }
  const path = witnessPath(checked, digest)
  return {
    path,
    isStill: (text, sha256) => openWitness(checked, { path, text }, sha256) !== undefined,
  }
}
