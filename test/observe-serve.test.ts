/** The observation server: the built command, real sockets, and a real browser where there is one. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { chromium } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { main } from './built-command.ts'

const project = aProject()
const { asked, done } = project
const running = new Set<Server>()

const put = (path: string, content: unknown) => {
  const file = join(project.folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const rows = (...issues: readonly object[]) =>
  put('.premath/issues.jsonl', issues.map(row => `${JSON.stringify(row)}\n`).join(''))

beforeEach(() => {
  rows({ id: 'bd-1', title: 'One <b>bold</b>' })
})

afterEach(async () => {
  for (const server of running) await server.end('SIGKILL')
  running.clear()
})

class Server {
  readonly #child: ChildProcess
  readonly ended: Promise<{ code: number | null; signal: string | null }>
  url = ''
  port = 0
  stderr = ''

  constructor(args: readonly string[], env: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, [main, 'observe-serve', ...args, '--json'], {
      cwd: project.folder,
      env: { ...project.env, ...env },
    })
    this.ended = new Promise(resolve =>
      this.#child.once('exit', (code, signal) => resolve({ code, signal })),
    )
    this.#child.stderr?.on('data', text => {
      this.stderr += text
    })
    running.add(this)
  }

  /** Resolves when it listens. */
  async started(): Promise<this> {
    let out = ''
    const listening = new Promise<void>(resolve =>
      this.#child.stdout?.on('data', text => {
        out += text
        if (out.includes('\n')) resolve()
      }),
    )
    await Promise.race([listening, this.ended])
    const { url, port } = JSON.parse(out.split('\n')[0] ?? '')
    this.url = url
    this.port = port
    return this
  }

  async end(signal: NodeJS.Signals) {
    this.#child.kill(signal)
    return await this.ended
  }

  async get(path: string, init: RequestInit = {}) {
    const answer = await fetch(new URL(path, this.url), init)
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  async json(path: string, init?: RequestInit) {
    const { status, text } = await this.get(path, init)
    return { status, json: JSON.parse(text) }
  }
}

const served = (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  new Server(['--bind', '127.0.0.1:0', ...args], env).started()

/** With a Host header that `fetch` does not let a program choose. */
const statusAs = (server: Server, host: string, headers: Readonly<Record<string, string>> = {}) =>
  new Promise<number | undefined>((resolve, reject) =>
    request({
      host: '127.0.0.1',
      port: server.port,
      path: '/latest',
      headers: { host, ...headers },
    })
      .on('response', response => {
        response.resume()
        resolve(response.statusCode)
      })
      .on('error', reject)
      .end(),
  )

class Events {
  readonly #leave = new AbortController()
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #text = ''

  constructor(body: ReadableStream<Uint8Array>, leave: AbortController) {
    this.#reader = body.getReader()
    this.#leave = leave
  }

  static async of(server: Server) {
    const leave = new AbortController()
    const { body } = await fetch(new URL('/events', server.url), { signal: leave.signal })
    if (!body) throw new Error('the stream has no body')
    return new Events(body, leave)
  }

  /** The data of the next event. */
  async next() {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      const event = end < 0 ? '' : this.#text.slice(0, end)
      if (end >= 0) this.#text = this.#text.slice(end + 2)
      const [, data] = /^data: (.*)$/m.exec(event) ?? []
      if (data !== undefined) return JSON.parse(data)
      if (end >= 0) continue
      const { value, done } = await this.#reader.read()
      if (done) return undefined
      this.#text += new TextDecoder().decode(value)
    }
  }

  leave() {
    this.#leave.abort()
  }
}

