/** Whether the turn's input or the project's registry claims the governance profile. */
import type { Turn } from './turn.ts'

export const governanceProfileId = 'profile.doctrine_inf_governance.v0'

/** True if the claimed id belongs to another profile. No other governance rule applies then. */
export function claimIdInvalid({ claims }: Turn): boolean {
  const claimId = claims.governanceProfile?.claimId
  return claimId !== undefined && claimId !== governanceProfileId
}

/** `claimed: false` in the input never overrides the registry. */
export function governanceClaimed(turn: Turn): boolean {
  if (claimIdInvalid(turn)) return false
  const { governanceProfile, registryClaims } = turn.claims
  return (
    governanceProfile?.claimed === true || (registryClaims?.includes(governanceProfileId) ?? false)
  )
}

/** True if governance is claimed but no policy package is pinned with both digests. */
export function packageUnpinned(turn: Turn): boolean {
  const provenance = turn.claims.governanceProfile?.policyProvenance
  return !(
    provenance?.pinned === true &&
    provenance.packageRef !== undefined &&
    provenance.expectedDigest !== undefined &&
    provenance.boundDigest !== undefined
  )
}
