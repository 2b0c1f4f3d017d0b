/** `api.http` cases that start their service, on the built command. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SpecCaseResult } from '../src/wire/spec/spec-report.ts'
import { aProject, type Setup } from './a-project.ts'
import { rawServers } from './a-raw-server.ts'
import { block } from './a-spec-run.ts'
import { main } from './built-command.ts'
import { isTorture } from './sim/seeded.ts'

const project = aProject()
const { raw } = rawServers()
const service = (name: string) => JSON.stringify([process.execPath, resolve('test/services', name)])
const script = (code: string) => JSON.stringify([process.execPath, '-e', code])
const sh = (code: string) => JSON.stringify(['sh', '-c', code])

const is = (value: string) => `{evaluate: [{std.logic.eq: [{var: subject}, ${value}]}]}`

/** A case with a life cycle, as lines of YAML. */
function http(id: string, setup: readonly string[], ...lines: readonly string[]): string {
  return block(
    `id: ${id}`,
    'type: api.http',
    'harness:',
    '  api_http:',
    '    mode: live',
    '    scenario:',
    ...setup.map(line => `      ${line}`),
    ...lines,
  )
}

function ran(document: string, setup?: Setup, ...args: readonly string[]) {
  writeFileSync(join(project.folder, 'a.spec.md'), document)
  const { status, json } = project.asked(['spec', 'run', ...args], setup)
  const results: readonly SpecCaseResult[] = json.results
  return { status, json, results }
}

function verdictOf(document: string, setup?: Setup): string {
  const { results } = ran(document, setup)
  const [{ category, message, status } = { category: null, message: null, status: 'none' }] =
    results
  return category === null ? status : `${category}: ${message}`
}

const text = (name: string) => {
  const path = join(project.folder, name)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/**
 * A process that ended and that nobody has asked about yet is not alive. A busy machine gives its id
 * to another process within minutes, so only one that runs in the folder of the test counts.
 */
function isAlive(pid: string): boolean {
  try {
    const isEnded = /^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    return !isEnded && readlinkSync(`/proc/${pid}/cwd`).startsWith(realpathSync(project.folder))
  } catch {
    return false
  }
}

/** The processes that run in the folder of the test; none if the system cannot list them. */
const processesHere = () =>
  existsSync('/proc')
    ? readdirSync('/proc').filter(name => /^\d+$/.test(name) && isAlive(name))
    : []

async function isListening(port: string): Promise<boolean> {
  const socket = connect({ port: Number(port), host: '127.0.0.1' })
  const answer = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'close').then(() => false),
  ]).catch(() => false)
  socket.destroy()
  return answer
}

const listening = [
  'setup:',
  `  command: ${service('echo.mjs')}`,
  "  ready_output: {regex: 'on port (\\d+)', as: port}",
]
const get = (path: string, more = '') =>
  `request: {method: GET, url: 'http://127.0.0.1:{{port}}${path}'${more}}`

