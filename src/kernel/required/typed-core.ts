/** The digests that bind a projection to the rules and the normalizer. */
import type { Sha256 } from '../canonical.ts'
import { typedCoreDigest } from '../instruction/instruction-witness.ts'

interface Bound {
  readonly projectionDigest: string
  readonly normalizerId: string
  readonly policyDigest: string
}

export const normalizerIdDefault = 'normalizer.ci.required.v1'

/** The projection is the payload that carries authority. */
export const coreDigests = (
  { projectionDigest, normalizerId, policyDigest }: Bound,
  sha256: Sha256,
) => ({
  typedCoreProjectionDigest:
    typedCoreDigest(projectionDigest, normalizerId, policyDigest, sha256) ?? '',
  authorityPayloadDigest: projectionDigest,
})
