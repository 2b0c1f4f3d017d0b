import { createHash } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { describe, expect, test } from 'vitest'
import { aSpecRun, block, type SpecRunSetup } from '../../../test/a-spec-run.ts'
import { httpServers } from '../../../test/an-http-server.ts'

const { serving } = httpServers()

/** A case that sends these requests, each in flow style. */
const sends = (...requests: readonly string[]) =>
  block(
    'id: A',
    'type: api.http',
    'harness: {api_http: {mode: live}}',
    'requests:',
    ...requests.map(one => `- {${one}}`),
  )

async function ran(document: string, setup: SpecRunSetup = {}, files = {}) {
  const { outcomes } = await aSpecRun({ 'a.spec.md': document, ...files }, setup)
  const outcome = outcomes[0]?.outcome
  const { failure } = outcome ?? {}
  const verdict = failure ? `${failure.category}: ${failure.message}` : outcome?.status
  return { verdict, evaluated: outcome?.evaluated, failure }
}

const equal = (value: string) => `{evaluate: [{std.logic.eq: [{var: subject}, ${value}]}]}`
const on = (target: string, leaf: string) => `{target: ${target}, must: [${leaf}]}`

/** Answers with the number of requests so far. */
function counting(): RequestListener {
  let count = 0
  return (_, response) => void response.end(String(++count))
}

describe('assertions of a request', () => {
  test('judge its response, and count', async () => {
    const { url, got } = await serving(counting())
    const one = (id: string, want: string) =>
      `id: ${id}, method: GET, url: "${url}", assert: [${on('body_text', equal(want))}, ${on('status_code', equal('200'))}]`
    expect(await ran(sends(one('a', '"1"'), one('b', '"2"')))).toMatchObject({
      verdict: 'pass',
      evaluated: 4,
    })
    const { verdict, failure } = await ran(sends(one('a', '"9"'), one('b', '"4"')))
    expect(verdict).toContain('[case_id=A assert_path=requests[0].assert[0].must[0]')
    expect([failure?.category, failure?.path]).toEqual([
      'assertion',
      'requests[0].assert[0].must[0].evaluate[0]',
    ])
    expect(got.length).toBe(3)
  })

  test.each([
    [`assert: [${on('steps_json', equal('1'))}]`, 'unknown assert target for api.http: steps_json'],
    ['assert: [{target: status, must: [{evaluate: [{std.logic.eq: 1}]}]}]', 'must be a list'],
    ['when: {let: [1, 2]}', 'let binding'],
    ['retry: {interval: 1}', 'requests[0].retry has nothing to wait for'],
    ['capture: {"a.b": {from: status}}', 'must have a name of letters, digits'],
    ['capture: {a: {from: stdout}}', 'requests[0].capture.a.from must be one of status'],
  ])('%s is refused before anything is sent', async (given, message) => {
    const { url, got } = await serving(counting())
    const { verdict } = await ran(sends(`id: a, method: GET, url: "${url}", ${given}`))
    expect(verdict).toMatch(/^schema: /)
    expect(verdict).toContain(message)
    expect(got.length).toBe(0)
  })
})

describe('captures', () => {
  const answer: RequestListener = (_, response) => {
    response.setHeader('Location', '/items/7')
    response.end('{"items": [{"id": 7}], "token": null, "text": "a=1; b=22"}')
  }

  test('are values of later requests', async () => {
    const { url, got } = await serving(answer)
    const captures = [
      'id: {from: body_json, path: items.0.id}',
      'b: {from: body_text, regex: "b=(\\\\d+)"}',
      'whole: {from: body_json, path: text, regex: "a=."}',
      'where: {from: headers_json, path: location.0}',
      'none: {from: body_json, path: gone, default: [x]}',
      'unmatched: {from: body_text, regex: "c=(.)", default: ""}',
    ]
    const later =
      '{{steps.a.id}} {{steps.a.b}} {{steps.a.whole}} {{steps.a.where}} {{steps.a.none}} {{steps.a.unmatched}}.'
    const document = sends(
      `id: a, method: GET, url: "${url}", capture: {${captures.join(', ')}}`,
      `id: b, method: POST, url: "${url}", body_json: {x: "${later}"}`,
    )
    expect((await ran(document)).verdict).toBe('pass')
    expect(got[1]?.body).toBe('{"x":"7 22 a=1 /items/7 [\\"x\\"] ."}')
  })

  test.each([
    ['{from: body_json, path: gone}', 'assertion: capture x: body_json at gone has no value'],
    ['{from: body_text, regex: "zz"}', 'assertion: capture x: body_text does not match zz'],
    ['{from: body_text, regex: "("}', 'schema: spec_lang regex'],
    ['{from: body_text, regex: "(?<=a)b"}', 'schema: spec_lang regex'],
  ])('%s: %s', async (rule, verdict) => {
    const { url } = await serving(answer)
    const found = await ran(sends(`id: a, method: GET, url: "${url}", capture: {x: ${rule}}`))
    expect(found.verdict?.startsWith(verdict)).toBe(true)
  })
})

