/**
 * OAuth 2.0 client credentials (RFC 6749, section 4.4). A spec names environment variables; it
 * never contains a credential.
 */
import type { Environment } from '../case/environment.ts'
import type { Keys } from '../case/key-shape.ts'
import { mappingIn } from '../case/requires.ts'
import { numberOf } from '../lang/float.ts'
import { readJson } from '../lang/read-json.ts'
import { Failure, type SpecError } from '../lang/spec-error.ts'
import { isMapping, type SpecValue } from '../lang/value.ts'
import { formBody, formEncoded } from './form-encoding.ts'

type Mapping = ReadonlyMap<string, SpecValue>

const authStyles = ['basic', 'body'] as const

export type AuthStyle = (typeof authStyles)[number]

export const oauthKeys: Keys = {
  grant_type: {
    is: { oneOf: ['client_credentials'] },
    describe: 'The grant; only client_credentials.',
  },
  token_url: { is: 'name', required: true, describe: 'Where to get the token.' },
  client_id_env: {
    is: 'name',
    required: true,
    describe: 'The environment variable with the client id.',
  },
  client_secret_env: {
    is: 'name',
    required: true,
    describe: 'The environment variable with the client secret.',
  },
  scope: { is: 'text', describe: 'The scope to ask for.' },
  audience: { is: 'text', describe: 'The audience to ask for.' },
  auth_style: {
    is: { oneOf: authStyles },
    describe: 'How to send the credentials: basic (a header, default) or body (form fields).',
  },
  token_field: { is: 'name', describe: 'The field with the token; default access_token.' },
  expires_field: {
    is: 'name',
    describe: 'The field with its lifetime in seconds; default expires_in.',
  },
  refresh_skew_seconds: {
    is: { whole: { min: 0 } },
    describe: 'Get a new token this long before the old one expires; default 30.',
  },
}

export const oauthPath = 'harness.api_http.auth.oauth'

/** `undefined` if the case has no profile. */
export function oauthIn(value: Mapping): Mapping | undefined {
  const oauth = mappingIn(mappingIn(mappingIn(value, 'harness'), 'api_http'), 'auth').get('oauth')
  return isMapping(oauth) ? oauth : undefined
}

export interface OAuthProfile {
  readonly tokenUrl: string
  readonly clientIdEnv: string
  readonly clientSecretEnv: string
  readonly scope: string
  readonly audience: string
  readonly style: AuthStyle
  readonly tokenField: string
  readonly expiresField: string
  readonly refreshSkewMs: number
}

const skewSecondsDefault = 30
/** For a server that does not say how long its token lives. */
const lifetimeSecondsDefault = 3600

/** The shape of the mapping must be valid. */
export function oauthProfile(oauth: Mapping): OAuthProfile | SpecError {
  const text = (key: string, usual = '') => {
    const found = oauth.get(key)
    return (typeof found === 'string' ? found.trim() : '') || usual
  }
  const tokenUrl = text('token_url')
  const inline = inlineSecret(tokenUrl)
  if (inline !== undefined) return inline
  const names = ['client_id_env', 'client_secret_env'] as const
  const [bad] = names.filter(key => !variableName.test(text(key)))
  // Never shows the value: it may be a secret that was written in the wrong place.
  if (bad !== undefined) return refused(bad, 'must be the name of an environment variable')
  return {
    tokenUrl,
    clientIdEnv: text('client_id_env'),
    clientSecretEnv: text('client_secret_env'),
    scope: text('scope'),
    audience: text('audience'),
    style: authStyles.find(one => one === oauth.get('auth_style')) ?? 'basic',
    tokenField: text('token_field', 'access_token'),
    expiresField: text('expires_field', 'expires_in'),
    refreshSkewMs: (numberOf(oauth.get('refresh_skew_seconds')) ?? skewSecondsDefault) * 1000,
  }
}

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

const refused = (key: string, why: string): SpecError => ({
  category: 'schema',
  message: `${oauthPath}.${key} ${why}`,
  path: `${oauthPath}.${key}`,
  hint: 'Put the credential into an environment variable, and name the variable here.',
})