describe('the routes', () => {
  test('[observe-serve.1.routes] answer as premath observe does, under both spellings', async () => {
    put('artifacts/ciwitness/20260221T010000Z-a.json', {
      witnessKind: 'ci.instruction.v1',
      instructionId: '20260221T010000Z-a',
      verdictClass: 'accepted',
    })
    const typed = { typedCoreProjectionDigest: 'ev1_a', projectionDigest: 'proj1_a' }
    put('artifacts/ciwitness/latest-decision.json', { ...typed, decision: 'accept' })
    const server = await served()
    done('observe-build')
    const without = (answer: { evaluatedAt?: string }) =>
      JSON.stringify({ ...answer, evaluatedAt: '' }).replace(/"referenceTime":"[^"]*"/g, '')
    const { json: latest } = await server.json('/latest')
    expect(without(latest)).toEqual(without(done('observe')))
    const attention = done('observe', '--mode', 'needs_attention')
    for (const path of ['/needs-attention', '/needs_attention']) {
      expect(without((await server.json(path)).json)).toEqual(without(attention))
    }
    const named = ['observe', '--mode', 'instruction', '--instruction-id', '20260221T010000Z-a']
    for (const name of ['id', 'instruction_id']) {
      const { json } = await server.json(`/instruction?${name}=20260221T010000Z-a`)
      expect(json).toEqual(done(...named))
    }
    const projection = ['observe', '--mode', 'projection', '--projection-digest', 'ev1_a']
    for (const path of [
      '/projection?digest=ev1_a',
      '/projection?projection_digest=ev1_a&match=typed',
    ]) {
      expect((await server.json(path)).json).toEqual(done(...projection))
    }
    const alias = '/projection?digest=proj1_a'
    expect((await server.get(alias)).status).toBe(404)
    for (const name of ['match', 'projection_match']) {
      expect((await server.get(`${alias}&${name}=compatibility_alias`)).status).toBe(200)
    }
    expect((await server.json('/')).json).toMatchObject({ service: 'premath.observe.v1' })
  })

  test('[observe-serve.2.gets-only] say what is wrong with a request', async () => {
    const server = await served()
    const statuses = {
      '/instruction': 400,
      '/instruction?id=': 400,
      '/instruction?id=none': 404,
      '/projection': 400,
      '/projection?digest=x&match=perhaps': 400,
      '/projection?digest=x': 404,
      '/nowhere': 404,
      '/%E0%A4%A': 404,
    }
    for (const [path, status] of Object.entries(statuses)) {
      const answer = await server.json(path)
      expect([path, answer.status]).toEqual([path, status])
      expect(answer.json.error.message).toMatch(/\S/)
    }
    const { status, headers } = await server.get('/latest', { method: 'POST', body: 'x' })
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('[observe-serve.9.half-written] answer healthz while the project cannot be observed, and recover', async () => {
    put('artifacts/ciwitness/latest-required.json', '{"cut')
    const server = await served()
    expect((await server.json('/healthz')).json).toEqual({ ok: true })
    const { status, json } = await server.json('/latest')
    expect(status).toBe(500)
    expect(json.error.message).toContain('artifacts/ciwitness/latest-required.json')
    const page = await server.get('/', { headers: { accept: 'text/html' } })
    expect([page.status, page.text.includes('cannot be observed')]).toEqual([500, true])
    const events = await Events.of(server)
    await events.next()
    put('artifacts/ciwitness/latest-required.json', { verdictClass: 'accepted' })
    expect(await events.next()).toMatchObject({ state: 'running' })
    expect((await server.get('/latest')).status).toBe(200)
  })

  test('[observe-serve.3.headers] have strict headers, and let no other site read them', async () => {
    const server = await served()
    for (const path of ['/', '/latest', '/page.js', '/nowhere', '/events']) {
      const leave = new AbortController()
      const { headers } = await fetch(new URL(path, server.url), {
        headers: { origin: 'https://elsewhere.example', accept: 'text/html' },
        signal: leave.signal,
      })
      leave.abort()
      const policy = headers.get('content-security-policy')
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
      expect(policy).not.toMatch(/unsafe|\*/)
      expect(headers.get('access-control-allow-origin')).toBeNull()
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    }
  })
})

describe('events', () => {
  test('[observe-serve.4.events] tell each client of each change, once', async () => {
    const server = await served()
    const clients = [await Events.of(server), await Events.of(server)]
    const first = await Promise.all(clients.map(client => client.next()))
    expect(first[0]).toMatchObject({ state: 'empty', needsAttention: false })
    expect(first[1]).toEqual(first[0])
    rows({ id: 'bd-1', title: 'One', status: 'blocked' })
    const second = await Promise.all(clients.map(client => client.next()))
    expect(second).toMatchObject([{ needsAttention: true }, { needsAttention: true }])
    expect(second[0].digest).not.toBe(first[0].digest)
  })

  test('end for a client that is gone, and other clients do not notice', async () => {
    const server = await served()
    const staying = await Events.of(server)
    await staying.next()
    // More than may listen at once, one after the other.
    for (let count = 0; count < 80; count++) {
      const client = await Events.of(server)
      expect(await client.next()).toBeDefined()
      client.leave()
    }
    rows({ id: 'bd-1', title: 'One', status: 'blocked' })
    expect(await staying.next()).toMatchObject({ needsAttention: true })
  })

  test('[observe-serve.8.bounded] are refused for too many clients at once', async () => {
    const server = await served()
    // A response that nobody holds is collected as garbage, and its connection closed.
    const responses: Response[] = []
    const leave = new AbortController()
    for (let count = 0; count < 70; count++) {
      responses.push(await fetch(new URL('/events', server.url), { signal: leave.signal }))
    }
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter(status => status === 200)).toHaveLength(64)
    expect(statuses.at(-1)).toBe(503)
    expect((await server.get('/latest')).status).toBe(200)
    leave.abort()
  })
})

describe('who may ask', () => {
  const token = 'a-token-of-many-characters'

  test('[observe-serve.5.hosts] a request under an unknown name is refused, whatever the browser believes', async () => {
    const server = await served(['--allow-host', 'Board.example'])
    const hosts = {
      [`127.0.0.1:${server.port}`]: 200,
      [`localhost:${server.port}`]: 200,
      [`[::1]:${server.port}`]: 200,
      'board.example': 200,
      'evil.example': 403,
      '192.168.0.1': 403,
      'localhost.evil.example': 403,
      '127.0.0.1.evil.example': 403,
    }
    for (const [host, status] of Object.entries(hosts)) {
      expect([host, await statusAs(server, host)]).toEqual([host, status])
    }
  })

  test('[observe-serve.6.token] an address that others can reach needs a token', () => {
    const { status, json } = asked(['observe-serve', '--bind', '0.0.0.0:0'], { isSpawned: true })
    expect([status, json.error.code]).toEqual([2, 'usage'])
    expect(json.error.message).toContain('0.0.0.0')
  })

  test('[observe-serve.6.token] a token is asked of programs and of browsers, and printed nowhere', async () => {
    const file = put('token', `${token}\n`)
    chmodSync(file, 0o600)
    const server = await served(['--token-file', 'token'])
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
    const tries = {
      '': 401,
      'Bearer wrong-wrong-wrong-wrong': 401,
      [basic(`me:${token}x`)]: 401,
      [`Bearer ${token}`]: 200,
      [basic(`me:${token}`)]: 200,
    }
    for (const [authorization, status] of Object.entries(tries)) {
      const headers = authorization === '' ? {} : { authorization }
      expect([authorization, (await server.get('/latest', { headers })).status]).toEqual([
        authorization,
        status,
      ])
    }
    for (const path of ['/', '/events', '/page.js', '/nowhere']) {
      const { status, headers } = await server.get(path)
      expect([path, status]).toEqual([path, 401])
      expect(headers.get('www-authenticate')).toContain('Basic')
    }
    expect((await server.get('/healthz')).status).toBe(200)
    expect(server.stderr).not.toContain(token)
  })

  test('a token from the environment counts too', async () => {
    const server = await served([], { PREMATH_OBSERVE_TOKEN: token })
    expect((await server.get('/latest')).status).toBe(401)
  })

  test('a token that others can read, or guess, is refused', () => {
    const file = put('token', `${token}\n`)
    chmodSync(file, 0o644)
    const serve = (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
      asked(['observe-serve', '--bind', '127.0.0.1:0', ...args], { isSpawned: true, env })
    expect(serve({}, '--token-file', 'token')).toMatchObject({
      status: 2,
      json: { error: { message: 'other users can read the token file token' } },
    })
    expect(serve({ PREMATH_OBSERVE_TOKEN: 'short' }).status).toBe(2)
  })
})

describe('the process', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'ends cleanly with %s, with clients connected',
    async signal => {
      const server = await served()
      const events = await Events.of(server)
      await events.next()
      expect(await server.end(signal)).toEqual({ code: 0, signal: null })
      expect(server.stderr).toBe('')
      await expect(fetch(server.url)).rejects.toThrow()
    },
  )

  test('[observe-serve.7.port] a port that is in use is named, with exit code 3', async () => {
    const server = await served()
    const bind = ['--bind', `127.0.0.1:${server.port}`]
    const { status, json } = asked(['observe-serve', ...bind], { isSpawned: true })
    expect([status, json.error.code]).toEqual([3, 'unavailable'])
    expect(json.error.message).toBe(`port ${server.port} of 127.0.0.1 is in use`)
    expect((await server.get('/healthz')).status).toBe(200)
  })

  test.each(['nowhere', '127.0.0.1', '127.0.0.1:99999', 'a b:1'])('refuses to bind to %j', bind => {
    expect(asked(['observe-serve', '--bind', bind], { isSpawned: true })).toMatchObject({
      status: 2,
      json: { error: { code: 'usage' } },
    })
  })

  test('[observe-serve.2.gets-only] writes nothing, and two servers of one project do not disturb each other', async () => {
    const [one, two] = [await served(), await served()]
    expect((await one.get('/latest')).status).toBe(200)
    expect((await two.get('/latest')).status).toBe(200)
    expect(readdirSync(project.folder)).toEqual(['.premath'])
  })

  test('[observe-serve.8.bounded] survives half requests, huge headers and noise', async () => {
    const server = await served()
    const said = (text: string) =>
      new Promise<string>(resolve => {
        let answer = ''
        const socket: Socket = connect(server.port, '127.0.0.1', () => socket.end(text))
        socket.on('data', data => {
          answer += data
        })
        socket.on('error', () => resolve(answer))
        socket.on('close', () => resolve(answer))
      })
    expect(await said('GET /latest HT')).not.toContain('200')
    expect(await said('\u0000\u0001noise\r\n\r\n')).toContain('400')
    const huge = `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`
    expect(await said(huge)).toContain('431')
    const flood = Array.from({ length: 200 }, () => server.get('/healthz'))
    expect((await Promise.all(flood)).filter(({ status }) => status !== 200)).toEqual([])
    expect((await server.get('/latest')).status).toBe(200)
  })
})

