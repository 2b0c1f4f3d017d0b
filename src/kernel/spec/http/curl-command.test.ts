import { describe, expect, test } from 'vitest'
import { type CurlRequest, curlRequest } from './curl-command.ts'

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
    ['$ curl a/b', { url: 'http://a/b' }],
    ['curl -X put --url http://a', { method: 'PUT', url: 'http://a' }],
    ['curl -sSXDELETE http://a', { method: 'DELETE' }],
    ['curl -I http://a', { method: 'HEAD' }],
    ['curl -L http://a', { followsRedirects: true }],
    ['curl http://a', { followsRedirects: false }],
    ['curl -m 1.5 http://a', { timeoutMs: 1500 }],
    [
      'curl -A me/1 -e http://b http://a',
      {
        headers: [
          ['User-Agent', 'me/1'],
          ['Referer', 'http://b'],
        ],
      },
    ],
    ['curl --compressed http://a', { headers: [['Accept-Encoding', 'gzip, deflate, br']] }],
    [
      "curl http://a -H 'Accept: text/plain' -H 'X-Empty;' -H 'Host:'",
      {
        headers: [
          ['Accept', 'text/plain'],
          ['X-Empty', ''],
        ],
      },
    ],
    [
      'curl http://a -d a=1 -d b=2',
      {
        method: 'POST',
        headers: [form],
        body: {
          fields: [
            ['a', '1'],
            ['b', '2'],
          ],
        },
      },
    ],
    ["curl http://a -d a=1 -H 'Content-Type:'", { headers: [], body: { text: 'a=1' } }],
    ['curl http://a -d a=1 -d b=2 -d a=3', { body: { text: 'a=1&b=2&a=3' } }],
    ['curl http://a -d ""', { method: 'POST', body: { text: '' } }],
    ['curl http://a --data-raw @x', { body: { text: '@x' } }],
    ['curl http://a --data-binary @body.txt', { body: { file: 'body.txt' }, notes: [] }],
    ['curl http://a/b/?x=1 -T c/body.txt', { url: 'http://a/b/body.txt?x=1' }],
    ['curl http://a -T body.txt', { method: 'PUT', headers: [], body: { file: 'body.txt' } }],
    [
      "curl http://a --data-urlencode 'q=a b&c' --data-urlencode '=d e' --data-urlencode 'f/g'",
      { body: { text: 'q=a+b%26c&d+e&f%2Fg' } },
    ],
    [
      "curl -G http://a/?x=1#f -d 'q=1' -d r=2",
      { method: 'GET', url: 'http://a/?x=1&q=1&r=2#f', headers: [], query: [] },
    ],
    ["curl --url-query 'q=a b' http://a", { url: 'http://a?q=a+b' }],
    ["curl -g 'http://a/[1-2]'", { url: 'http://a/[1-2]' }],
    ["curl 'http://[::1]:80/'", { url: 'http://[::1]:80/' }],
    [
      `curl http://a --json '{"a": [1]}'`,
      {
        method: 'POST',
        headers: [
          ['Content-Type', 'application/json'],
          ['Accept', 'application/json'],
        ],
        body: { json: { a: [1] } },
      },
    ],
    [`curl http://a --json '{"n": 1.0}'`, { body: { text: '{"n": 1.0}' } }],
    [`curl http://a --json '{"n":9007199254740993}'`, { body: { text: '{"n":9007199254740993}' } }],
    [
      "curl -H 'content-type: text/csv' -d 'a,b' http://a",
      { headers: [['content-type', 'text/csv']], body: { text: 'a,b' } },
    ],
    ["curl -o out.html -w '%{http_code}' -fsS http://a # why", { url: 'http://a', headers: [] }],
  ])('%s', (line, expected) => {
    expect(read(line)).toMatchObject(expected)
  })

  test('the connection', () => {
    const line = `curl -k --cacert ca.pem -E cert.pem --key key.pem -x proxy.test:3128 \\
      --resolve api.test:443:127.0.0.1 --resolve '+six.test:80:[::1],127.0.0.1' https://api.test`
    expect(read(line).connection).toEqual({
      insecure: true,
      files: { ca: 'ca.pem', cert: 'cert.pem', key: 'key.pem' },
      resolve: [
        ['api.test:443', '127.0.0.1'],
        ['six.test:80', '::1'],
      ],
      proxy: 'http://proxy.test:3128',
    })
    expect(read('curl -x proxy.test http://a').connection.proxy).toBe('http://proxy.test:1080')
  })

  test('a form has parts', () => {
    const line = `curl http://a -H 'Content-Type: multipart/form-data' -F name=me \\
      -F 'pic=@a.png;type=image/x-png;filename="b;c.png"' -F doc=@d.pdf -F raw=@e.bin \\
      -F 'colors="red; \\"green\\""' -F 'note=x;type=text/plain; charset=utf-8'`
    const part = (name: string, value: string, more: object = {}) => ({
      ...{ name, value, isFile: false, filename: undefined, type: undefined },
      ...more,
    })
    expect(read(line)).toMatchObject({
      method: 'POST',
      headers: [],
      body: {
        parts: [
          part('name', 'me'),
          part('pic', 'a.png', { isFile: true, filename: 'b;c.png', type: 'image/x-png' }),
          part('doc', 'd.pdf', { isFile: true, type: 'application/pdf' }),
          part('raw', 'e.bin', { isFile: true }),
          part('colors', 'red; "green"'),
          part('note', 'x', { type: 'text/plain; charset=utf-8' }),
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

  test('a file that curl would strip is sent as it is, and the author is requestOf', () => {
    expect(read('curl -d @body.txt http://a')).toMatchObject({
      body: { file: 'body.txt' },
      notes: [expect.stringContaining('removes line breaks')],
    })
  })
})

describe('credentials', () => {
  const requestOf = (line: string) => {
    const { headers, url, body, variables } = read(line)
    return { headers, url, body, variables: Object.fromEntries(variables) }
  }
  const secret = (what: string, text: string, isLogin = false) => ({
    ...{ what, value: { text, isLogin }, isSecret: true },
  })

  test.each([
    ["curl -H 'Authorization: Bearer hunter2' http://a", 'Authorization', 'Bearer hunter2', false],
    ['curl -u me:hunter2 http://a', 'Authorization', 'me:hunter2', true],
    ['curl http://me:hunter2@a', 'Authorization', 'me:hunter2', true],
    ['curl http://hunter2@a', 'Authorization', 'hunter2:', true],
    ['curl -u "me:$PASS" http://a', 'Authorization', 'me:{{var.PASS}}', true],
    ['curl --oauth2-bearer hunter2 http://a', 'Authorization', 'Bearer hunter2', false],
    ["curl -b 'session=hunter2' http://a", 'Cookie', 'session=hunter2', false],
    ['curl -b "a=hunter2; b=$B" http://a', 'Cookie', 'a=hunter2; b={{var.B}}', false],
    ["curl -H 'X-Api-Key: hunter2' http://a", 'X-Api-Key', 'hunter2', false],
  ])('%s: the document refers to a variable', (line, header, value, isLogin) => {
    const { headers, url, variables } = requestOf(line)
    const name = header.toUpperCase().replaceAll('-', '_')
    expect(headers).toEqual([[header, `{{var.${name}}}`]])
    expect(url).toBe('http://a')
    expect(variables).toEqual({ [name]: secret(`${header} header`, value, isLogin) })
  })

  test('fields, parameters and members with the name of a credential are hidden too', () => {
    expect(
      requestOf("curl 'http://a/?api_key=hunter2&page=2' -d user=me -d password=p%26w"),
    ).toEqual({
      headers: [form],
      url: 'http://a/?api_key={{var.API_KEY}}&page=2',
      body: {
        fields: [
          ['user', 'me'],
          ['password', '{{var.PASSWORD}}'],
        ],
      },
      variables: {
        API_KEY: secret('field api_key', 'hunter2'),
        PASSWORD: secret('field password', 'p&w'),
      },
    })
    expect(requestOf(`curl --json '{"login":{"password":"hunter2"}}' http://a`).body).toEqual({
      json: { login: { password: '{{var.PASSWORD}}' } },
    })
    expect(requestOf(`curl --json '{"password":"hunter2","n":1.0}' http://a`).body).toEqual({
      text: '{"password":"{{var.PASSWORD}}","n":1.0}',
    })
    expect(requestOf('curl -F access_token=hunter2 http://a').body).toMatchObject({
      parts: [{ value: '{{var.ACCESS_TOKEN}}' }],
    })
  })

  test('two values of one name are two variables', () => {
    const { headers, variables } = requestOf(
      'curl -H "X-Token: $X_TOKEN" -H "X-Token: one" -H "X-Token: two" -H "X-Token: one" http://a',
    )
    expect(headers.map(([, value]) => value)).toEqual([
      '{{var.X_TOKEN}}',
      '{{var.X_TOKEN_2}}',
      '{{var.X_TOKEN_3}}',
      '{{var.X_TOKEN_2}}',
    ])
    expect(Object.keys(variables)).toEqual(['X_TOKEN', 'X_TOKEN_2', 'X_TOKEN_3'])
  })

  test('a variable of the shell keeps its name, and one in the address is no secret', () => {
    const line = `curl -H "Authorization: Bearer $TOKEN" -b "s=$\{S}" "$HOST/x"`
    const shell = (name: string, isSecret: boolean) => ({
      ...{ what: `variable ${name}`, value: undefined, isSecret },
    })
    expect(requestOf(line)).toMatchObject({
      headers: [
        ['Authorization', 'Bearer {{var.TOKEN}}'],
        ['Cookie', 's={{var.S}}'],
      ],
      url: '{{var.HOST}}/x',
      variables: { TOKEN: shell('TOKEN', true), S: shell('S', true), HOST: shell('HOST', false) },
    })
    expect(requestOf('curl "http://a/?t=$API_TOKEN"').variables).toEqual({
      API_TOKEN: shell('API_TOKEN', true),
    })
    expect(requestOf('curl "http://a/$API_KEY?token=$T"').variables).toEqual({
      API_KEY: shell('API_KEY', true),
      T: shell('T', true),
    })
    expect(requestOf("curl 'http://a/$HOST'")).toMatchObject({
      url: 'http://a/$HOST',
      variables: {},
    })
  })

  test('a variable is encoded after it is filled in', () => {
    expect(read('curl -G http://a -d x=1 --data-urlencode "q=$Q" -d y=2')).toMatchObject({
      url: 'http://a?x=1',
      query: [
        ['q', '{{var.Q}}'],
        ['y', '2'],
      ],
    })
    expect(read('curl http://a -d x=1 --data-urlencode "q=$Q"')).toMatchObject({
      body: {
        fields: [
          ['x', '1'],
          ['q', '{{var.Q}}'],
        ],
      },
    })
  })
})

test.each([
  ['wget http://a', 'must start with curl'],
  ['curl', 'has no url'],
  ['curl http://a http://b', 'two urls'],
  ['curl http://a --next http://b', '--next'],
  ['curl http://a | jq .', 'outside quotes'],
  ['curl http://a -K file', 'no case can do what -K (--config) does'],
  ['curl http://a --retry 3', 'no case can do what --retry does'],
  ['curl http://a --http2', 'no case can do what --http2 does'],
  ['curl http://a -Q x', 'no case can do what -Q does'],
  ['curl http://a -X PURGE', 'the method PURGE is not supported'],
  ['curl ftp://a', 'not http or https'],
  ["curl 'http://a/[1-9]'", 'a pattern for several requests'],
  ["curl 'http://a/{b,c}'", 'a pattern for several requests'],
  ['curl http://a -H', 'the option -H has no value'],
  ['curl http://a -H @file', 'reads headers from a file'],
  ['curl http://a -u me', 'has no password'],
  ['curl http://a -d @-', 'comes from stdin'],
  ['curl http://a -d a -F b=c', 'several kinds of body'],
  ['curl http://a -d @a -d @b', 'several kinds of body'],
  ['curl http://a -G -F b=c', '-G needs its data in the line'],
  ['curl http://a -F b', 'name=value'],
  ["curl http://a -F 'b=<file'", '-F b reads the text from a file'],
  ['curl http://a -F b=@x,y', 'several files'],
  ['curl http://a -b jar.txt', 'reads cookies from a file'],
  ['curl http://a -m soon', 'must be a number of seconds'],
  ['curl http://a --resolve x', 'must look like host:port:address'],
  ['curl http://a -x http://me:pw@proxy', 'has a user name or a password'],
  ['curl http://a -x socks5://proxy', 'must name an HTTP proxy'],
  ['curl http://a -x $PROXY', 'takes the proxy from a variable'],
  ['curl http://a -E cert.pem:pw', 'has a password'],
  ['curl http://a -d "x=$X" --data-urlencode "y=$Y"', 'data that is not name=value'],
])('%s is refused', (line, why) => {
  expect(curlRequest(line)).toEqual({
    refused: expect.stringContaining(why),
    hint: expect.stringMatching(/^[A-Z].*\.$/),
  })
})

test('a refusal shows no credential', () => {
  const lines = ['-F password=<hunter2', '-E c:hunter2', '-x me:hunter2@proxy', '-u hunter2']
  for (const line of lines) {
    expect(JSON.stringify(curlRequest(`curl http://a ${line.replace('<', '\\<')}`))).not.toContain(
      'hunter2',
    )
  }
})