function inlineSecret(tokenUrl: string): SpecError | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(tokenUrl)) {
    return refused('token_url', 'must not contain a user name or a password')
  }
  const parameter = /[?&](client_secret|client_id|password|access_token)=/i.exec(tokenUrl)?.[1]
  if (parameter === undefined) return undefined
  return refused('token_url', `must not contain the parameter ${parameter}`)
}

export interface Credentials {
  readonly id: string
  readonly secret: string
}

/** From the environment of the run. A blank variable counts as missing. */
export function credentialsOf(
  { clientIdEnv, clientSecretEnv }: OAuthProfile,
  env: Environment,
): Credentials | SpecError {
  const [id = '', secret = ''] = [env[clientIdEnv], env[clientSecretEnv]]
  const missing =
    id.trim() === ''
      ? { key: 'client_id_env', name: clientIdEnv }
      : secret.trim() === ''
        ? { key: 'client_secret_env', name: clientSecretEnv }
        : undefined
  if (missing === undefined) return { id, secret }
  const { key, name } = missing
  return {
    category: 'schema',
    message: `oauth env var is required: ${name}, named by ${oauthPath}.${key}`,
    path: `${oauthPath}.${key}`,
    hint: `Set ${name} in the environment of premath.`,
  }
}

export interface TokenRequest {
  /** The user and the password of basic authentication, joined by a colon and not yet in base64. */
  readonly basic: string | undefined
  readonly body: string
}

export function tokenRequest(profile: OAuthProfile, { id, secret }: Credentials): TokenRequest {
  const { scope, audience, style } = profile
  const fields: (readonly [string, string])[] = [['grant_type', 'client_credentials']]
  if (scope !== '') fields.push(['scope', scope])
  if (audience !== '') fields.push(['audience', audience])
  if (style === 'body') fields.push(['client_id', id], ['client_secret', secret])
  // RFC 6749, section 2.3.1: both are form-encoded first, so that neither contains a colon.
  const basic = style === 'basic' ? `${formEncoded(id)}:${formEncoded(secret)}` : undefined
  return { basic, body: formBody(fields) }
}

export interface AccessToken {
  readonly token: string
  readonly lifetimeMs: number
}

/** Reads the answer of a token server. No message contains any part of it. */
export function tokenIn(
  { status, body }: { readonly status: number; readonly body: string },
  { tokenField, expiresField }: OAuthProfile,
): AccessToken | SpecError {
  const answer = readJson(body)
  const members = answer instanceof Failure || !isMapping(answer) ? undefined : answer
  if (status < 200 || status > 299) {
    const error = members?.get('error')
    const code = typeof error === 'string' && /^[\w.-]{1,64}$/.test(error) ? ` (${error})` : ''
    return failed(`the token server answered ${status}${code}`)
  }
  if (members === undefined) return failed('the answer of the token server is not a JSON object')
  const token = members.get(tokenField)
  if (typeof token !== 'string' || token.trim() === '') {
    return failed(`the answer of the token server has no text in ${tokenField}`)
  }
  // A line break would end the header.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    return failed(`the token in ${tokenField} has characters that no header can carry`)
  }
  return { token, lifetimeMs: lifetimeSeconds(members.get(expiresField)) * 1000 }
}

const failed = (why: string): SpecError => ({
  category: 'runtime',
  message: `oauth: ${why}`,
  path: oauthPath,
})

function lifetimeSeconds(value: SpecValue | undefined): number {
  const text = typeof value === 'string' && /^\d{1,12}$/.test(value.trim())
  const seconds = text ? Number(value) : numberOf(value)
  return seconds !== undefined && seconds >= 0 ? seconds : lifetimeSecondsDefault
}

/** Two profiles share a token if they would get the same one. */
export function tokenKey(
  { tokenUrl, scope, audience, style, tokenField, expiresField }: OAuthProfile,
  { id, secret }: Credentials,
  sha256: (text: string) => string,
): string {
  const credentials = sha256(JSON.stringify([id, secret]))
  return JSON.stringify([tokenUrl, credentials, scope, audience, style, tokenField, expiresField])
}
