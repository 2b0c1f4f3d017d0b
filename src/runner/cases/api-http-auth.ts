/** Identifies the caller to a server. */
import type { HttpRequest } from '../../kernel/spec/http/http-request.ts'
import type { Header } from '../../kernel/spec/http/http-text.ts'
import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { SpecValue } from '../../kernel/spec/lang/value.ts'

export interface Authorizer {
  /** Headers to add to a request, or why there are none. */
  authorize(request: HttpRequest): Promise<readonly Header[] | SpecError>
  /** For `context_json`; without any secret. */
  readonly meta: Readonly<Record<'auth_mode' | 'oauth_token_source', SpecValue>>
  oauthContext(): SpecValue
}

export const noAuthorizer: Authorizer = {
  authorize: async () => [],
  meta: { auth_mode: 'none', oauth_token_source: 'none' },
  oauthContext: () => new Map(),
}