describe('a service', () => {
  test('[spec.3.http-setup] that prints its port is ready, and is gone afterwards', async () => {
    const setup = [
      'setup:',
      `  command: ${sh(`${process.execPath} ${resolve('test/services/echo.mjs')} & echo $! $$ > pids; wait`)}`,
      "  ready_output: {regex: 'on port (\\d+)', as: port}",
    ]
    const subject = '{std.object.get: [{std.object.get: [{var: subject}, context]}, scenario]}'
    const fact = (name: string) => `{std.object.get: [${subject}, ${name}]}`
    expect(
      verdictOf(
        http(
          'A',
          setup,
          get('/echo'),
          'assert:',
          `- {target: status_code, must: [${is('200')}]}`,
          '- target: context_json',
          `  must: [{evaluate: [${fact('setup_started')}, ${fact('setup_ready')}]}]`,
        ),
      ),
    ).toBe('pass')
    expect(text('pids').trim().split(' ').map(isAlive)).toEqual([false, false])
  })

  test('gets a reserved port, in its environment and in every text', () => {
    const setup = [
      'setup:',
      `  command: ${service('echo.mjs')}`,
      "  ready_probe: {url: 'http://127.0.0.1:{{port}}/echo', interval_ms: 20}",
    ]
    const answer = http(
      'A',
      setup,
      get('/echo'),
      `assert: [{target: status_code, must: [${is('200')}]}]`,
    )
    expect(verdictOf(answer)).toBe('pass')
  })

  test('[spec.3.http-ready-probe] is asked until it answers with an expected status', () => {
    const code = `let asked = 0
      require('node:http').createServer(({ method }, response) => {
        if (method === 'HEAD') asked++
        response.writeHead(method === 'HEAD' && asked >= 3 ? 202 : 503).end(String(asked))
      }).listen(process.env.PORT, '127.0.0.1')`
    const setup = [
      'setup:',
      `  command: ${script(code)}`,
      "  ready_probe: {url: 'http://127.0.0.1:{{port}}/', method: head, expect_status_in: [202], interval_ms: 10}",
    ]
    const asked = http('A', setup, get('/'), `assert: [{target: body_text, must: [${is("'3'")}]}]`)
    expect(verdictOf(asked)).toBe('pass')
  })

  test('[spec.3.http-ready-probe] that never answers as expected fails the case, with the last answer', () => {
    const code = `require('node:http').createServer((_, response) =>
        response.writeHead(503).end()).listen(process.env.PORT, '127.0.0.1')`
    const setup = [
      'setup:',
      `  command: ${script(code)}`,
      "  ready_probe: {url: 'http://127.0.0.1:{{port}}/', timeout_ms: 5000, interval_ms: 10}",
    ]
    expect(verdictOf(http('A', setup, get('/')))).toMatch(
      /^runtime: setup\.ready_probe was not answered as expected within 5000 ms: status 503/,
    )
  })

  test('that prints nothing in time fails the case, and its group is ended', () => {
    const setup = [
      'setup:',
      `  command: ${sh('trap "" TERM; sleep 600 & echo $! $$ > pids; echo started; wait; sleep 600')}`,
      '  ready_output: {regex: never, timeout_ms: 300}',
    ]
    expect(verdictOf(http('A', setup, get('/')))).toBe(
      'runtime: setup.command printed no line that matches never within 300 ms\n  output: "started\\n"',
    )
    expect(text('pids').trim().split(' ').map(isAlive)).toEqual([false, false])
  })

  test('that ends early fails the case, with what it printed', () => {
    const setup = [
      'setup:',
      `  command: ${sh('echo one; echo two >&2; exit 7')}`,
      '  ready_output: {regex: never}',
    ]
    expect(verdictOf(http('A', setup, get('/')))).toBe(
      'runtime: setup.command exited with 7 before it was ready: sh\n  output:\n    | one\n    | two',
    )
  })

  test('shows its output with a failed assertion', () => {
    const failing = http(
      'A',
      listening,
      get('/echo'),
      `assert: [{target: status_code, must: [${is('404')}]}]`,
    )
    expect(verdictOf(failing)).toMatch(
      /^assertion: [\s\S]*\n {2}output:\n {4}\| echo on port \d+\n {4}\| GET \/echo authorization null\n {2}request: curl [^\n]*$/,
    )
  })

  test('may print more than a pipe holds', () => {
    const code = `const line = 'x'.repeat(1023) + '\\n'
      for (let at = 0; at < 3000; at++) require('node:fs').writeSync(1, line)
      require('node:http').createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1',
        function () { console.log('on port ' + this.address().port) })`
    const setup = [
      'setup:',
      `  command: ${script(code)}`,
      "  ready_output: {regex: 'on port (\\d+)', as: port}",
    ]
    const document = http(
      'A',
      setup,
      get('/'),
      `assert: [{target: body_text, must: [${is('ok')}]}]`,
    )
    expect(verdictOf(document)).toBe('pass')
  })
})