const page = { headers: { accept: 'text/html' } }

test('the page is complete without its script, and shows text as text', async () => {
  rows({ id: 'bd-1', title: 'One <script>alert(1)</script>', status: 'blocked' })
  const server = await served()
  const { text, headers } = await server.get('/', page)
  expect(headers.get('content-type')).toContain('text/html')
  expect(text).toContain('Needs attention (1)')
  expect(text).toContain('premath reopen bd-1')
  expect(text).toContain('One &lt;script&gt;alert(1)&lt;/script&gt;')
  expect(text.match(/<script/g)).toHaveLength(1)
  expect(text).not.toMatch(/<style|style=|onclick/)
})

const browserPath = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(path => existsSync(path))
if (browserPath === undefined) console.log('skipped: there is no Chromium on this machine')

test.skipIf(browserPath === undefined)(
  'a browser shows the page, follows a change by itself, and reports nothing',
  { timeout: 120_000 },
  async () => {
    const server = await served()
    const browser = await chromium.launch({
      executablePath: browserPath ?? '',
      args: ['--no-sandbox'],
    })
    try {
      const tab = await browser.newPage({ viewport: { width: 360, height: 800 } })
      const complaints: string[] = []
      tab.on('console', message => complaints.push(message.text()))
      tab.on('pageerror', error => complaints.push(String(error)))
      await tab.goto(server.url)
      await tab.getByText('Nothing needs attention.').waitFor()
      await tab.locator('#live', { hasText: 'Live' }).waitFor()
      rows({ id: 'bd-1', title: 'One', status: 'blocked' })
      await tab.getByText('Needs attention (1)').waitFor()
      const width = await tab.evaluate('document.documentElement.scrollWidth')
      expect(width).toBeLessThanOrEqual(360)
      expect(complaints).toEqual([])
    } finally {
      await browser.close()
    }
  },
)
