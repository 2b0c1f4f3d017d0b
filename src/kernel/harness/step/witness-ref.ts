/** Refs by which a step names what it left, and the files that they name. */
import type { Sha256 } from '../../canonical.ts'
import { openWitness, type WitnessFolderName, witnessPath } from '../../proof/witness.ts'
import { isNamedBy, relocationFile } from '../relocation/relocation.ts'

/** A file of the step's own folder, by the digest of its bytes. */
export const stepFileRef = (folder: string, name: string, sha256: string): string =>
  `witness://steps/${folder}/${name}/${sha256}`

/** What was handed over to another location, by the digest of what it says. */
export const relocationRef = (digest: string): string => `witness://relocations/${digest}`

/** What came back from there, by the same kind of digest. */
export const checkedRef = (digest: string): string => `witness://ciwitness/${checked}/${digest}`

const checked = 'relocation' satisfies WitnessFolderName

export const isRelocationRef = (ref: string): boolean => relocationShape.test(ref)

/** A file that a ref names, from the project's folder. */
export interface NamedFile {
  readonly path: string
  /** Whether the text is what was named. */
  isStill(text: string, sha256: Sha256): boolean
}

const stepShape =
  /^witness:\/\/steps\/([^/.][^/]*)\/([A-Za-z0-9_-][A-Za-z0-9._-]*)\/([0-9a-f]{64})$/
const relocationShape = /^witness:\/\/(relocations|ciwitness\/relocation)\/([0-9a-f]{64})$/

/** `undefined` where the ref names nothing of ours. */
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
