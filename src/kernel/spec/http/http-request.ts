/** Reads the requests of an `api.http` case. The shape must be valid. */
import { mappingIn } from '../case/requires.ts'
import { floatOf, numberOf } from '../lang/float.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { corsHeaders } from './cors.ts'
import { type ConnectionRule, connectionRule } from './http-connection.ts'
import type { HttpMethod, HttpMode } from './http-keys.ts'
import { type Header, pairsIn, textOf } from './http-text.ts'
import { bodyHeaders, type RequestBody, requestBody } from './request-body.ts'
import { withQuery } from './request-url.ts'

type Mapping = ReadonlyMap<string, SpecValue>

export interface HttpRequest {
  readonly method: HttpMethod
  /** With the query. */
  readonly url: string
  readonly headers: readonly Header[]
  readonly body: RequestBody | undefined
  readonly followsRedirects: boolean
  readonly timeoutMs: number
}

/** The setting of all requests of a case. */
export interface HttpSetting {
  readonly mode: HttpMode
  readonly timeoutMs: number
  /** Fail when a request of a scenario cannot be sent. */
  readonly failFast: boolean
  readonly keepsCookies: boolean
  readonly connection: ConnectionRule
}

export const timeoutMsDefault = 5000

export function httpSetting(value: Mapping): HttpSetting {
  const harness = mappingIn(value, 'harness')
  const own = mappingIn(harness, 'api_http')
  return {
    mode: own.get('mode') === 'live' ? 'live' : 'deterministic',
    timeoutMs: numberOf(harness.get('timeout_ms')) ?? timeoutMsDefault,
    failFast: mappingIn(own, 'scenario').get('fail_fast') !== false,
    keepsCookies: own.get('cookies') !== false,
    connection: connectionRule(own),
  }
}

export const secondsOf = (timeoutMs: number): SpecValue => floatOf(timeoutMs / 1000)

/** A request with the path of its mapping. */
export interface WrittenRequest {
  /** Absent for the only request of a case. */
  readonly id: string | undefined
  /** `request` or `requests[0]`. */
  readonly at: string
  readonly value: Mapping
}

export function writtenRequests(value: Mapping): readonly WrittenRequest[] {
  const single = value.get('request')
  if (isMapping(single)) return [{ id: undefined, at: 'request', value: single }]
  const several = value.get('requests')
  return (isList(several) ? several : []).flatMap((one, index) =>
    isMapping(one)
      ? [{ id: String(one.get('id') ?? '').trim(), at: `requests[${index}]`, value: one }]
      : [],
  )
}

/** Fills in defaults and the headers that follow from other keys. */
export function httpRequest(value: Mapping, setting: HttpSetting): HttpRequest {
  const method = methodOf(value)
  const written = headersIn(value)
  const added = [...addedByCors(value, method), ...bodyHeaders(value)]
  return {
    method,
    url: withQuery(textOf(value.get('url')).trim(), queryIn(value)),
    headers: [...written, ...added.filter(([name]) => !hasHeader(written, name))],
    body: requestBody(value),
    followsRedirects: value.get('redirects') !== 'manual',
    timeoutMs: numberOf(value.get('timeout_ms')) ?? setting.timeoutMs,
  }
}

/** Flaws of `cors` were reported before. */
function addedByCors(value: Mapping, method: HttpMethod): readonly Header[] {
  const headers = corsHeaders({ cors: mappingIn(value, 'cors'), method, path: '' })
  return 'category' in headers ? [] : [...headers]
}

export const methodOf = (value: Mapping): HttpMethod =>
  textOf(value.get('method')).toUpperCase() as HttpMethod

export function headersIn(value: Mapping): readonly Header[] {
  return pairsIn(mappingIn(value, 'headers')).map(([name, one]) => [name.trim(), one.trim()])
}

/** Header names are the same in any case. */
export const hasHeader = (headers: readonly Header[], name: string): boolean =>
  headers.some(([one]) => one.toLowerCase() === name.toLowerCase())

const queryIn = (value: Mapping): readonly Header[] => pairsIn(mappingIn(value, 'query'))
