import type { AccessToken } from '../kernel/spec/http/oauth.ts'
import type { CaseFailure } from './case-outcome.ts'

interface KeptToken {
  readonly token: string
  /** On the clock of the run. */
  readonly expiresAt: number
}

/** The tokens of one run. Cases that would get the same token share it. */
export class OAuthTokens {
  readonly #now: () => number
  readonly #kept = new Map<string, Promise<KeptToken | CaseFailure>>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** `skewMs` before a token expires, the next caller gets a new one. */
  async take(
    key: string,
    skewMs: number,
    fetch: () => Promise<AccessToken | CaseFailure>,
  ): Promise<{ readonly token: string } | CaseFailure> {
    const kept = this.#kept.get(key)
    const found = await kept
    const isUsable =
      found !== undefined && 'token' in found && this.#now() < found.expiresAt - skewMs
    if (isUsable) return found
    // Another case may have asked for a new one meanwhile.
    const pending = this.#kept.get(key)
    const next = pending !== undefined && pending !== kept ? pending : this.#fetched(fetch)
    this.#kept.set(key, next)
    return await next
  }

  async #fetched(
    fetch: () => Promise<AccessToken | CaseFailure>,
  ): Promise<KeptToken | CaseFailure> {
    const began = this.#now()
    const found = await fetch()
    return 'category' in found ? found : { token: found.token, expiresAt: began + found.lifetimeMs }
  }
}
