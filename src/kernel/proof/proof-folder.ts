/** File and folder names of proofs. Each issue has a folder, whatever characters its id has. */
import type { Sha256 } from '../canonical.ts'
import { lowerAscii } from '../text/clean.ts'

/**
 * The file of one close. Named by the digest of its chain: two clones that close one issue write two
 * files, which git can merge.
 */
export const bundleFileOf = (chainDigest: string): string => `proof-${hexOf(chainDigest)}.json`

const bundleFileShape = /^proof-([0-9a-f]{64})\.json$/

/** The chain of the bundle that a file of this name holds; `undefined` for any other file name. */
export function chainOfBundle(name: string): string | undefined {
  const [, hex] = bundleFileShape.exec(name) ?? []
  return hex === undefined ? undefined : chainFileOf(hex)
}

/** The name of a chain in its bundle. Before bundles it was a file beside its copies. */
export const chainFileOf = (chainDigest: string): string => `chain-${hexOf(chainDigest)}.json`

/** The signatures of a close and of its witnesses, one envelope per line, beside its bundle. */
export const signaturesFileOf = (chainDigest: string): string =>
  `signed-${hexOf(chainDigest)}.jsonl`

/** The same for the name of the bundle, or of the chain. */
export const signaturesBeside = (file: string): string =>
  file.replace(/^(?:proof|chain)-([0-9a-f]{64})\.json$/, 'signed-$1.jsonl')

const signaturesShape = /^signed-[0-9a-f]{64}\.jsonl$/

export const isSignaturesFile = (name: string): boolean => signaturesShape.test(name)

/** The names that the file of a close may have: a bundle, or a chain of the time before bundles. */
export const proofFilesFor = (chainDigest: string): readonly string[] =>
  [bundleFileOf(chainDigest), chainFileOf(chainDigest)].filter(isProofFile)

/** True for a file that a proof begins with. */
export const isProofFile = (name: string): boolean =>
  chainOfBundle(name) !== undefined || isChainFile(name)

const chainFileShape = /^chain-[0-9a-f]{64}\.json$/

export const isChainFile = (name: string): boolean => chainFileShape.test(name)

const draftShape = /\.tmp\.\d+\.\d+$/

/** A file that a crash left partly written. No proof names it and git does not track it. */
export const isProofDraft = (name: string): boolean => draftShape.test(name)

const hexOf = (digest: string) => digest.replace(/^sha256:/, '')

/** Lower case only, because some file systems treat `BD-1` and `bd-1` as one name. */
const plainName = /^[a-z0-9_-][a-z0-9._-]{0,79}$/

/** Windows reserves device names, with any extension, and drops a dot at the end of a name. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|\.$/

const slugCharsMax = 40

/** A plain id, or a slug, `~` and a digest. No plain id contains `~`. */
export function proofFolderName(issueId: string, sha256: Sha256): string {
  if (plainName.test(issueId) && !reserved.test(issueId)) return issueId
  const slug = lowerAscii(issueId).replace(/[^a-z0-9_-]+/g, '_')
  return `${slug.slice(0, slugCharsMax)}~${sha256(issueId).slice(0, 32)}`
}
