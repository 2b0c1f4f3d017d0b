import { canonicalJson, type Digest, type Sha256 } from '../canonical.ts'
import type { Json } from '../json.ts'
import type { Join } from './join.ts'
import type { Turn } from './turn.ts'

/**
 * The digest that names a verdict. The join set is not enough: turns with equal rows can differ in
 * constraints, requested mutation and verdict.
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
