import { expect, test } from 'vitest'
import { fromJson } from '../../../testing/spec-value.ts'
import type { Json } from '../../json.ts'
import { bodyCharsMax, curlLine } from './curl-line.ts'
import { httpRequest, httpSetting } from './http-request.ts'

type Given = Readonly<Record<string, Json>>

const line = (given: Given) =>
  curlLine(
    httpRequest(fromJson({ ...given }) as ReadonlyMap<string, never>, httpSetting(new Map())),
  )

test.each<[Given, string]>([
  [{ method: 'get', url: 'http://h/a', query: { b: 'c d' } }, "curl --location 'http://h/a?b=c+d'"],
  [{ method: 'HEAD', url: 'http://h/', redirects: 'manual' }, 'curl --head http://h/'],
  [
    { method: 'POST', url: 'http://h/', body_json: { a: "it's" } },
    `curl -X POST --location -H 'Content-Type: application/json' --data-binary '{"a":"it'\\''s"}' http://h/`,
  ],
  [
    { method: 'PUT', url: 'http://h/', body_file: '/fixtures/a b.bin', redirects: 'manual' },
    "curl -X PUT --data-binary '@fixtures/a b.bin' http://h/",
  ],
  [
    {
      method: 'POST',
      url: 'http://h/',
      redirects: 'manual',
      multipart: { a: 1, f: { file: '/x.png' } },
    },
    "curl -X POST --form-string a=1 --form 'f=@x.png;filename=x.png;type=application/octet-stream' http://h/",
  ],
])('%j', (given, want) => {
  expect(line(given)).toBe(want)
})

test('credentials are variables', () => {
  const headers = { authorization: 'Bearer hunter2', Cookie: 'session=hunter2', 'X-Trace': '1' }
  expect(line({ method: 'GET', url: 'http://h/', redirects: 'manual', headers })).toBe(
    `curl -H "authorization: $AUTHORIZATION" -H "Cookie: $COOKIE" -H 'X-Trace: 1' http://h/`,
  )
})

test('credentials in a form are hidden', () => {
  const form = { client_id: 'a', client_secret: 'hunter2' }
  const shown = line({ method: 'POST', url: 'http://h/', form })
  expect(shown).toContain('--data-binary "client_id=a&client_secret=$SECRET"')
})

test('a failure cuts a long body', () => {
  const request = { method: 'POST', url: 'http://h/', body_text: 'x'.repeat(10_000) }
  const given = httpRequest(fromJson(request) as ReadonlyMap<string, never>, httpSetting(new Map()))
  expect(curlLine(given, { bodyChars: bodyCharsMax }).length).toBeLessThan(500)
  expect(curlLine(given)).toContain('x'.repeat(10_000))
})

test.each<[Given, string]>([
  [{ headers: { Authorization: 'Bearer {{var.T}}' } }, '-H "Authorization: Bearer $T"'],
  [{ headers: { Authorization: 'Bearer x{{var.T}}' } }, '-H "Authorization: $AUTHORIZATION"'],
  [{ headers: { Cookie: 'a={{var.A}}; b={{var.B}}' } }, '-H "Cookie: a=$A; b=$B"'],
  [{ headers: { 'X-A': '"`\\$ {{var.T}}s' } }, `-H "X-A: \\"\\\`\\\\\\$ $\{T}s"`],
  [{ headers: { 'X-A': '{{var.not-a-shell-name}}' } }, "-H 'X-A: {{var.not-a-shell-name}}'"],
  [{ headers: { 'X-A': '' } }, "-H 'X-A;'"],
  [
    { query: { a: '1', b: '{{var.B}}', c: 'x y' } },
    "--url-query \"b=$B\" --url-query 'c=x y' 'http://h/?a=1'",
  ],
  [{ form: { a: '{{var.A}}' } }, '--data-urlencode "a=$A"'],
  [{ body_json: { a: '{{var.A}}' } }, '--data-binary "{\\"a\\":\\"$A\\"}"'],
  [{ timeout_ms: 1500 }, '--max-time 1.5'],
  [
    { multipart: { a: { text: 'x;"y', content_type: 'text/csv' }, f: { file: '/a,b.png' } } },
    `--form 'a="x;\\"y";type=text/csv' --form 'f=@"a,b.png";filename="a,b.png";type=application/octet-stream'`,
  ],
])('%j: the line has %s', (given, want) => {
  expect(line({ method: 'POST', url: 'http://h/', ...given })).toContain(want)
})

test('the line reaches the server as the case does', () => {
  const own = {
    tls: { ca: '/ca.pem', cert: 'c.pem', key: 'k.pem', insecure: true },
    resolve: { 'api.test': '127.0.0.1', 'b.test:81': '::1' },
    proxy: 'http://proxy:3128',
  }
  const value = fromJson({ harness: { api_http: own } }) as ReadonlyMap<string, never>
  const setting = httpSetting(value)
  const request = fromJson({ method: 'GET', url: 'https://api.test/', redirects: 'manual' })
  expect(curlLine(httpRequest(request as ReadonlyMap<string, never>, setting), setting)).toBe(
    'curl --insecure --cacert ca.pem --cert c.pem --key k.pem --resolve api.test:443:127.0.0.1 --resolve b.test:81:::1 --proxy http://proxy:3128 https://api.test/',
  )
})
