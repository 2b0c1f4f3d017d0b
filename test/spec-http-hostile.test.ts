/** Servers that break off, lie or never end, and TLS that fails, on the built command. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer as createSecureServer, type ServerOptions } from 'node:https'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import type { SpecCaseResult } from '../src/wire/spec/spec-report.ts'
import {
  certificate,
  certificateKey,
  expiredCertificate,
  expiredCertificateKey,
} from './a-certificate.ts'
import { aProject } from './a-project.ts'
import { endless, head, type RawAnswer, rawServers } from './a-raw-server.ts'
import { block } from './a-spec-run.ts'
import { listening } from './an-http-server.ts'
import { main } from './built-command.ts'

const project = aProject()
const { raw } = rawServers()
const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

const isOk = 'assert: [{target: body_text, must: [{equal: ok}]}]'

/** A case with one request. `api` are more keys of `harness.api_http`. */
const asking = (id: string, url: string, api = '', timeoutMs = 120_000) =>
  block(
    `id: ${id}`,
    'type: api.http',
    `harness: {timeout_ms: ${timeoutMs}, api_http: {mode: live${api}}}`,
    `request: {method: GET, url: "${url}"}`,
    isOk,
  )

/** The servers of a test answer while the command runs. */
async function ran(document: string, env: NodeJS.ProcessEnv = {}, ...args: readonly string[]) {
  writeFileSync(join(project.folder, 'a.spec.md'), document)
  const child = spawn(process.execPath, [main, 'spec', 'run', '--jobs', '4', ...args], {
    cwd: project.folder,
    env: { ...project.env, ...env },
  })
  const streams = { stdout: '', stderr: '' }
  for (const from of ['stdout', 'stderr'] as const) {
    child[from].setEncoding('utf8').on('data', text => {
      streams[from] += text
    })
  }
  const status = await new Promise<number | null>(settle => child.on('close', settle))
  return { status, ...streams }
}

/** By id: the status, or the failure and what to do next. */
async function verdictsOf(document: string, env?: NodeJS.ProcessEnv) {
  const { stdout, stderr } = await ran(document, env, '--json')
  expect(stderr).toBe('')
  const results: readonly SpecCaseResult[] = JSON.parse(stdout).results
  return Object.fromEntries(
    results.map(({ id, status, category, message, hint }) => [
      id,
      category === null ? status : `${category}: ${message}\n${hint}`,
    ]),
  )
}

/** Codes and traces of Node, undici and OpenSSL tell a reader nothing. */
const internals = /UND_ERR|ERR_[A-Z]|\bE[A-Z]{4,}\b|node:|\n\s+at |node_modules|:error:|routines/

const redirect = (location: string) =>
  `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`

const chunked = head('Transfer-Encoding: chunked')

const sends = (bytes: string | Uint8Array) => (socket: Socket) => void socket.end(bytes)

function slowly(start: string, more: string): RawAnswer {
  return socket => {
    socket.write(start)
    const timer = setInterval(() => socket.write(more), 10)
    socket.on('close', () => clearInterval(timer))
  }
}

function startsAndNeverEnds(start: string, more: string): RawAnswer {
  return socket => {
    socket.write(start)
    endless(socket, Buffer.from(more))
  }
}

const bomb = (times: number) => {
  let bytes: Buffer = Buffer.alloc(64 * 1024 * 1024)
  for (let count = 0; count < times; count++) bytes = gzipSync(bytes, { level: 1 })
  const codings = Array<string>(times).fill('gzip').join(', ')
  const start = head(`Content-Encoding: ${codings}`, `Content-Length: ${bytes.length}`)
  return Buffer.concat([Buffer.from(start), bytes])
}

const many = (count: number, header: string) => Array<string>(count).fill(header)

const cutOff = 'the server closed the connection before the end of the response'

