import { canonicalJson, type Digest, type Sha256 } from '../canonical.ts'
import type { Json } from '../json.ts'
import type { Join } from './join.ts'
import type { Turn } from './turn.ts'

/**
 * Names a verdict. The join set alone does not: two turns with equal rows can differ in what they
 * were under, what they ask for and how they were judged.
 */
export function witnessDigest(turn: Turn, join: Join, sha256: Sha256): Digest {
  const { policies: _documents, ...claims } = turn.claims
  const claimed =
    `{"claims":${canonicalJson(claims as unknown as Json)}` +
    `,"failureClasses":${JSON.stringify(join.failureClasses)}` +
    `,"mutationReady":${join.mutationReady}` +
    `,"policyDigests":${canonicalJson(turn.policyDigests)}` +
    `,"sessionRefs":${JSON.stringify(turn.sessionRefs)}` +
    `,"sets":["${turn.digests.callSpecDigest}","${turn.digests.joinSetDigest}"]` +
    `,"trajectoryRefs":${JSON.stringify(turn.trajectoryRefs)}}`
  return `sha256:${sha256(claimed)}`
}
