/** The result of one request, as assertions and later requests see it. */
import { readJson } from '../lang/read-json.ts'
import { Failure } from '../lang/spec-error.ts'
import type { SpecValue } from '../lang/value.ts'
import { corsJson } from './cors.ts'
import { headerLists, headersMapping, headersText } from './header-text.ts'
import type { HttpRequest } from './http-request.ts'
import type { Header } from './http-text.ts'
import type { Hop } from './redirect.ts'

/** The subjects that one response offers. */
export const responseTargets = [
  'status',
  'status_code',
  'headers',
  'headers_json',
  'body_text',
  'body_json',
  'body_bytes',
  'body_sha256',
  'duration_ms',
  'cors_json',
] as const

export type ResponseTarget = (typeof responseTargets)[number]

export const isResponseTarget = (target: string): target is ResponseTarget =>
  responseTargets.some(one => one === target)

/** Each part may be computed on first use: most cases look at few of them. */
export interface ReceivedBody {
  readonly text: string
  readonly bytes: number
  /** In lower-case hexadecimal. */
  readonly sha256: string
}

interface ReceivedResponse {
  /** Absent for the only request of a case. */
  readonly id: string | undefined
  readonly request: HttpRequest
  /** The address that answered. */
  readonly url: string
  readonly status: number
  readonly headers: readonly Header[]
  readonly body: ReceivedBody
  readonly durationMs: number
  /** The redirects that led here. */
  readonly hops: readonly Hop[]
  /** Values that the request keeps for later ones. */
  readonly captures: ReadonlyMap<string, SpecValue>
}

export class HttpResult {
  readonly received: ReceivedResponse
  #bodyJson: SpecValue | undefined
  #stepJson: ReadonlyMap<string, SpecValue> | undefined

  constructor(received: ReceivedResponse) {
    this.received = received
  }

  subject(target: ResponseTarget): SpecValue {
    const { status, headers, body, durationMs } = this.received
    switch (target) {
      case 'status':
        return String(status)
      case 'status_code':
        return status
      case 'headers':
        return headersText(headers)
      case 'headers_json':
        return headerLists(headers)
      case 'body_text':
        return body.text
      case 'body_json':
        return this.bodyJson
      case 'body_bytes':
        return body.bytes
      case 'body_sha256':
        return body.sha256
      case 'duration_ms':
        return durationMs
      case 'cors_json':
        return this.corsJson
    }
  }

  /** The same response with the values that were taken from it. */
  withCaptures(captures: ReadonlyMap<string, SpecValue>): HttpResult {
    return new HttpResult({ ...this.received, captures })
  }

  /** Null for a blank or malformed body. */
  get bodyJson(): SpecValue {
    if (this.#bodyJson === undefined) {
      const value = readJson(this.received.body.text)
      this.#bodyJson = value instanceof Failure ? null : value
    }
    return this.#bodyJson
  }

  /** False for a file. */
  get isFromNetwork(): boolean {
    return /^https?:/i.test(this.received.url)
  }

  get corsJson(): SpecValue {
    return corsJson(headerLists(this.received.headers))
  }

  get redirectsJson(): SpecValue {
    return this.received.hops.map(hop => new Map<string, SpecValue>(Object.entries(hop)))
  }

  /** An item of `steps_json`. */
  get stepJson(): ReadonlyMap<string, SpecValue> {
    const { id, request, url, status, headers, body } = this.received
    this.#stepJson ??= new Map<string, SpecValue>([
      ['id', id ?? null],
      ['method', request.method],
      ['url', url],
      ['status', status],
      ['headers', headersMapping(headers)],
      ['headers_json', headerLists(headers)],
      ['body_text', body.text],
      ['body_json', this.bodyJson],
      ['cors_json', this.corsJson],
      ['redirects', this.redirectsJson],
      ['captures', this.received.captures],
    ])
    return this.#stepJson
  }

  /** For templates and expressions: a captured value hides a field of the same name. */
  get stepValue(): ReadonlyMap<string, SpecValue> {
    const { captures } = this.received
    return captures.size === 0 ? this.stepJson : new Map([...this.stepJson, ...captures])
  }
}