describe('a service that does not want to end', () => {
  /** Listens on a free port, and notes its number and the port before it is ready. */
  const server = (first = '') => `${first}
    require('node:http').createServer((request, response) => {
      if (request.url === '/hang') require('node:fs').writeFileSync('asked', 'yes')
      else response.end('ok')
    }).listen(0, '127.0.0.1', function () {
      const { port } = this.address()
      require('node:fs').appendFileSync('left', process.pid + ' ' + port + '\\n')
      console.log('on port ' + port)
    })`
  const starts = (options: string) => `const { spawn } = require('node:child_process')
    spawn(process.execPath, ['-e', ${JSON.stringify(server("process.on('SIGTERM', () => {})"))}], ${options})
    setInterval(() => {}, 1000)`
  const given = (code: string) => [
    'setup:',
    `  command: ${script(code)}`,
    "  ready_output: {regex: 'on port (\\d+)', as: port, timeout_ms: 120000}",
  ]

  async function nothingIsLeft(): Promise<void> {
    const [pid = '', port = ''] = text('left').trim().split(' ')
    expect(port).toMatch(/^\d+$/)
    expect([isAlive(pid), await isListening(port)]).toEqual([false, false])
  }

  test.each([
    ['ignores SIGTERM', server("process.on('SIGTERM', () => {})")],
    ['leaves the port to a child', starts("{ stdio: 'inherit' }")],
    ['leaves it to a daemon in another session', starts("{ stdio: 'inherit', detached: true }")],
    [
      'closes its output',
      server("setTimeout(() => { require('node:fs').closeSync(1) }, 100).unref()"),
    ],
    [
      'prints 100 MB',
      server(
        "const line = 'x'.repeat(99_999) + '\\n'; for (let at = 0; at < 1000; at++) require('node:fs').writeSync(1, line)",
      ),
    ],
  ])('[spec.3.http-setup] and %s is gone after its case', async (_, code) => {
    const passing = `assert: [{target: body_text, must: [{equal: ok}]}]`
    expect(verdictOf(http('A', given(code), get('/'), passing))).toBe('pass')
    await nothingIsLeft()
  })

  test('[spec.3.http-setup] is gone after Ctrl-C during a request', async () => {
    const code = starts("{ stdio: 'inherit', detached: true }")
    const harness = '  timeout_ms: 600000'
    writeFileSync(join(project.folder, 'a.spec.md'), http('A', given(code), harness, get('/hang')))
    const child = spawn(process.execPath, [main, 'spec', 'run', '--json'], {
      cwd: project.folder,
      env: project.env,
    })
    child.stdout.resume()
    const closed = once(child, 'close')
    await expect.poll(() => text('asked'), { timeout: 60_000 }).toBe('yes')
    child.kill('SIGINT')
    expect((await closed)[0]).toBe(1)
    await nothingIsLeft()
  })

  test('several with a reserved port run at once', async () => {
    const code = `require('node:http').createServer((_, response) => response.end('ok'))
      .listen(process.env.PORT, '127.0.0.1', () =>
        require('node:fs').appendFileSync('left', process.pid + ' ' + process.env.PORT + '\\n'))`
    const setup = [
      'setup:',
      `  command: ${script(code)}`,
      "  ready_probe: {url: 'http://127.0.0.1:{{port}}/', timeout_ms: 120000, interval_ms: 20}",
    ]
    const ids = Array.from({ length: 8 }, (_, at) => `A${at}`)
    const passing = `assert: [{target: body_text, must: [{equal: ok}]}]`
    const document = ids.map(id => http(id, setup, get('/'), passing)).join('')
    const { results } = ran(document, {}, '--jobs', '8')
    expect(results.map(({ id, status }) => [id, status])).toEqual(ids.map(id => [id, 'pass']))
    const rows = text('left').trim().split('\n')
    expect(new Set(rows.map(row => row.split(' ')[1])).size).toBe(8)
    for (const row of rows) {
      const [pid = '', port = ''] = row.split(' ')
      expect([isAlive(pid), await isListening(port)]).toEqual([false, false])
    }
  })
})