describe('a server that is wrong', () => {
  const servers: Readonly<Record<string, readonly [answer: RawAnswer, why: string | RegExp]>> = {
    'cuts a chunk off': [sends(`${chunked}a\r\nabc`), cutOff],
    'sends an invalid chunk': [
      sends(`${chunked}zz\r\nabc`),
      'the response is not valid HTTP: Invalid character in chunk size',
    ],
    'sends chunks whose size is too large': [
      sends(`${chunked}ffffffffffffffffff\r\nabc`),
      'the response is not valid HTTP: Chunk size overflow',
    ],
    'sends less than its length': [sends(`${head('Content-Length: 10')}abc`), cutOff],
    'sends a negative length': [
      sends(`${head('Content-Length: -1')}abc`),
      'the response is not valid HTTP: Invalid character in Content-Length',
    ],
    'sends two lengths': [
      sends(`${head('Content-Length: 1', 'Content-Length: 2')}ab`),
      /^(?:the response is not valid HTTP: .+|the body is shorter or longer than its Content-Length)$/,
    ],
    'speaks another protocol': [
      sends('SSH-2.0-x\r\n\r\n'),
      'the response is not valid HTTP: Expected HTTP/, RTSP/ or ICE/',
    ],
    'switches to another protocol': [
      socket =>
        void socket.write(
          'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
        ),
      'the server switched to another protocol',
    ],
    'says that it switches, and to nothing': [
      socket => void socket.write('HTTP/1.1 101 Switching\r\n\r\n'),
      'the response is not valid HTTP: the server broke the protocol',
    ],
    'closes the connection': [socket => void socket.end(), 'the server closed the connection'],
    'resets the connection': [
      socket => void socket.resetAndDestroy(),
      'the server reset the connection',
    ],
    'sends headers without end': [
      startsAndNeverEnds('HTTP/1.1 200 OK\r\n', `X-Long: ${'x'.repeat(1000)}\r\n`),
      'the response headers are larger than 64 KB',
    ],
    'sends 10,000 small headers': [
      sends(head(...many(10_000, 'a:'), 'Content-Length: 0')),
      'the response has more than 1000 headers',
    ],
    'sends 10,000 headers': [
      sends(head(...many(10_000, 'x-header: value'), 'Content-Length: 0')),
      'the response headers are larger than 64 KB',
    ],
    'sends trailers without end': [
      startsAndNeverEnds(`${chunked}1\r\na\r\n0\r\n`, `X-Long: ${'x'.repeat(1000)}\r\n`),
      'the response headers are larger than 64 KB',
    ],
    'sends a body without end': [
      startsAndNeverEnds(head(), 'x'.repeat(64 * 1024)),
      'the body is larger than 16 MB',
    ],
    'sends chunks without end': [
      startsAndNeverEnds(chunked, `10000\r\n${'x'.repeat(0x10000)}\r\n`),
      'the body is larger than 16 MB',
    ],
    'sends a small body that unpacks to a large one': [
      sends(bomb(1)),
      'the decompressed body is larger than 16 MB',
    ],
    'sends a bomb in a bomb': [sends(bomb(2)), 'the decompressed body is larger than 16 MB'],
    'compresses again and again': [
      sends(`${head(`Content-Encoding: ${many(6, 'gzip').join(',')}`, 'Content-Length: 3')}abc`),
      'the body is compressed more than 5 times',
    ],
    'sends what is not compressed as it says': [
      sends(`${head('Content-Encoding: gzip', 'Content-Length: 3')}abc`),
      'the body cannot be decompressed: it is not valid gzip: incorrect header check',
    ],
    'redirects in a circle': [
      socket => void socket.write(redirect('/again')),
      'it was redirected more than 10 times',
    ],
    'redirects to a file': [
      socket => void socket.write(redirect('file:///etc/passwd')),
      'the redirect to file:///etc/passwd leaves http and https',
    ],
  }
  const ids = Object.fromEntries(Object.keys(servers).map((name, at) => [name, `S-${at}`]))

  test('is named, with what to do next, and ends within its limits', async () => {
    let document = ''
    for (const [name, [answer]] of Object.entries(servers)) {
      document += asking(ids[name] ?? '', (await raw(answer)).url)
    }
    const verdicts = await verdictsOf(document)
    const results = Object.fromEntries(
      Object.keys(servers).map(name => [name, verdicts[ids[name] ?? '']]),
    )
    const wanted = Object.entries(servers).map(([name, [, why]]) => [
      name,
      expect.stringMatching(
        new RegExp(
          `^runtime: api\\.http request failed: GET http://[^ ]+: ${typeof why === 'string' ? escaped(why) : why.source.slice(1, -1)}\\n  request: curl [^\\n]+\\n[A-Z].+\\.$`,
        ),
      ),
    ])
    expect(results).toEqual(Object.fromEntries(wanted))
    for (const verdict of Object.values(verdicts)) expect(verdict).not.toMatch(internals)
  })

  test('is given up in time, however slow it is', async () => {
    const slow: Readonly<Record<string, RawAnswer>> = {
      SILENT: () => {},
      HEADERS: slowly('HTTP/1.1 200 OK\r\nA: ', 'x'),
      BODY: slowly(head('Content-Length: 1000000'), 'x'),
      HINTS: slowly('', 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n'),
      CHUNK: slowly(`${chunked}1;`, 'x'),
    }
    let document = ''
    for (const [id, answer] of Object.entries(slow)) {
      document += asking(id, (await raw(answer)).url, '', 700)
    }
    const verdicts = await verdictsOf(document)
    expect(Object.keys(verdicts)).toEqual(Object.keys(slow))
    for (const verdict of Object.values(verdicts)) {
      expect(verdict).toMatch(
        /^runtime: .*: no (?:complete )?response after 700 ms\n {2}request: curl [^\n]+\nIncrease timeout_ms, or make the server answer faster\.$/,
      )
    }
  })

  test('and sends more than its length: the rest is dropped, and no later request sees it', async () => {
    const ok = `${head('Content-Length: 2')}ok`
    const more = `${head('Content-Length: 4')}evil`
    const answers: Readonly<Record<string, RawAnswer>> = {
      TEXT: socket => void socket.write(`${ok}EXTRA`),
      RESPONSE: socket => void socket.write(`${ok}${more}`),
      // As if the rest of the last response arrived after the next request.
      LATER: (socket, count) => void socket.write(count % 2 === 0 ? `EXTRA${ok}` : ok),
    }
    let document = ''
    for (const [id, answer] of Object.entries(answers)) {
      const { url } = await raw(answer)
      const step = (at: number) => `- {id: s${at}, method: GET, url: "${url}", ${isOk}}`
      document += block(
        `id: ${id}`,
        'type: api.http',
        'harness: {timeout_ms: 120000, api_http: {mode: live}}',
        'requests:',
        ...Array.from({ length: 20 }, (_, at) => step(at)),
      )
    }
    expect(await verdictsOf(document)).toEqual({ TEXT: 'pass', RESPONSE: 'pass', LATER: 'pass' })
  })

  test('is shown without control characters', async () => {
    const { url } = await raw(sends(`${head('Content-Length: 9')}\u001b[31mred\u0007`))
    const { stdout, status } = await ran(asking('A', url), { FORCE_COLOR: '0' })
    expect(status).toBe(1)
    expect(stdout).toContain('\\u001b[31mred\\u0007')
    expect(stdout).not.toContain('\u001b[31mred')
  })
})

describe('TLS', () => {
  /** The address of a server with TLS, and the requests it got. */
  async function secure(options: ServerOptions = {}, location?: string): Promise<string> {
    const own = { key: certificateKey, cert: certificate, ...options }
    const server = createSecureServer(own, (_, response) => {
      if (location === undefined) response.end('ok')
      else response.writeHead(302, { location }).end()
    })
    server.on('tlsClientError', () => {})
    closers.push(() => server.close().closeAllConnections())
    return `https://127.0.0.1:${await listening(server)}/`
  }

  function given(): void {
    const files = {
      'ca.pem': certificate,
      'key.pem': certificateKey,
      'expired.pem': expiredCertificate,
      'expired.key': expiredCertificateKey,
      'other.txt': 'no certificate',
    }
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(project.folder, name), text)
  }

  test('that fails is named, with what to do next', async () => {
    given()
    const own = await secure()
    const expired = await secure({ key: expiredCertificateKey, cert: expiredCertificate })
    const strict = await secure({ ca: certificate, requestCert: true, rejectUnauthorized: true })
    const old = await secure({
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    })
    const plain = await raw(sends('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const trusting = ', tls: {ca: /ca.pem}'
    const wrongName = ', tls: {ca: /ca.pem}, resolve: {other.test: 127.0.0.1}'
    const document = [
      asking('UNTRUSTED', own),
      asking('EXPIRED', expired, ', tls: {ca: /expired.pem}'),
      asking('NAME', own.replace('127.0.0.1', 'other.test'), wrongName),
      asking('PLAIN', plain.url.replace('http:', 'https:')),
      asking('OLD', old, trusting),
      asking('SECURE', own.replace('https:', 'http:')),
      asking('NO-CLIENT', strict, trusting),
      asking('KEY', strict, ', tls: {ca: /ca.pem, cert: /ca.pem, key: /expired.key}'),
      asking('NO-CA', own, ', tls: {ca: /other.txt}'),
      asking('NO-KEY', own, ', tls: {ca: /ca.pem, cert: /ca.pem, key: /other.txt}'),
    ].join('')
    const verdicts = await verdictsOf(document)
    const says = (why: string, hint: string) =>
      expect.stringMatching(
        new RegExp(
          `^runtime: api\\.http request failed: .*: ${why}[^\\n]*\\n  request: .*\\n${hint}`,
        ),
      )
    expect(verdicts).toEqual({
      UNTRUSTED: says('TLS failed: self-signed certificate', 'Name the certificates to trust in'),
      EXPIRED: says('TLS failed: certificate has expired', 'Renew the certificate of the server'),
      NAME: says("TLS failed: .*Host: other.test. is not in the cert's", 'Use a host that'),
      PLAIN: says('TLS failed: the server does not answer in TLS', 'Use http if the server'),
      OLD: says('TLS failed: tlsv1 alert protocol version', 'Use http if the server'),
      SECURE: says('the server closed the connection', 'Look at the log of the server'),
      'NO-CLIENT': says('the server closed the connection', '.*It may require a client cert'),
      KEY: says('TLS failed: key values mismatch', 'Correct harness.api_http.tls.cert and'),
      'NO-CA':
        'runtime: harness.api_http.tls.ca has no certificate: /other.txt\nName a file with a certificate in PEM.',
      'NO-KEY':
        'runtime: harness.api_http.tls.key has no private key: /other.txt\nName a file with a private key in PEM.',
    })
    for (const verdict of Object.values(verdicts)) expect(verdict).not.toMatch(internals)
  })

  test('a client certificate reaches a server that requires one', async () => {
    given()
    const strict = await secure({ ca: certificate, requestCert: true, rejectUnauthorized: true })
    const tls = ', tls: {ca: /ca.pem, cert: /ca.pem, key: /key.pem}'
    expect(await verdictsOf(asking('A', strict, tls))).toEqual({ A: 'pass' })
  })

  test('a host is resolved as the case says, for http and https', async () => {
    given()
    const { url } = await raw(sends(`${head('Content-Length: 2')}ok`))
    const host = ', tls: {ca: /ca.pem}, resolve: {api.example.test: 127.0.0.1}'
    const named = (address: string) => address.replace('127.0.0.1', 'api.example.test')
    const document = asking('A', named(await secure()), host) + asking('B', named(url), host)
    expect(await verdictsOf(document)).toEqual({ A: 'pass', B: 'pass' })
  })

  test('a redirect from https to http is refused, and http is not asked', async () => {
    given()
    const plain = await raw(sends(`${head('Content-Length: 2')}ok`))
    const url = await secure({}, plain.url)
    const { A } = await verdictsOf(asking('A', url, ', tls: {ca: /ca.pem}'))
    expect(A).toMatch(
      /^runtime: .*: the redirect from https to http:.* would send the request unprotected\n.*\nCorrect the server, or set redirects to manual/,
    )
    expect(plain.requests()).toBe(0)
  })
})

test('a proxy is asked if the case names it, and never because of the environment', async () => {
  const server = await raw(sends(`${head('Content-Length: 2')}ok`))
  const proxy = await raw(sends(`${head('Content-Length: 2')}ok`))
  const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY']
  const env = {
    ...Object.fromEntries(names.map(name => [name, proxy.url])),
    NODE_USE_ENV_PROXY: '1',
    NO_PROXY: '',
  }
  expect(await verdictsOf(asking('A', server.url), env)).toEqual({ A: 'pass' })
  expect([server.requests(), proxy.requests()]).toEqual([1, 0])
  const named = asking('A', server.url, `, proxy: "${proxy.url}"`)
  expect(await verdictsOf(named, env)).toEqual({ A: 'pass' })
  expect([server.requests(), proxy.requests()]).toEqual([1, 1])
})

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