describe('conditions and retries', () => {
  test('a request whose when does not hold is not sent', async () => {
    const { url, got } = await serving(counting())
    const when = (want: number) =>
      `when: {std.logic.eq: [{std.object.get: [{std.object.get: [{var: steps}, a]}, status]}, ${want}]}`
    const document = sends(
      `id: a, method: GET, url: "${url}/a"`,
      `id: b, method: GET, url: "${url}/b", ${when(404)}`,
      `id: c, method: GET, url: "${url}/c", ${when(200)}`,
    )
    expect((await ran(document)).verdict).toBe('pass')
    expect(got.map(({ request }) => request.url)).toEqual(['/a', '/c'])
    const none = sends(`id: a, method: GET, url: "${url}/a", when: false`)
    expect((await ran(none)).verdict).toBe('runtime: api.http sent no request: no when holds')
  })

  /** Sleeping advances it, and nothing else does. */
  function sleepClock() {
    let now = 0n
    const slept: number[] = []
    const clock = {
      now: () => now,
      steady: () => now,
      sleep: async (ms: number) => {
        slept.push(ms)
        now += BigInt(ms * 1_000_000)
      },
    }
    return { clock, slept }
  }

  test('retry sends again until the assertions hold', async () => {
    const { url, got } = await serving(counting())
    const { clock, slept } = sleepClock()
    const document = sends(
      `id: a, method: GET, url: "${url}", delay_ms: 250, retry: {interval: 30, timeout: 1000}, assert: [${on('body_text', equal('"4"'))}]`,
    )
    expect((await ran(document, { clock })).verdict).toBe('pass')
    expect([got.length, slept]).toEqual([4, [100, 100, 50, 30, 30, 30]])
  })

  test('retry ends after its time, with the last failure', async () => {
    const { url, got } = await serving(counting())
    const { clock } = sleepClock()
    const document = sends(
      `id: a, method: GET, url: "${url}", retry: {until: [${on('body_text', equal('never'))}], interval: 50, timeout: 120}`,
    )
    const { verdict } = await ran(document, { clock })
    expect(verdict).toMatch(/^assertion: .*requests\[0\].retry.until/s)
    expect(verdict).toContain('gave up after 3 attempts')
    expect(got.length).toBe(3)
  })

  test('retry waits for a server that does not listen yet', async () => {
    const { clock } = sleepClock()
    const document = sends(
      `id: a, method: GET, url: "http://127.0.0.1:1/", retry: {interval: 50, timeout: 120}, assert: [${on('status_code', equal('200'))}]`,
    )
    const { verdict } = await ran(document, { clock })
    expect(verdict).toMatch(
      /^runtime: .*refused the connection\n {2}request: curl .*\n {2}gave up after 3 attempts$/,
    )
  })
})

describe('repetitions', () => {
  test('each looks at its own responses', async () => {
    const { url } = await serving(counting())
    const document = sends(
      `id: a, method: GET, url: "${url}", assert: [${on('body_text', equal('"2"'))}]`,
    )
    const { outcomes } = await aSpecRun({ 'a.spec.md': document }, { repeat: 3, jobs: 1 })
    expect(outcomes[0]?.attempts?.map(({ status }) => status)).toEqual(['fail', 'pass', 'fail'])
  })

  test('each fills in what its own chain exported', async () => {
    const { url, got } = await serving(counting())
    const seed = block(
      'id: SEED',
      'type: api.http',
      'harness: {api_http: {mode: live}}',
      `request: {method: GET, url: "${url}/seed"}`,
    )
    const exported = 'exports: {n: {from_target: body_text}}'
    const chained = block(
      'id: CHAINED',
      'type: api.http',
      `harness: {api_http: {mode: live}, chain: {steps: [{id: s, ref: "#SEED", ${exported}}]}}`,
      `requests: [{id: a, method: GET, url: "${url}/{{chain.s.n}}"}, {id: b, method: GET, url: "${url}/fixed"}]`,
    )
    await aSpecRun({ 'a.spec.md': seed + chained }, { repeat: 2, jobs: 1 })
    expect(got.map(({ request }) => request.url)).toEqual([
      ...['/seed', '/1', '/fixed'],
      ...['/seed', '/4', '/fixed'],
    ])
  })
})