describe('set-up and teardown', () => {
  const note = (word: string) =>
    `command: ${sh(`echo ${word} >> notes; pwd >> where; echo "$A" >> env`)}`
  const files = { 'ok.json': '{"ok": true}' }
  const local = 'request: {method: GET, url: /ok.json}'
  const both = ['setup:', `  ${note('up')}`, 'teardown:', `  ${note('down')}`]

  function given(): void {
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(project.folder, name), content)
  }

  test('[spec.3.http-setup] both run, in this order, in their folder and with their variables', () => {
    given()
    mkdirSync(join(project.folder, 'sub'))
    const setup = [
      'setup:',
      `  command: ${sh('echo up >> notes; pwd >> ../where; echo "$A" >> ../env')}`,
      '  cwd: /sub',
      '  env: {A: one}',
      'teardown:',
      `  ${note('down')}`,
      '  env: {A: 2}',
    ]
    expect(verdictOf(http('A', setup, local))).toBe('pass')
    expect(text('sub/notes') + text('notes')).toBe('up\ndown\n')
    expect(
      text('where')
        .split('\n')
        .map(path => path.split('/').at(-1)),
    ).toEqual(['sub', project.folder.split('/').at(-1), ''])
    expect(text('env')).toBe('one\n2\n')
  })

  test.each([
    ['a failed request', 'request: {method: GET, url: /gone.json}', /^runtime: /],
    [
      'a failed assertion',
      `${local}\nassert: [{target: status, must: [{contain: ['404']}]}]`,
      /^assertion: /,
    ],
  ])('[spec.3.http-setup] teardown runs after %s', (_, request, verdict) => {
    given()
    expect(verdictOf(http('A', both, request))).toMatch(verdict)
    expect(text('notes')).toBe('up\ndown\n')
  })

  test('[spec.3.http-setup] teardown runs after a set-up that failed, which is the reason', () => {
    given()
    const setup = [
      'setup:',
      `  command: ${sh('echo broken; exit 3')}`,
      'teardown:',
      `  ${note('down')}`,
    ]
    expect(verdictOf(http('A', setup, local))).toBe(
      'runtime: setup.command exited with 3\n  output: "broken\\n"',
    )
    expect(text('notes')).toBe('down\n')
  })

  test('a teardown that cannot start fails the case, and hides no other reason', () => {
    given()
    const teardown = ['teardown: {command: [no-such-program]}']
    const reason =
      'teardown.command could not start no-such-program: there is no program no-such-program'
    expect(verdictOf(http('A', teardown, local))).toBe(`runtime: ${reason}`)
    expect(verdictOf(http('A', ['setup: {command: [sh, -c, exit 3]}', ...teardown], local))).toBe(
      `runtime: setup.command exited with 3; ${reason}`,
    )
  })

  test.each([
    ['setup: {command: []}', 'setup.command must be'],
    ["setup: {command: 'a \"b'}", 'setup.command has an unclosed "'],
    ['setup: {command: x, ready_output: {regex: "("}}', 'ready_output.regex'],
    ['setup: {command: x, ready_output: {regex: a, as: steps}}', 'ready_output.as must be a name'],
    ['setup: {command: x, cwd: ../..}', 'setup.cwd escapes contract root'],
    ['setup: {command: x, ready_probe: {url: "ftp://a"}}', 'ready_probe.url uses ftp:'],
  ])('%s is refused before anything runs', (line, why) => {
    given()
    const verdict = verdictOf(http('A', [line, 'teardown:', `  ${note('down')}`], local))
    expect(verdict).toMatch(/^schema: /)
    expect(verdict).toContain(why)
    expect(text('notes')).toBe('')
  })

  test('[spec.3.http-mode] a probe of the network needs mode live', () => {
    given()
    const setup = [
      `setup: {command: ${sh('echo up >> notes')}, ready_probe: {url: 'http://127.0.0.1:1/'}}`,
    ]
    const document = http('A', setup, local).replace('mode: live', 'mode: deterministic')
    expect(verdictOf(document)).toMatch(/^schema: .*ready_probe\.url names the network/)
    expect(text('notes')).toBe('')
  })

  test.each([
    ['request.url', 'request: {method: GET, url: /link}'],
    ['request.body_file', 'request: {method: POST, url: "http://127.0.0.1:1/", body_file: /link}'],
    [
      'request.multipart.a',
      'request: {method: POST, url: "http://127.0.0.1:1/", multipart: {a: {file: /link}}}',
    ],
    ['harness.api_http.tls.ca', `    tls: {ca: /link}\n${local}`],
    [
      'harness.api_http.auth.oauth.token_url',
      `    auth: {oauth: {token_url: /link, client_id_env: HOME, client_secret_env: HOME}}\n${local}`,
    ],
    [
      'harness.api_http.scenario.setup.ready_probe.url',
      `        ready_probe: {url: /link}\n${local}`,
    ],
  ])(
    '[spec.3.http-mode] a link out of the root as %s is refused before anything runs',
    (at, rest) => {
      given()
      writeFileSync(join(project.folders, 'outside'), '{"access_token": "x"}')
      symlinkSync('../outside', join(project.folder, 'link'))
      const setup = ['setup:', `  command: ${sh('echo up >> notes')}`]
      expect(verdictOf(http('A', setup, rest))).toBe(
        `schema: ${at} escapes contract root through a link`,
      )
      expect(text('notes')).toBe('')
    },
  )

  test('[spec.3.http-mode] an address that a service prints is refused without mode live', async () => {
    given()
    const { url, requests } = await raw(socket => void socket.end())
    const prints = `command: ${sh(`echo at ${url}; exec sleep 600`)}`
    const ready = "ready_output: {regex: 'at (.*)', as: address}"
    const oauth = '{token_url: "{{address}}", client_id_env: HOME, client_secret_env: HOME}'
    const documents = [
      http(
        'A',
        ['setup:', `  ${prints}`, `  ${ready}`],
        'request: {method: GET, url: "{{address}}"}',
      ),
      http(
        'A',
        ['setup:', `  ${prints}`, `  ${ready}`, '  ready_probe: {url: "{{address}}"}'],
        local,
      ),
      http('A', ['setup:', `  ${prints}`, `  ${ready}`], `    auth: {oauth: ${oauth}}`, local),
    ]
    for (const document of documents) {
      expect(verdictOf(document.replace('mode: live', 'mode: deterministic'))).toMatch(
        /^schema: .*(?:request|ready_probe|oauth)\.(?:url|token_url) names the network/,
      )
    }
    await new Promise(setImmediate)
    expect(requests()).toBe(0)
  })

  test('Ctrl-C ends the service and runs the teardown', async () => {
    mkdirSync(join(project.folder, 'tmp'))
    const setup = [
      'setup:',
      `  command: ${sh('sleep 600 & echo $! $$ > pids.new; mv pids.new pids; wait')}`,
      '  ready_output: {regex: never, timeout_ms: 600000}',
      'teardown:',
      `  ${note('down')}`,
    ]
    writeFileSync(join(project.folder, 'a.spec.md'), http('A', setup, get('/')))
    const child = spawn(process.execPath, [main, 'spec', 'run', '--json'], {
      cwd: project.folder,
      env: { ...project.env, TMPDIR: join(project.folder, 'tmp') },
    })
    child.stdout.resume()
    const closed = once(child, 'close')
    await expect.poll(() => text('pids')).not.toBe('')
    child.kill('SIGINT')
    expect((await closed)[0]).toBe(1)
    expect(text('pids').trim().split(' ').map(isAlive)).toEqual([false, false])
    expect(text('notes')).toBe('down\n')
    expect(readdirSync(join(project.folder, 'tmp'))).toEqual([])
  })
})

