/** The client credentials that a case names. From then on no output shows them. */
import {
  type Credentials,
  credentialsOf,
  type OAuthProfile,
  oauthProfile,
} from '../kernel/spec/http/oauth.ts'
import type { SpecError } from '../kernel/spec/lang/spec-error.ts'
import type { SpecValue } from '../kernel/spec/lang/value.ts'
import type { Secrets } from '../kernel/text/secrets.ts'
import type { World } from '../world/world.ts'

/** Shorter ids occur in output by chance, and an id is no secret. */
const hiddenIdCharsMin = 8

interface NamedCredentials {
  readonly profile: OAuthProfile
  readonly credentials: Credentials
}

export function namedCredentials(
  oauth: ReadonlyMap<string, SpecValue>,
  { world, secrets }: { readonly world: Pick<World, 'env'>; readonly secrets: Secrets },
): NamedCredentials | SpecError {
  const profile = oauthProfile(oauth)
  if ('category' in profile) return profile
  const credentials = credentialsOf(profile, world.env)
  if ('category' in credentials) return credentials
  secrets.hide(profile.clientSecretEnv, credentials.secret)
  if (credentials.id.length >= hiddenIdCharsMin) secrets.hide(profile.clientIdEnv, credentials.id)
  return { profile, credentials }
}
