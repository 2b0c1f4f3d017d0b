/** The result of one request, as assertions and later requests see it. */
import { readJson } from '../lang/read-json.ts'
import { Failure } from '../lang/spec-error.ts'
import type { SpecValue } from '../lang/value.ts'
import { corsJson } from './cors.ts'
import { headerLists, headersMapping } from './header-text.ts'
import type { Header, HttpRequest } from './http-request.ts'
import type { Hop } from './redirect.ts'

interface ReceivedResponse {
  /** Absent for the only request of a case. */
  readonly id: string | undefined
  readonly request: HttpRequest
  /** The address that answered. */
  readonly url: string
  readonly status: number
  readonly headers: readonly Header[]
  readonly bodyText: string
  readonly bodyBytes: number
  /** In lower-case hexadecimal. */
  readonly bodySha256: string
  readonly durationMs: number
  /** The redirects that led here. */
  readonly hops: readonly Hop[]
}

export class HttpResult {
  readonly received: ReceivedResponse
  #bodyJson: SpecValue | undefined
  #stepJson: ReadonlyMap<string, SpecValue> | undefined

  constructor(received: ReceivedResponse) {
    this.received = received
  }

  /** Null for a blank or malformed body. */
  get bodyJson(): SpecValue {
    if (this.#bodyJson === undefined) {
      const value = readJson(this.received.bodyText)
      this.#bodyJson = value instanceof Failure ? null : value
    }
    return this.#bodyJson
  }

  /** Null for a request without `cors`. */
  get corsJson(): SpecValue {
    const { request, headers } = this.received
    return request.asksCors ? corsJson(headerLists(headers)) : null
  }

  get redirectsJson(): SpecValue {
    return this.received.hops.map(hop => new Map<string, SpecValue>(Object.entries(hop)))
  }

  /** An item of `steps_json`, and the value that templates look into. */
  get stepJson(): ReadonlyMap<string, SpecValue> {
    const { id, request, url, status, headers, bodyText } = this.received
    this.#stepJson ??= new Map<string, SpecValue>([
      ['id', id ?? null],
      ['method', request.method],
      ['url', url],
      ['status', status],
      ['headers', headersMapping(headers)],
      ['headers_json', headerLists(headers)],
      ['body_text', bodyText],
      ['body_json', this.bodyJson],
      ['cors_json', this.corsJson],
      ['redirects', this.redirectsJson],
    ])
    return this.#stepJson
  }
}