describe('OAuth', () => {
  const secret = 'hunter+2%:x&y=z'
  const env = { CLIENT: 'a-client-of-tests', SECRET: secret, BLANK: ' ' }
  const auth = (more = '', url = "'http://127.0.0.1:{{port}}/token'") => [
    `    auth: {oauth: {token_url: ${url}, client_id_env: CLIENT, client_secret_env: SECRET${more}}}`,
  ]
  const echoed = (key: string, value: string) =>
    `{evaluate: [{std.logic.eq: [{std.object.get: [{var: subject}, ${key}]}, ${value}]}]}`
  const steps = (...requests: readonly string[]) => [
    'requests:',
    ...requests.map(
      (one, at) => `- {id: s${at}, method: GET, url: 'http://127.0.0.1:{{port}}${one}'}`,
    ),
  ]
  const last = (leaf: string) => `assert: [{target: body_json, must: [${leaf}]}]`

  test('[spec.3.oauth-bearer] the token goes with every request, and is asked for once', () => {
    const document = http(
      'A',
      listening,
      ...auth(),
      ...steps('/echo', '/echo', '/echo'),
      last(`${echoed('authorization', 'Bearer granted-token-1')}, ${echoed('tokens', '1')}`),
    )
    expect(verdictOf(document, { env })).toBe('pass')
  })

  test('[spec.3.oauth-bearer] a request that sets Authorization keeps its own', () => {
    const document = http(
      'A',
      listening,
      ...auth(),
      get('/echo', ', headers: {authorization: Basic mine}'),
      last(`${echoed('authorization', 'Basic mine')}, ${echoed('tokens', '0')}`),
    )
    expect(verdictOf(document, { env })).toBe('pass')
  })

  test('[spec.3.oauth-bearer] a redirect within the origin keeps the token, another origin never sees it', () => {
    const after = (path: string, value: string) =>
      http('A', listening, ...auth(), get(path), last(echoed('authorization', value)))
    expect(verdictOf(after('/here', 'Bearer granted-token-1'), { env })).toBe('pass')
    expect(verdictOf(after('/away', 'null'), { env })).toBe('pass')
  })

  test('[spec.3.oauth-lifetime] a token is renewed before it expires', () => {
    const short = [...listening.slice(0, 2), '  env: {LIFETIME: 20}', ...listening.slice(2)]
    const document = http(
      'A',
      short,
      ...auth(),
      ...steps('/echo', '/echo'),
      last(echoed('tokens', '2')),
    )
    expect(verdictOf(document, { env })).toBe('pass')
  })

  test('[spec.3.oauth-env] a variable that is not set fails before the service starts', () => {
    const up = ['setup:', `  command: ${sh('echo up > notes')}`]
    const document = http('A', up, ...auth(), get('/echo'))
    const { CLIENT } = env
    for (const given of [{ CLIENT }, { CLIENT, SECRET: ' ' }]) {
      expect(verdictOf(document, { env: given })).toBe(
        'schema: oauth env var is required: SECRET, named by harness.api_http.auth.oauth.client_secret_env',
      )
    }
    expect(text('notes')).toBe('')
  })

  test('[spec.3.oauth-redaction] no secret is in any report, trace or message', () => {
    const leaking = http(
      'A',
      listening,
      ...auth(', auth_style: body', "'http://127.0.0.1:{{port}}/refused'"),
      get('/echo'),
    )
    const shown = http(
      'B',
      listening,
      ...auth(),
      get('/echo'),
      `assert: [{target: body_text, must: [${is('x')}]}, {target: context_json, must: [${is('x')}]}]`,
    )
    writeFileSync(join(project.folder, 'a.spec.md'), leaking + shown)
    const args = [
      '--trace',
      '--report',
      'junit=j.xml',
      '--report',
      'html=h.html',
      '--report',
      'ctrf=c.json',
    ]
    const { status, stdout, stderr } = project.premath(['spec', 'run', ...args], { env })
    const json = project.premath(['spec', 'run', '--json', '--trace'], { env }).stdout
    const all = [stdout + stderr, json, text('j.xml'), text('h.html'), text('c.json')]
    expect(status).toBe(1)
    expect(stdout).toContain('oauth: the token server answered 401 (invalid_client)')
    expect(stdout).toContain('$OAUTH_TOKEN')
    for (const output of all) {
      expect(output).not.toBe('')
      expect(output).not.toContain('granted-token')
      expect(output).not.toContain(secret)
      expect(output).not.toContain(encodeURIComponent(secret))
      expect(output).not.toContain(
        Buffer.from(encodeURIComponent(secret)).toString('base64').slice(0, 12),
      )
    }
  })

  test('[spec.3.oauth-redaction] context_json names the host and the scope, and no secret', () => {
    const oauth = '{std.object.get: [{std.object.get: [{var: subject}, context]}, oauth]}'
    const field = (name: string) => `{std.object.get: [${oauth}, ${name}]}`
    const document = http(
      'A',
      listening,
      ...auth(', scope: read'),
      get('/echo', ', headers: {x: y}'),
      'assert:',
      '- target: context_json',
      '  must:',
      '  - evaluate:',
      `    - {std.string.starts_with: [${field('token_url_host')}, '127.0.0.1:']}`,
      `    - {std.logic.eq: [${field('scope_requested')}, read]}`,
      `    - {std.logic.eq: [{std.collection.len: [{std.object.keys: [${oauth}]}]}, 3]}`,
    )
    expect(verdictOf(document, { env })).toBe('pass')
  })
})

