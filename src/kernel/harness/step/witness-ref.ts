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
export const checkedRef = (digest: string): string => `witness://ciwitness/relocation/${digest}`

export const isRelocationRef = (ref: string): boolean => relocationShape.test(ref)

/** The witness at this path; none if the path is not that of a witness. */
export function witnessRefsAt(paths: readonly string[]): readonly string[] {
  return paths.flatMap(path => {
    const [, folder, digest] = witnessShape.exec(path) ?? []
    return digest === undefined ? [] : [`witness://ciwitness/${folder}/${digest}`]
  })
}

/** The proof of a closed issue, by the digest of its chain. */
export const proofRef = (issueId: string, chainDigest: string): string =>
  `proof://${issueId}/${chainDigest.replace(/^sha256:/, '')}`

/** The issue and the digest of the chain that a ref to a proof names. */
export function proofNamed(
  ref: string,
): { readonly issueId: string; readonly chainDigest: string } | undefined {
  const [, issueId, hex] = /^proof:\/\/(.+)\/([0-9a-f]{64})$/s.exec(ref) ?? []
  return issueId !== undefined && hex !== undefined
    ? { issueId, chainDigest: `sha256:${hex}` }
    : undefined
}

/** The instruction under which a step ran. */
export const instructionRef = (instructionId: string): string => `instruction://${instructionId}`

/** The file of a ref, relative to the project root. */
interface NamedFile {
  readonly path: string
  /** The digest of the file's bytes, which may be no text. Absent if a ref names something else. */
  readonly sha256?: string
  /** True if the text has the digest of the ref. */
  isStill(text: string, sha256: Sha256): boolean
}

const stepShape =
  /^witness:\/\/steps\/([^/.][^/]*)\/([A-Za-z0-9_-][A-Za-z0-9._-]*)\/([0-9a-f]{64})$/
const relocationShape = /^witness:\/\/(relocations|ciwitness\/relocation)\/([0-9a-f]{64})$/
const witnessShape = /(?:^|\/)ciwitness\/(join|relocation|spec|verify)\/([0-9a-f]{64})(?:\.json)?$/

/** Returns `undefined` for a ref that is not a local file. */
export function fileOfRef(ref: string): NamedFile | undefined {
  const [, folder, name, bytes] = stepShape.exec(ref) ?? []
  if (bytes !== undefined) {
    const path = `artifacts/steps/${folder}/${name}`
    return { path, sha256: bytes, isStill: (text, sha256) => sha256(text) === bytes }
  }
  const [, relocation] = /^witness:\/\/relocations\/([0-9a-f]{64})$/.exec(ref) ?? []
  if (relocation !== undefined) {
    const path = relocationFile(relocation)
    return { path, isStill: (text, sha256) => isNamedBy(relocation, text, sha256) }
  }
  const [, kind, digest] = ref.startsWith('witness://ciwitness/')
    ? (witnessShape.exec(ref) ?? [])
    : []
  if (digest === undefined) return undefined
  const witnesses = kind as WitnessFolderName
  const path = witnessPath(witnesses, digest)
  return {
    path,
    isStill: (text, sha256) => openWitness(witnesses, { path, text }, sha256) !== undefined,
  }
}
