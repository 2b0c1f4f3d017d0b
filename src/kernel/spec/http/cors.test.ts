import { describe, expect, test } from 'vitest'
import type { SpecValue } from '../lang/value.ts'
import { corsHeaders, corsJson } from './cors.ts'

const cors = (given: Readonly<Record<string, SpecValue>>) => new Map(Object.entries(given))
const sent = (given: Readonly<Record<string, SpecValue>>, method: string, path = 'request') =>
  corsHeaders({ cors: cors(given), method, path })

describe('the request', () => {
  test('an actual request sends its origin only', () => {
    expect(sent({ origin: ' https://a.example ' }, 'GET')).toEqual(
      new Map([['Origin', 'https://a.example']]),
    )
    expect(sent({}, 'POST')).toEqual(new Map())
  })

  test('[spec.3.cors] a preflight asks for a method and for headers', () => {
    const given = {
      origin: 'https://a.example',
      preflight: true,
      request_method: 'put',
      request_headers: ['content-type', ' x-trace '],
    }
    expect(sent(given, 'OPTIONS')).toEqual(
      new Map([
        ['Origin', 'https://a.example'],
        ['Access-Control-Request-Method', 'PUT'],
        ['Access-Control-Request-Headers', 'content-type, x-trace'],
      ]),
    )
  })

  test.each<[string, Readonly<Record<string, SpecValue>>, string, string]>([
    [
      'another method',
      { preflight: true, request_method: 'POST' },
      'GET',
      'request.cors.preflight requires request.method OPTIONS',
    ],
    [
      'no method to ask for',
      { preflight: true },
      'OPTIONS',
      'request.cors.request_method is required for a preflight',
    ],
    [
      'a question without a preflight',
      { request_headers: ['x-trace'] },
      'GET',
      'request.cors.request_headers belongs to a preflight',
    ],
  ])('[spec.3.cors] %s is refused', (_, given, method, message) => {
    expect(sent(given, method)).toMatchObject({ category: 'schema', message })
  })

  test('a refusal names the step', () => {
    expect(sent({ preflight: true }, 'GET', 'requests[2]')).toMatchObject({
      message: 'requests[2].cors.preflight requires requests[2].method OPTIONS',
      path: 'requests[2].cors.preflight',
    })
  })
})

describe('the projection', () => {
  const projected = (headers: Readonly<Record<string, readonly string[]>>) =>
    Object.fromEntries(corsJson(new Map(Object.entries(headers))) as Map<string, SpecValue>)

  test('an answer without CORS headers allows nothing', () => {
    expect(projected({ 'content-type': ['text/plain'] })).toEqual({
      allow_origin: null,
      allow_methods: [],
      allow_headers: [],
      expose_headers: [],
      allow_credentials: null,
      max_age: null,
      vary_origin: false,
    })
  })

  test('[spec.3.cors] lists are split and trimmed, over repeated headers too', () => {
    expect(
      projected({
        'access-control-allow-origin': [' https://a.example'],
        'access-control-allow-methods': ['GET , PUT', 'DELETE'],
        'access-control-allow-headers': ['content-type,,x-trace'],
        'access-control-expose-headers': ['ETag'],
        'access-control-allow-credentials': ['TRUE'],
        'access-control-max-age': [' 600 '],
        vary: ['Accept', 'Accept-Encoding, ORIGIN'],
      }),
    ).toEqual({
      allow_origin: 'https://a.example',
      allow_methods: ['GET', 'PUT', 'DELETE'],
      allow_headers: ['content-type', 'x-trace'],
      expose_headers: ['ETag'],
      allow_credentials: true,
      max_age: 600,
      vary_origin: true,
    })
  })

  test.each([['yes'], [''], ['1']])('credentials %j are neither allowed nor denied', value => {
    expect(projected({ 'access-control-allow-credentials': [value] })).toMatchObject({
      allow_credentials: null,
    })
  })

  test.each([['ten'], ['1.5'], ['']])('a max age of %j is none', value => {
    expect(projected({ 'access-control-max-age': [value] })).toMatchObject({ max_age: null })
  })
})
