import type { RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { describe, expect, test } from 'vitest'
import { certificate, certificateKey } from '../../../test/a-certificate.ts'
import { aSpecRun, block, type SpecRunSetup } from '../../../test/a-spec-run.ts'
import { httpServers, listening } from '../../../test/an-http-server.ts'

const http = (...lines: readonly string[]) => block('id: A', 'type: api.http', ...lines)
const live = 'harness: {api_http: {mode: live}}'
const on = (target: string, leaf: string) => `assert: [{target: ${target}, must: [${leaf}]}]`
const equal = (value: string) => `{evaluate: [{std.logic.eq: [{var: subject}, ${value}]}]}`
const json = (value: unknown) =>
  `{evaluate: [{std.logic.eq: [{std.json.stringify: [{var: subject}]}, '${JSON.stringify(value)}']}]}`

/** Keys in the order in which they are printed. */
const noCors = {
  allow_credentials: null,
  allow_headers: [],
  allow_methods: [],
  allow_origin: null,
  expose_headers: [],
  max_age: null,
  vary_origin: false,
}

const fixtures = {
  'ok.json': '{"ok": true, "id": "abc-123"}',
  'item_abc-123.json': '{"deleted": true}',
  'plain.txt': 'plain',
}

async function verdictOf(document: string, setup: SpecRunSetup = {}, files = {}) {
  const { outcomes } = await aSpecRun({ 'a.spec.md': document, ...fixtures, ...files }, setup)
  const outcome = outcomes[0]?.outcome
  const { failure } = outcome ?? {}
  return failure ? `${failure.category}: ${failure.message}` : outcome?.status
}

const { serving, closeAll } = httpServers()

describe('files as responses', () => {
  const get = (url: string, ...more: readonly string[]) =>
    http(`request: {method: get, url: "${url}"}`, ...more)

  test.each([
    ['status', equal("'200'")],
    ['status_code', equal('200')],
    ['headers', equal("''")],
    ['headers_json', json({})],
    ['body_text', `{equal: ['${fixtures['ok.json']}']}`],
    ['body_json', json({ id: 'abc-123', ok: true })],
    ['body_bytes', equal('29')],
    ['body_sha256', equal('afc75f2d87bf5eed2ffadb73b25c404e96f4d28160e5fad65aac9cfbb2d6e4da')],
    ['cors_json', json(noCors)],
    ['steps_json', json([])],
  ])('[spec.3.http-targets] %s', async (target, leaf) => {
    expect(await verdictOf(get('/ok.json', on(target, leaf)))).toBe('pass')
  })

  test('[spec.3.http-targets] context_json is an envelope without times', async () => {
    const want = {
      context: {
        oauth: {},
        redirects: [],
        scenario: {
          setup_ready: false,
          setup_started: false,
          step_count: 1,
          step_ids: [],
          teardown_ran: false,
        },
        steps: [],
        timeout_seconds: 5,
      },
      meta: {
        auth_mode: 'none',
        method: 'GET',
        oauth_token_source: 'none',
        target: 'api.http',
        url: '/plain.txt?a=1',
      },
      profile_id: 'api.http/v2',
      profile_version: 2,
      value: { body_json: null, body_text: 'plain', cors: noCors, headers: {}, status: 200 },
    }
    const text = JSON.stringify(want).replace('"timeout_seconds":5', '"timeout_seconds":5.0')
    const leaf = `{evaluate: [{std.logic.eq: [{std.json.stringify: [{var: subject}]}, '${text}']}]}`
    const document = http(
      'request: {method: GET, url: /plain.txt, query: {a: 1}}',
      on('context_json', leaf),
    )
    expect(await verdictOf(document)).toBe('pass')
  })

  test('a missing file is a failure of the run', async () => {
    expect(await verdictOf(get('/gone.json'))).toMatch(
      /^runtime: cannot read fixture file \/gone.json/,
    )
  })

  test('[spec.8.virtual-root] no path and no link leads out of the root', async () => {
    expect(await verdictOf(get('/../outside.txt'))).toMatch(/^schema: .*escapes contract root/)
    const links = { '/r/link.json': '/outside.txt' }
    expect(await verdictOf(get('/link.json'), { links })).toMatch(/^schema: .*through a link/)
  })
})

describe('modes', () => {
  const urls = [
    'http://127.0.0.1:9/x',
    'https://example.test/',
    'HTTP://example.test/',
    'data:text/plain,hello',
    'ftp://example.test/x',
    'file:///etc/passwd',
    'file:///outside.txt',
    'file:///r/%2e%2e/outside.txt',
    'file:///r/../outside.txt',
    'file://host/r/ok.json',
    'FILE:///etc/passwd',
    'file:///%2e%2e/outside.txt',
    'file:////host/share',
    'file:/etc/passwd',
    '//example.test/x',
    '\\\\\\\\host\\\\share',
    ' http://example.test/',
    '\\u00a0http://example.test/',
    'http:example.test',
    'DATA:text/plain,hello',
    'ws://example.test/',
    'blob:http://example.test/',
    '/../outside.txt',
    '/link.json',
    'file:///r/link.json',
    '/folder/outside.txt',
  ]
  const links = { '/r/link.json': '/outside.txt', '/r/folder': '/' }
  test.each(urls)(
    '[spec.3.http-mode] without a mode, %s is refused before anything runs',
    async url => {
      const steps = `requests: [{id: a, method: GET, url: /gone.json}, {id: b, method: GET, url: "${url}"}]`
      const verdict = await verdictOf(http(steps), { links })
      expect(verdict).toMatch(/^schema: requests\[1\].url /)
    },
  )

  test('a file address in the contract root is the file', async () => {
    const request = 'request: {method: GET, url: "file:///r/plain.txt"}'
    expect(await verdictOf(http(request, on('body_text', equal('plain'))))).toBe('pass')
  })

  test('[spec.3.http-mode] an address that a chain fills in is checked before anything runs', async () => {
    const first = block(
      'id: B',
      'type: text.file',
      'path: /address.txt',
      'assert: [{target: text, must: [{contain: [http]}]}]',
    )
    const chain =
      'harness: {chain: {steps: [{id: b, ref: "#B", exports: {url: {from_target: text}}}]}}'
    const requests = [
      '{id: a, method: GET, url: /gone.json}',
      '{id: b, method: GET, url: "{{chain.b.url}}"}',
    ]
    const second = http(chain, `requests: [${requests.join(', ')}]`)
    const files = { 'address.txt': 'http://127.0.0.1:9/' }
    expect(await verdictOf(second + first, {}, files)).toMatch(/^schema: requests\[1\].url names/)
  })

  test.each([
    [
      'scenario: {setup: {command: x, ready_probe: {url: "http://127.0.0.1:9/"}}}',
      'ready_probe.url',
    ],
    [
      'auth: {oauth: {token_url: "https://example.test/", client_id_env: A, client_secret_env: B}}',
      'oauth.token_url',
    ],
  ])('[spec.3.http-mode] %s is refused before anything runs', async (api, key) => {
    const document = http(
      `harness: {api_http: {${api}}}`,
      'request: {method: GET, url: /gone.json}',
    )
    expect(await verdictOf(document)).toMatch(new RegExp(`^schema: .*${key} names the network`))
  })

  test.each(['http://127.0.0.1:9/', 'file:///etc/passwd', 'data:text/plain,x', '/link.json'])(
    '[spec.3.http-mode] %s from an earlier response is refused',
    async address => {
      const requests = [
        '{id: a, method: GET, url: /address.txt, capture: {url: {from: body_text, regex: "(.*)"}}}',
        '{id: b, method: GET, url: "{{steps.a.url}}"}',
      ]
      const document = http(`requests: [${requests.join(', ')}]`)
      const verdict = await verdictOf(document, { links }, { 'address.txt': address })
      expect(verdict).toMatch(/^schema: requests\[1\].url /)
    },
  )

  test('[spec.3.http-mode] in live mode the request is sent, and files are files', async () => {
    const { url, got } = await serving((_, response) => {
      response.writeHead(
        418,
        [
          ['X-A', '1'],
          ['x-a', '2'],
          ['B', 'b'],
        ].flat(),
      )
      response.end('{"big": 1.0}')
    })
    const request = `request: {method: PUT, url: "${url}/a?x=1#part", query: {z: [1, true], b: a b}, headers: {X-One: ' 1 ', X-Two: [a, b]}, body_json: {a: [1.0]}}`
    const checks = [
      on('status_code', equal('418')),
      on('headers_json', '{contain: [\'"x-a":["1","2"]\']}'),
    ]
    expect(await verdictOf(http(live, request, ...checks.slice(0, 1)))).toBe('pass')
    expect(await verdictOf(http(live, request, ...checks.slice(1)))).toBe('pass')
    const [{ request: sent, body } = { request: undefined, body: '' }] = got
    expect([sent?.method, sent?.url, body]).toEqual([
      'PUT',
      '/a?x=1&b=a+b&z=1&z=true',
      '{"a":[1.0]}',
    ])
    expect(sent?.rawHeaders).toEqual([
      ...['host', url.slice('http://'.length), 'connection', 'keep-alive'],
      ...['X-One', '1', 'X-Two', 'a', 'X-Two', 'b', 'Content-Type', 'application/json'],
      ...['content-length', '11'],
    ])
    const file = http(
      live,
      'request: {method: GET, url: /plain.txt}',
      on('body_text', equal('plain')),
    )
    expect(await verdictOf(file)).toBe('pass')
  })
})

describe('the shape', () => {
  test.each([
    ['', 'requires one of request and requests, but has neither'],
    ['request: {method: GET, url: /a}\nrequests: [{id: a, method: GET, url: /a}]', 'but has both'],
    ['requests: []', 'requests must be a non-empty list'],
    ['request: {method: GET}', 'api.http request.url is required'],
    ['request: {url: /a}', 'missing required key: request.method'],
    ['request: {method: TRACE, url: /a}', 'request.method must be one of GET, POST'],
    ['request: {method: GET, url: /a, body_text: a, body_json: 1}', 'a request has one body'],
    ['request: {method: GET, url: /a, headers: {"a b": c}}', 'invalid header name: "a b"'],
    ['request: {method: GET, url: /a, headers: {a: "b\\r\\nc: d"}}', 'that a header cannot have'],
    ['request: {method: GET, url: /a, bodyjson: 1}', 'unknown key in request: bodyjson'],
    [
      'requests: [{id: a, method: GET, url: /a}, {id: a, method: GET, url: /a}]',
      'requests[1].id is used twice: a',
    ],
    [
      'request: {method: GET, url: /a, cors: {preflight: true, request_method: POST}}',
      'request.cors.preflight requires request.method OPTIONS',
    ],
    ['request: {method: GET, url: "http://u:p@h/"}', 'names the network'],
    [
      'harness: {api_http: {mode: live}}\nrequest: {method: GET, url: "http://u:p@h/"}',
      'contains a user name or a password',
    ],
    [
      'harness: {api_http: {mode: live}}\nrequest: {method: GET, url: "http:///a"}',
      'names no host',
    ],
  ])('%s: %s', async (lines, message) => {
    const verdict = await verdictOf(http(...lines.split('\n').filter(Boolean)))
    expect(verdict).toMatch(/^schema: /)
    expect(verdict).toContain(message)
  })
})

describe('several requests', () => {
  const created = '{id: create, method: POST, url: /ok.json}'

  test('[spec.3.http-steps] later requests use the results of earlier ones', async () => {
    const { url, got } = await serving((_, response) => {
      response.writeHead(201, { Location: '/items/7' }).end('{"id": 7, "tags": ["x", {"y": null}]}')
    })
    const later = [
      'id: later',
      'method: POST',
      `url: "${url}/{{steps.first.body_json.id}}{{ steps.first.headers.Location }}"`,
      'headers: {X-Status: "{{steps.first.status}}", X-Other: "{{other}}"}',
      'body_text: "{{steps.first.body_json.tags}} {{steps.first.body_json.tags.1.y}}."',
    ]
    const requests = `requests: [{id: first, method: GET, url: "${url}/"}, {${later.join(', ')}}]`
    const check = on(
      'steps_json',
      '{evaluate: [{std.logic.eq: [{std.collection.len: [{var: subject}]}, 2]}]}',
    )
    expect(await verdictOf(http(live, requests, check))).toBe('pass')
    const { request, body } = got[1] ?? {}
    expect([request?.url, request?.headers['x-status'], request?.headers['x-other'], body]).toEqual(
      ['/7/items/7', '201', '{{other}}', '["x",{"y":null}] .'],
    )
  })

  test.each([
    ['{{steps.creat.body_json.id}}', 'no request before this one has the id "creat"'],
    ['{{steps.get.status}}', 'no request before this one has the id "get"'],
    ['{{steps.create}}', 'names a step without a field'],
    ['{{steps.create.body_json.gone}}', 'no earlier step has such a value'],
  ])('[spec.3.http-steps] %s is refused', async (template, why) => {
    const get = `{id: get, method: GET, url: "/item_${template}.json"}`
    const verdict = await verdictOf(http(`requests: [${created}, ${get}]`))
    expect(verdict).toMatch(/^schema: /)
    expect(verdict).toContain(why)
  })

  test('a single request has no steps, so its templates stay', async () => {
    const request = 'request: {method: GET, url: /ok.json, headers: {A: "{{steps.a.b}}"}}'
    expect(await verdictOf(http(request))).toBe('pass')
  })

  const withGone = `requests: [${created}, {id: gone, method: GET, url: /gone.json}, ${created.replace('create', 'last')}]`

  test('[spec.3.http-fail-fast] a request that fails ends the case', async () => {
    expect(await verdictOf(http(withGone))).toMatch(/^runtime: cannot read fixture file/)
  })

  test('[spec.3.http-fail-fast] without fail_fast, assertions see the requests before it', async () => {
    const harness = 'harness: {api_http: {scenario: {fail_fast: false}}}'
    const leaf = '{evaluate: [{std.logic.eq: [{std.collection.len: [{var: subject}]}, 1]}]}'
    expect(await verdictOf(http(harness, withGone, on('steps_json', leaf)))).toBe('pass')
    const first = 'requests: [{id: gone, method: GET, url: /gone.json}]'
    expect(await verdictOf(http(harness, first))).toMatch(/^runtime: /)
  })
})

test('[spec.3.chain-http] url, header values and body use what a chain exported', async () => {
  const { url, got } = await serving((_, response) => void response.end('ok'))
  const first = block('id: B', 'type: text.file', 'path: /ok.json')
  const exported =
    'exports: {id: {from_target: text}, path: {from_target: context_json, path: meta.path}}'
  const harness = `harness: {api_http: {mode: live}, chain: {steps: [{id: b, ref: "#B", ${exported}}]}}`
  const request = `{method: POST, url: "${url}{{chain.b.path}}", headers: {X-Id: "<{{chain.b.path}}>"}, body_text: "{{ chain.b.id }}!"}`
  for (const one of [`request: ${request}`, `requests: [${request.replace('{', '{id: a, ')}]`]) {
    expect(await verdictOf(http(harness, one) + first)).toBe('pass')
    const { request: sent, body } = got.pop() ?? {}
    expect([sent?.url, sent?.headers['x-id'], body]).toEqual([
      '/ok.json',
      '</ok.json>',
      `${fixtures['ok.json']}!`,
    ])
  }
})

describe('redirects', () => {
  /** `/hop/<status>/<count>` leads to the next lower count, and 0 shows the request. */
  const hopping: RequestListener = (request, response) => {
    const [, status = '', count = ''] = /^\/hop\/(\d+)\/(\d+)/.exec(request.url ?? '') ?? []
    if (Number(count) === 0) return void response.end(request.method)
    response.writeHead(Number(status), { Location: `../${status}/${Number(count) - 1}` }).end()
  }

  test.each([
    ['POST', 301, 'GET'],
    ['POST', 302, 'GET'],
    ['PUT', 302, 'PUT'],
    ['PUT', 303, 'GET'],
    ['POST', 307, 'POST'],
    ['POST', 308, 'POST'],
  ])('%s after %d is %s', async (method, status, after) => {
    const { url, got } = await serving(hopping)
    const request = `request: {method: ${method}, url: "${url}/hop/${status}/2", body_text: body}`
    expect(await verdictOf(http(live, request, on('body_text', equal(after))))).toBe('pass')
    expect(got.map(({ body }) => body)).toEqual(
      after === method ? ['body', 'body', 'body'] : ['body', '', ''],
    )
  })

  test('ten are followed, and eleven are refused', async () => {
    const { url, got } = await serving(hopping)
    const get = (count: number, more = '') =>
      `request: {method: GET, url: "${url}/hop/302/${count}"${more}}`
    expect(await verdictOf(http(live, get(10)))).toBe('pass')
    got.length = 0
    expect(await verdictOf(http(live, get(1000)))).toMatch(
      /^runtime: .*redirected more than 10 times/,
    )
    expect(got.length).toBe(11)
    const manual = http(live, get(5, ', redirects: manual'), on('status_code', equal('302')))
    expect(await verdictOf(manual)).toBe('pass')
  })

  test('the hops are in steps_json', async () => {
    const { url } = await serving(hopping)
    const requests = `requests: [{id: a, method: GET, url: "${url}/hop/302/1"}]`
    const hops = [{ url: `${url}/hop/302/1`, status: 302, location: '../302/0' }]
    const leaf = `{evaluate: [{std.logic.eq: [{std.object.get: [{std.collection.first: [{var: subject}]}, redirects]}, {lit: ${JSON.stringify(hops)}}]}]}`
    expect(await verdictOf(http(live, requests, on('steps_json', leaf)))).toBe('pass')
  })

  test('another origin gets no credentials', async () => {
    const other = await serving((_, response) => void response.end('other'))
    const first = await serving((_, response) => {
      response.writeHead(307, { Location: `${other.url}/x` }).end()
    })
    const request = `request: {method: GET, url: "${first.url}/", headers: {authorization: Bearer x, Cookie: a=b, X-Other: kept}}`
    expect(await verdictOf(http(live, request, on('body_text', equal('other'))))).toBe('pass')
    expect(first.got[0]?.request.headers.authorization).toBe('Bearer x')
    const { authorization, cookie, 'x-other': kept } = other.got[0]?.request.headers ?? {}
    expect([authorization, cookie, kept]).toEqual([undefined, undefined, 'kept'])
  })

  test.each(['file:///etc/passwd', 'data:text/plain,x', 'http://['])(
    'a redirect to %s is refused',
    async location => {
      const { url } = await serving((_, response) => {
        response.writeHead(302, { Location: location }).end()
      })
      expect(await verdictOf(http(live, `request: {method: GET, url: "${url}/"}`))).toMatch(
        /^runtime: api.http request failed: GET .*the redirect to/,
      )
    },
  )
})

test('a server that cannot be reached is named, with a hint', async () => {
  const { url } = await serving(() => {})
  closeAll()
  expect(await verdictOf(http(live, `request: {method: GET, url: "${url}/a"}`))).toBe(
    `runtime: api.http request failed: GET ${url}/a: the server refused the connection\n  request: curl --location ${url}/a`,
  )
})

test('a failed assertion shows the request as a command, without credentials', async () => {
  const { url } = await serving((_, response) => void response.end('no'))
  const request = `method: GET, url: "${url}/", headers: {Authorization: Bearer hunter2}`
  const command = `\n  request: curl --location -H "Authorization: $AUTHORIZATION" ${url}/`
  const check = on('body_text', equal('yes'))
  const single = await verdictOf(http(live, `request: {${request}}`, check))
  expect(single).toMatch(/^assertion: /)
  expect(single?.endsWith(command)).toBe(true)
  const step = `requests: [{id: a, ${request}, ${check}}]`
  expect((await verdictOf(http(live, step)))?.endsWith(command)).toBe(true)
})

test('certificates and keys are files of the contract root', async () => {
  const server = createSecureServer({ key: certificateKey, cert: certificate }, (_, response) => {
    response.end('secure')
  })
  const url = `https://api.example.test:${await listening(server)}/`
  const harness = (tls: string) =>
    `harness: {api_http: {mode: live, tls: ${tls}, resolve: {api.example.test: 127.0.0.1}}}`
  const files = { 'ca.pem': certificate }
  const verdict = (tls: string) =>
    verdictOf(http(harness(tls), `request: {method: GET, url: "${url}"}`), {}, files)
  expect(await verdict('{}')).toMatch(/^runtime: .*TLS failed: self-signed certificate/)
  expect(await verdict('{ca: /ca.pem}')).toBe('pass')
  expect(await verdict('{insecure: true}')).toBe('pass')
  expect(await verdict('{ca: /gone.pem}')).toMatch(/^runtime: cannot read fixture file \/gone.pem/)
  server.close().closeAllConnections()
})

test.each([
  ['tls: {ca: ../outside.txt}', 'harness.api_http.tls.ca escapes contract root'],
  ['tls: {cert: /a.pem}', 'harness.api_http.tls needs both cert and key'],
  ['resolve: {h: other.test}', 'harness.api_http.resolve.h must be an IP address'],
  ['resolve: {"http://h": 127.0.0.1}', 'harness.api_http.resolve has no host'],
  ['proxy: "http://u:p@h:1"', 'harness.api_http.proxy must look like http://host:port'],
  ['proxy: h', 'harness.api_http.proxy must look like http://host:port'],
  ['proxy: "http://h:1", resolve: {h: "::1"}', 'has no effect with a proxy'],
])('%s: %s', async (given, message) => {
  const harness = `harness: {api_http: {mode: live, ${given}}}`
  const verdict = await verdictOf(http(harness, 'request: {method: GET, url: /ok.json}'))
  expect(verdict?.startsWith('schema: ')).toBe(true)
  expect(verdict).toContain(message)
})