describe('cookies', () => {
  const server: RequestListener = (request, response) => {
    if (request.url === '/login') response.setHeader('Set-Cookie', ['a=1; Path=/', 'b=2; Path=/x'])
    if (request.url === '/logout') response.setHeader('Set-Cookie', 'a=; Max-Age=0; Path=/')
    response.end()
  }
  const get = (url: string, path: string, more = '') =>
    `id: ${path.replace(/\W/g, '') || 'root'}, method: GET, url: "${url}${path}"${more}`

  test('go back to the server, until it removes them', async () => {
    const { url, got } = await serving(server)
    const paths = ['/before', '/login', '/x/y', '/z', '/logout', '/after']
    expect((await ran(sends(...paths.map(path => get(url, path))))).verdict).toBe('pass')
    expect(got.map(({ request }) => request.headers.cookie)).toEqual([
      ...[undefined, undefined, 'b=2; a=1', 'a=1', 'a=1', undefined],
    ])
  })

  test('a header of the case replaces them, and cookies: false keeps none', async () => {
    const { url, got } = await serving(server)
    const own = get(url, '/own', ', headers: {cookie: mine=1}')
    expect((await ran(sends(get(url, '/login'), own))).verdict).toBe('pass')
    const without = sends(get(url, '/login'), get(url, '/x/y')).replace(
      'mode: live',
      'mode: live, cookies: false',
    )
    expect((await ran(without)).verdict).toBe('pass')
    const seen = got.map(({ request }) => request.headers.cookie)
    expect(seen).toEqual([undefined, 'mine=1', undefined, undefined])
  })
})

describe('bodies', () => {
  const files = { 'photo.bin': 'photo\u0000\n', 'plain.txt': 'plain' }

  async function sent(body: string) {
    const { url, got } = await serving(counting())
    const { verdict } = await ran(sends(`id: a, method: POST, url: "${url}", ${body}`), {}, files)
    const [{ request, body: text } = { request: undefined, body: '' }] = got
    return { verdict, type: request?.headers['content-type'], text }
  }

  test('a form and a file', async () => {
    expect(await sent('form: {"a b": [1, true], "c": "é&="}')).toEqual({
      verdict: 'pass',
      type: 'application/x-www-form-urlencoded',
      text: 'a+b=1&a+b=true&c=%C3%A9%26%3D',
    })
    expect(await sent('body_file: /plain.txt')).toEqual({
      verdict: 'pass',
      type: undefined,
      text: 'plain',
    })
  })

  test('several parts, with files', async () => {
    const { verdict, type, text } = await sent(
      'multipart: {title: "a \\"b\\"", "na\\"me": {text: x, content_type: text/plain}, doc: [{file: /photo.bin}, {file: plain.txt, filename: "p\\n.txt"}]}',
    )
    const boundary = type?.split('boundary=')[1] ?? ''
    expect([verdict, type]).toEqual(['pass', `multipart/form-data; boundary=${boundary}`])
    expect(boundary).toMatch(/^premath-[0-9a-f]{32}$/)
    const part = (head: string, content: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`
    expect(text).toBe(
      part('name="title"', 'a "b"') +
        part('name="na%22me"\r\nContent-Type: text/plain', 'x') +
        part(
          'name="doc"; filename="photo.bin"\r\nContent-Type: application/octet-stream',
          'photo\u0000\n',
        ) +
        part('name="doc"; filename="p%0A.txt"\r\nContent-Type: application/octet-stream', 'plain') +
        `--${boundary}--\r\n`,
    )
  })

  test.each([
    ['form: {a: 1}, body_text: x', 'schema: requests[0] has body_text and form'],
    ['body_file: ../outside.txt', 'schema: requests[0].body_file escapes contract root'],
    ['multipart: {a: {file: /../x}}', 'schema: requests[0].multipart.a escapes contract root'],
    ['multipart: {a: {filename: x}}', 'schema: requests[0].multipart.a must have one of text and'],
    ['multipart: {a: 1}, headers: {content-type: x}', 'schema: requests[0].multipart sets Content'],
    ['body_file: /gone.txt', 'runtime: cannot read fixture file /gone.txt'],
  ])('%s: %s', async (body, verdict) => {
    const found = await sent(body)
    expect(found.verdict?.slice(0, verdict.length)).toBe(verdict)
    expect(found.text).toBe('')
  })

  test('the digest is that of the bytes', async () => {
    const { url } = await serving((_, response) => void response.end(Buffer.from([0xff, 0])))
    const digest = createHash('sha256')
      .update(Buffer.from([0xff, 0]))
      .digest('hex')
    const checks = [
      on('body_sha256', equal(digest)),
      on('body_bytes', equal('2')),
      on('body_text', equal('"\\ufffd\\0"')),
    ]
    const document = sends(`id: a, method: GET, url: "${url}", assert: [${checks.join(', ')}]`)
    expect((await ran(document)).verdict).toBe('pass')
  })
})
