import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { base64, type CurlRequest, curlRequest } from './curl-command.ts'

function read(line: string): CurlRequest {
  const found = curlRequest(line)
  if ('refused' in found) throw new Error(found.refused)
  return found
}

const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const

describe('the request', () => {
  test.each<[string, Partial<CurlRequest>]>([
    ['curl https://a/b', { method: 'GET', url: 'https://a/b', headers: [], body: undefined }],
    ['/usr/bin/curl a/b', { url: 'http://a/b' }],
    ['curl -X put --url http://a', { method: 'PUT', url: 'http://a' }],
    ['curl -sSXDELETE http://a', { method: 'DELETE' }],
    ['curl -I http://a', { method: 'HEAD' }],
    ['curl -L -k http://a', { followsRedirects: true, isInsecure: true }],
    ['curl -m 1.5 http://a', { timeoutMs: 1500 }],
    [
      "curl http://a -H 'Accept: text/plain' -H 'X-Empty;' -H 'Host:'",
      {
        headers: [
          ['Accept', 'text/plain'],
          ['X-Empty', ''],
        ],
      },
    ],
    ['curl http://a -d a=1 -d b=2', { method: 'POST', headers: [form], body: { text: 'a=1&b=2' } }],
    ['curl http://a --data-raw @x', { body: { text: '@x' } }],
    ['curl http://a -d @body.txt', { body: { file: 'body.txt' } }],
    [
      "curl http://a --data-urlencode 'q=a b&c' --data-urlencode '=d e' --data-urlencode 'f/g'",
      { body: { text: 'q=a+b%26c&d+e&f%2Fg' } },
    ],
    [
      "curl -G http://a/?x=1#f -d 'q=1' -d r=2",
      { method: 'GET', url: 'http://a/?x=1&q=1&r=2#f', headers: [] },
    ],
    [
      `curl http://a --json '{"a":1}'`,
      {
        method: 'POST',
        headers: [
          ['Content-Type', 'application/json'],
          ['Accept', 'application/json'],
        ],
        body: { text: '{"a":1}' },
      },
    ],
    [
      "curl -H 'content-type: text/csv' -d 'a,b' http://a",
      { headers: [['content-type', 'text/csv']] },
    ],
    [
      "curl -o out.html -w '%{http_code}' --compressed -fsS http://a",
      { url: 'http://a', headers: [] },
    ],
  ])('%s', (line, expected) => {
    expect(read(line)).toMatchObject(expected)
  })

  test('a form has parts', () => {
    expect(
      read("curl http://a -F name=me -F 'pic=@a.png;type=image/png;filename=b.png'"),
    ).toMatchObject({
      method: 'POST',
      headers: [],
      body: {
        parts: [
          { name: 'name', value: 'me', isFile: false },
          { name: 'pic', value: 'a.png', isFile: true, filename: 'b.png', type: 'image/png' },
        ],
      },
    })
  })

  test('a line as a browser copies it', () => {
    const line = `curl 'https://a.example/api' \\\n  -X 'POST' \\\n  -H 'accept: */*' \\\n  --data-raw $'{"a":"it\\'s"}' \\\n  --compressed`
    expect(read(line)).toMatchObject({
      method: 'POST',
      url: 'https://a.example/api',
      body: { text: '{"a":"it\'s"}' },
    })
  })
})

describe('credentials', () => {
  const told = (line: string) => {
    const { headers, url, secrets } = read(line)
    return { headers, url, secrets: Object.fromEntries(secrets) }
  }

  test.each([
    [
      "curl -H 'Authorization: Bearer hunter2' http://a",
      'Authorization',
      'AUTHORIZATION',
      'Bearer hunter2',
    ],
    ['curl -u me:hunter2 http://a', 'Authorization', 'AUTHORIZATION', 'Basic bWU6aHVudGVyMg=='],
    ['curl http://me:hunter2@a', 'Authorization', 'AUTHORIZATION', 'Basic bWU6aHVudGVyMg=='],
    ['curl --oauth2-bearer hunter2 http://a', 'Authorization', 'AUTHORIZATION', 'Bearer hunter2'],
    ["curl -b 'session=hunter2' http://a", 'Cookie', 'COOKIE', 'session=hunter2'],
    ["curl -H 'X-Api-Key: hunter2' http://a", 'X-Api-Key', 'X_API_KEY', 'hunter2'],
  ])('%s: the document refers to a variable', (line, header, name, value) => {
    const { headers, url, secrets } = told(line)
    expect(headers).toEqual([[header, `{{var.${name}}}`]])
    expect(url).toBe('http://a')
    expect(secrets).toEqual({ [name]: { what: `${header} header`, value } })
  })

  test('a variable of the shell keeps its name', () => {
    expect(told('curl -H "Authorization: Bearer $TOKEN" "$HOST/x"')).toEqual({
      headers: [['Authorization', 'Bearer {{var.TOKEN}}']],
      url: '{{var.HOST}}/x',
      secrets: {
        TOKEN: { what: 'variable TOKEN', value: undefined },
        HOST: { what: 'variable HOST', value: undefined },
      },
    })
  })

  test('a password from a variable becomes part of another one', () => {
    expect(told('curl -u "me:$PASS" http://a')).toMatchObject({
      headers: [['Authorization', '{{var.AUTHORIZATION}}']],
      secrets: { AUTHORIZATION: { value: undefined } },
    })
  })
})

test.each([
  ['wget http://a', 'must start with curl'],
  ['curl', 'has no url'],
  ['curl http://a http://b', 'two urls'],
  ['curl http://a --next http://b', '--next'],
  ['curl http://a | jq .', 'outside quotes'],
  ['curl http://a -T file', 'the option -T is not supported'],
  ['curl http://a --upload-file x', 'the option --upload-file is not supported'],
  ['curl http://a -H', 'the option -H has no value'],
  ['curl http://a -d @-', 'comes from stdin'],
  ['curl http://a -d a -F b=c', 'several kinds of body'],
  ['curl http://a -F b', 'name=value'],
  ['curl http://a -b jar.txt', 'reads cookies from a file'],
  ['curl http://a -m soon', 'must be a number of seconds'],
])('%s is refused', (line, why) => {
  expect(curlRequest(line)).toMatchObject({ refused: expect.stringContaining(why) })
})

test('base64 is that of every other program', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      expect(base64(text)).toBe(Buffer.from(text).toString('base64'))
    }),
  )
})
