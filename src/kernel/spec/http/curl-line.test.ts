import { expect, test } from 'vitest'
import { fromJson } from '../../../testing/spec-value.ts'
import type { Json } from '../../json.ts'
import { curlLine } from './curl-line.ts'
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
  expect(shown).toContain("--data-binary 'client_id=a&client_secret=$SECRET'")
})

test('a long body is cut', () => {
  const shown = line({ method: 'POST', url: 'http://h/', body_text: 'x'.repeat(10_000) })
  expect(shown.length).toBeLessThan(500)
})
