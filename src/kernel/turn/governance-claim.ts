/** Whether the governance profile is claimed, by the turn's input or by the project's registry. */
import type { Turn } from './turn.ts'

export const governanceProfileId = 'profile.doctrine_inf_governance.v0'

/** The claimed id is another profile's; then nothing else can be said about governance. */
export function claimIdInvalid({ claims }: Turn): boolean {
  const claimId = claims.governanceProfile?.claimId
  return claimId !== undefined && claimId !== governanceProfileId
}

/** A `claimed: false` in the input never outweighs the registry. */
export function governanceClaimed(turn: Turn): boolean {
  if (claimIdInvalid(turn)) return false
  const { governanceProfile, registryClaims } = turn.claims
  return (
    governanceProfile?.claimed === true || (registryClaims?.includes(governanceProfileId) ?? false)
  )
}

/** Claimed, but no policy package is pinned with both of its digests. */
export function packageUnpinned(turn: Turn): boolean {
  const provenance = turn.claims.governanceProfile?.policyProvenance
  return !(
    provenance?.pinned === true &&
    provenance.packageRef !== undefined &&
    provenance.expectedDigest !== undefined &&
    provenance.boundDigest !== undefined
  )
}
