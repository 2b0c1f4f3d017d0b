/** File and folder names of proofs. Each issue has a folder, whatever characters its id has. */
import type { Sha256 } from '../canonical.ts'
import { lowerAscii } from '../text/clean.ts'

/** Named by digest: two clones that close one issue write two files, which git can merge. */
export const chainFileOf = (chainDigest: string): string => `chain-${hexOf(chainDigest)}.json`

const chainFileShape = /^chain-[0-9a-f]{64}\.json$/

export const isChainFile = (name: string): boolean => chainFileShape.test(name)

const draftShape = /\.tmp\.\d+\.\d+$/

/** A file that a crash left partly written. No chain names it and git does not track it. */
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
