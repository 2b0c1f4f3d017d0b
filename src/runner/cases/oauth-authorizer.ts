/** Gets tokens by client credentials and adds them to requests. */

import {
  type HttpRequest,
  type HttpSetting,
  hasHeader,
  httpRequest,
} from '../../kernel/spec/http/http-request.ts'
import type { Header } from '../../kernel/spec/http/http-text.ts'
import {
  type AccessToken,
  type Credentials,
  type OAuthProfile,
  oauthIn,
  oauthPath,
  tokenIn,
  tokenKey,
  tokenRequest,
} from '../../kernel/spec/http/oauth.ts'
import type { SpecValue } from '../../kernel/spec/lang/value.ts'
import type { CaseFailure } from '../case-outcome.ts'
import type { ExecutionContext } from '../execution-context.ts'
import { namedCredentials } from '../oauth-credentials.ts'
import { type Authorizer, noAuthorizer } from './api-http-auth.ts'
import type { HttpExchange } from './api-http-exchange.ts'
import { isSpecErrorOf } from './case-harness.ts'

type Mapping = ReadonlyMap<string, SpecValue>

interface AuthorizerParts {
  readonly value: Mapping
  readonly setting: HttpSetting
  readonly exchange: HttpExchange
}

/** Fails if a credential is missing, also if no request will need it. */
export function authorizerOf(
  { value, setting, exchange }: AuthorizerParts,
  context: ExecutionContext,
): Authorizer | CaseFailure {
  const oauth = oauthIn(value)
  if (oauth === undefined) return noAuthorizer
  const named = namedCredentials(oauth, context.run)
  if (isSpecErrorOf(named)) return named
  return new OAuthAuthorizer({ ...named, setting, exchange }, context)
}

interface OAuthParts {
  readonly profile: OAuthProfile
  readonly credentials: Credentials
  readonly setting: HttpSetting
  readonly exchange: HttpExchange
}

class OAuthAuthorizer implements Authorizer {
  readonly meta = { auth_mode: 'oauth', oauth_token_source: 'env_ref' }
  readonly #parts: OAuthParts
  readonly #context: ExecutionContext
  #token: string | undefined
  #isReused = false

  constructor(parts: OAuthParts, context: ExecutionContext) {
    this.#parts = parts
    this.#context = context
  }

  /** The exchange asks again after a redirect, but never for another origin. */
  async authorize({ headers }: HttpRequest): Promise<readonly Header[] | CaseFailure> {
    if (hasHeader(headers, 'Authorization')) return []
    const { profile, credentials } = this.#parts
    const { tokens, world } = this.#context.run
    const key = tokenKey(profile, credentials, text => world.sha256(text))
    const found = await tokens.take(key, profile.refreshSkewMs, () => this.#fetch())
    if (isSpecErrorOf(found)) return found
    this.#isReused = found.token === this.#token
    this.#token = found.token
    return [['Authorization', `Bearer ${found.token}`]]
  }

  async #fetch(): Promise<AccessToken | CaseFailure> {
    const { profile, credentials, setting, exchange } = this.#parts
    const { basic, body } = tokenRequest(profile, credentials)
    const headers = new Map<string, SpecValue>([
      ['Accept', 'application/json'],
      ['Content-Type', 'application/x-www-form-urlencoded'],
    ])
    if (basic !== undefined) {
      headers.set('Authorization', `Basic ${Buffer.from(basic).toString('base64')}`)
    }
    const asked = new Map<string, SpecValue>([
      ['method', 'POST'],
      ['url', profile.tokenUrl],
      ['headers', headers],
      ['body_text', body],
      // Credentials go to the address that the author named and to no other.
      ['redirects', 'manual'],
    ])
    const request = httpRequest(asked, setting)
    const answer = await exchange.send({
      ...{ request, at: oauthPath, urlKey: 'token_url' },
      authorizer: noAuthorizer,
    })
    if (isSpecErrorOf(answer)) {
      return { ...answer, message: `oauth: ${answer.message}`, path: `${oauthPath}.token_url` }
    }
    const { status } = answer
    const token = tokenIn({ status, body: new TextDecoder().decode(answer.body) }, profile)
    if (!isSpecErrorOf(token)) this.#context.run.secrets.hide('OAUTH_TOKEN', token.token)
    return token
  }

  /** Says whether this case used one token twice: other cases of the run must not be visible. */
  oauthContext(): SpecValue {
    const { tokenUrl, scope } = this.#parts.profile
    return new Map<string, SpecValue>([
      ['token_url_host', URL.canParse(tokenUrl) ? new URL(tokenUrl).host : ''],
      ['scope_requested', scope],
      ['used_cached_token', this.#isReused],
    ])
  }
}
