/** Where the proof of an issue lies: a folder of its own, whatever the issue is called. */
import type { Sha256 } from '../canonical.ts'
import { lowerAscii } from '../text/clean.ts'

/** By its digest: two clones that close one issue leave two files, and git has nothing to ask. */
export const chainFileOf = (chainDigest: string): string => `chain-${hexOf(chainDigest)}.json`

const chainFileShape = /^chain-[0-9a-f]{64}\.json$/

export const isChainFile = (name: string): boolean => chainFileShape.test(name)

const draftShape = /\.tmp\.\d+\.\d+$/

/** What a crash left half written: never named by a chain, nor tracked. */
export const isProofDraft = (name: string): boolean => draftShape.test(name)

const hexOf = (digest: string) => digest.replace(/^sha256:/, '')

/** In one case: some disks do not tell `BD-1` from `bd-1`. */
const plainName = /^[a-z0-9_-][a-z0-9._-]{0,79}$/

/** Names that Windows keeps for devices, whatever follows the dot; and it drops a last dot. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|\.$/

const slugCharsMax = 40

/** A plain id as it is; any other by its digest, behind a sign that no plain name has. */
export function proofFolderName(issueId: string, sha256: Sha256): string {
  if (plainName.test(issueId) && !reserved.test(issueId)) return issueId
  const slug = lowerAscii(issueId).replace(/[^a-z0-9_-]+/g, '_')
  return `${slug.slice(0, slugCharsMax)}~${sha256(issueId).slice(0, 32)}`
}