describe('a whole service with a database, OAuth and CORS', () => {
  const count = Number(process.env['TORTURE_HTTP_RUNS'] ?? 4)
  const jobs = isTorture ? 8 : 4
  const env = { ORDERS_ID: 'spec+client%:1', ORDERS_SECRET: 's3cr+t%20:w&=ord' }
  const base = 'http://127.0.0.1:{{port}}'

  const orders = (id: string, style: 'basic' | 'body') =>
    block(
      `id: ${id}`,
      'type: api.http',
      'harness:',
      '  timeout_ms: 60000',
      '  api_http:',
      '    mode: live',
      '    scenario:',
      '      setup:',
      `        command: ${service('orders.mjs')}`,
      "        ready_output: {regex: '^orders on port (\\d+)$', as: port, timeout_ms: 240000}",
      `        env: {RECORD: ${JSON.stringify(join(project.folder, 'record'))}}`,
      '      teardown: {command: [sh, -c, echo done >> torn]}',
      '    auth:',
      '      oauth:',
      `        token_url: '${base}/token'`,
      `        client_id_env: ${style === 'basic' ? 'ORDERS_ID' : 'ORDERS_ID_POST'}`,
      '        client_secret_env: ORDERS_SECRET',
      `        auth_style: ${style}`,
      '        scope: orders:read orders:write',
      'requests:',
      `- {id: health, method: GET, url: '${base}/health', headers: {Authorization: none}}`,
      `- {id: denied, method: GET, url: '${base}/orders', headers: {Authorization: Bearer wrong}}`,
      `- {id: create, method: POST, url: '${base}/orders', body_json: {item: tea, amount: 3}}`,
      `- {id: read, method: GET, url: '${base}/orders/{{steps.create.body_json.id}}'}`,
      `- {id: second, method: POST, url: '${base}/orders', body_text: '{"item": "cup", "amount": 1}'}`,
      `- {id: list, method: GET, url: '${base}/orders', query: {min: 2}}`,
      `- {id: change, method: PUT, url: '${base}/orders/{{steps.create.body_json.id}}', body_json: {amount: 4}}`,
      `- {id: preflight, method: OPTIONS, url: '${base}/orders', cors: {preflight: true, origin: 'https://shop.example', request_method: put, request_headers: [authorization]}}`,
      `- {id: actual, method: GET, url: '${base}/orders', cors: {origin: 'https://shop.example'}}`,
      `- {id: remove, method: DELETE, url: '${base}/orders/{{steps.create.body_json.id}}'}`,
      `- {id: gone, method: GET, url: '${base}/orders/{{steps.create.body_json.id}}', cors: {origin: 'https://evil.example'}}`,
      'assert:',
      `- {target: status_code, must: [${is('404')}]}`,
      '- target: steps_json',
      '  must:',
      '  - evaluate:',
      `    - {std.logic.eq: [${mapped('status')}, '[200,401,201,200,201,200,200,204,200,204,404]']}`,
      `    - {std.logic.eq: [${field('list', 'body_json')}, '[{"amount":3,"id":"o-1","item":"tea"}]']}`,
      `    - {std.logic.eq: [${field('change', 'body_json')}, '{"amount":4,"id":"o-1","item":"tea"}']}`,
      `    - {std.logic.eq: [${field('preflight', 'cors_json')}, '${JSON.stringify(preflight)}']}`,
      `    - {std.logic.eq: [${field('actual', 'cors_json')}, '${JSON.stringify(actual)}']}`,
      '- target: cors_json',
      `  must: [{evaluate: [{std.logic.eq: [{std.object.get: [{var: subject}, allow_origin]}, null]}]}]`,
    )

  const preflight = {
    allow_credentials: true,
    allow_headers: ['authorization', 'content-type'],
    allow_methods: ['GET', 'POST', 'PUT', 'DELETE'],
    allow_origin: 'https://shop.example',
    expose_headers: ['Location', 'ETag'],
    max_age: 600,
    vary_origin: true,
  }
  const actual = { ...preflight, allow_headers: [], allow_methods: [], max_age: null }

  const mapped = (key: string) =>
    `{std.json.stringify: [{std.collection.map: [{fn: [[one], {std.object.get: [{var: one}, ${key}]}]}, {var: subject}]}]}`
  const field = (step: string, key: string) =>
    `{std.json.stringify: [{std.object.get: [{std.object.get: [{var: steps}, ${step}]}, ${key}]}]}`

  test(`${count} cases, ${jobs} at once, leave no process and no port behind`, async () => {
    const ids = Array.from({ length: count }, (_, at) => `ORDERS-${at + 1}`)
    const document = ids.map((id, at) => orders(id, at % 2 === 0 ? 'basic' : 'body')).join('\n')
    const { results, json } = ran(
      document,
      { env: { ...env, ORDERS_ID_POST: `${env.ORDERS_ID}-post` } },
      '--jobs',
      String(jobs),
    )
    expect(results.map(({ id, status, message }) => [id, status, message])).toEqual(
      ids.map(id => [id, 'pass', null]),
    )
    const started = text('record')
      .trim()
      .split('\n')
      .map(line => line.split(' '))
    expect(started).toHaveLength(count)
    expect(text('torn')).toBe('done\n'.repeat(count))
    // Minutes later another process may listen on a port of a service, or have its id.
    expect(processesHere()).toEqual([])
    const [, last = ''] = started.at(-1) ?? []
    expect(await isListening(last)).toBe(false)
    expect(JSON.stringify(json)).not.toContain(env.ORDERS_SECRET)
  })
})
