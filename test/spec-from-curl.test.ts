/** `premath spec create --from-curl`, with the built command and a server on this machine. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'
import { httpServers } from './an-http-server.ts'
import { main } from './built-command.ts'
import { everySecond } from './sim/seeded.ts'

const project = aProject()
const { serving } = httpServers()

beforeEach(() => mkdirSync(join(project.folder, '.git')))

interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Around {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
}

/** A process, because the server of the test must answer meanwhile. */
function premath(args: readonly string[], { env = {}, input = '', cwd }: Around = {}) {
  return new Promise<Ended>(settle => {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: cwd ?? project.folder,
      env: { ...project.env, ...env },
    })
    const streams = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', text => {
        streams[name] += text
      })
    }
    child.on('close', status => settle({ status, ...streams }))
    child.stdin.end(input)
  })
}

const create = (line: string, more: readonly string[] = [], around?: Around) =>
  premath(['spec', 'create', '--from-curl', line, ...more], around)

const documentText = (name = 'a.spec.md') => readFileSync(join(project.folder, name), 'utf8')

const into = ['--into', 'a.spec.md', '--id', 'A'] as const

test('a curl line becomes a case that expects the status of the answer', async () => {
  const { url, got } = await serving((_, response) => response.writeHead(201).end('made'))
  const line = `curl -L ${url}/items?x=1 --json '{"name": "tea", "n": [1]}' -H 'X-Trace: 1'`
  const made = await create(line, into)
  expect(made).toEqual({ status: 0, stdout: 'Added A to a.spec.md:6\n', stderr: '' })
  expect(documentText()).toBe(`# A

## A

\`\`\`yaml spec-test
id: A
title: POST ${url.slice('http://'.length)}/items
type: api.http
harness:
  api_http:
    mode: live
request:
  method: POST
  url: ${url}/items?x=1
  headers:
    X-Trace: "1"
    Accept: application/json
  body_json:
    name: tea
    n:
    - 1
assert:
- target: status_code
  must:
  - evaluate:
    - {std.logic.eq: [{var: subject}, 201]}
\`\`\`
`)
  expect(got).toHaveLength(1)
  const ran = await premath(['spec', 'run', 'a.spec.md'])
  expect([ran.status, ran.stderr]).toEqual([0, ''])
  const seen = got.map(({ request: { method, url: path, headers }, body }) => ({
    ...{ method, path, body, type: headers['content-type'], trace: headers['x-trace'] },
  }))
  const same = { method: 'POST', path: '/items?x=1', body: '{"name":"tea","n":[1]}' }
  const sent = { ...same, type: 'application/json', trace: '1' }
  expect(seen).toEqual([sent, sent])
})

test('credentials are sent, and are in no output and no document', async () => {
  const { url, got } = await serving(({ headers }, response) =>
    response.writeHead(headers.authorization ? 200 : 401).end(),
  )
  const line = `curl -u me:hunter2 -b 'session=s3ss10n' -d password=pa55word ${url}`
  const made = await create(line, [...into, '--json'])
  expect(made.status).toBe(0)
  expect(JSON.parse(made.stdout)).toMatchObject({
    status: 200,
    variables: ['AUTHORIZATION', 'COOKIE', 'PASSWORD'].map(name => ({ name, isSecret: true })),
  })
  expect(made.stderr).toContain(
    'run it with: premath spec run a.spec.md --secret AUTHORIZATION --secret COOKIE --secret PASSWORD',
  )
  const basic = Buffer.from('me:hunter2').toString('base64')
  for (const text of [made.stdout, made.stderr, documentText()]) {
    expect(text).not.toMatch(new RegExp(`hunter2|s3ss10n|pa55word|${basic}`))
  }
  const env = { AUTHORIZATION: `Basic ${basic}`, COOKIE: 'session=s3ss10n', PASSWORD: 'pa55word' }
  const secrets = Object.keys(env).flatMap(name => ['--secret', name])
  expect((await premath(['spec', 'run', 'a.spec.md', ...secrets], { env })).status).toBe(0)
  for (const { request, body } of got) {
    expect(request.headers).toMatchObject({ authorization: `Basic ${basic}`, cookie: env.COOKIE })
    expect(body).toBe('password=pa55word')
  }
  expect(got).toHaveLength(2)
  expect(project.premath(['spec', 'run', 'a.spec.md'], { env }).status).toBe(1)
})

test('variables of the shell come from the environment', async () => {
  const { url, got } = await serving((_, response) => response.writeHead(204).end())
  const line = 'curl -H "Authorization: Bearer $TOKEN" "$BASE/x"'
  const unset = await create(line, ['--json'], { env: { BASE: url } })
  expect(JSON.parse(unset.stdout)).toMatchObject({ status: null })
  expect(unset.stderr).toContain('no status is recorded: the environment has no value for TOKEN')
  expect(got).toEqual([])
  const made = await create(line, into, { env: { BASE: url, TOKEN: 'hunter2' } })
  expect([made.status, made.stderr]).toEqual([
    0,
    'run it with: premath spec run a.spec.md --var BASE="$BASE" --secret TOKEN\n',
  ])
  expect(documentText()).toContain('std.logic.eq: [{var: subject}, 204]')
  expect(documentText()).toContain('Authorization: Bearer {{var.TOKEN}}')
  const run = ['spec', 'run', 'a.spec.md', '--var', `BASE=${url}`, '--secret', 'TOKEN']
  expect((await premath(run, { env: { TOKEN: 'hunter2' } })).status).toBe(0)
  expect(got.map(one => one.request.headers.authorization)).toEqual([
    'Bearer hunter2',
    'Bearer hunter2',
  ])
})

test('without an answer the case expects a status below 400', async () => {
  const { url, got } = await serving((_, response) => response.end())
  const unsent = await create(`curl ${url}`, ['--no-send'])
  expect(unsent.stderr).toBe('the case expects a status below 400\n')
  expect(unsent.stdout).toContain('std.logic.lt: [{var: subject}, 400]')
  expect(got).toEqual([])
  const refused = await create('curl http://127.0.0.1:1/', into)
  expect(refused.status).toBe(0)
  expect(refused.stderr).toMatch(/^no status is recorded: api\.http request failed: GET .*\n/)
  expect(documentText()).toContain('std.logic.lt: [{var: subject}, 400]')
  expect(project.premath(['spec', 'lint', 'a.spec.md']).status).toBe(0)
})

test('a line from stdin, and files that curl reads from the working folder', async () => {
  const { url, got } = await serving((_, response) => response.end())
  mkdirSync(join(project.folder, 'sub'))
  writeFileSync(join(project.folder, 'sub/body.json'), '{"it\'s": 1}')
  const input = `curl '${url}' \\\n  -X 'PUT' --data-binary @body.json -F 'x=1'`
  const cwd = join(project.folder, 'sub')
  const several = await create('-', [], { input, cwd })
  expect(several.stderr).toContain('several kinds of body')
  const made = await create('-', ['--into', '../a.spec.md'], {
    input: input.replace(" -F 'x=1'", ''),
    cwd,
  })
  expect([made.status, made.stderr]).toEqual([0, ''])
  expect(documentText()).toContain('body_file: /sub/body.json')
  expect(got.map(({ body }) => body)).toEqual(['{"it\'s": 1}'])
  const outside = await create(`curl -T ../../x ${url}`, [], { cwd })
  expect(outside.stderr).toContain('lies outside the contract root')
})

test('redirects, timeouts and connections are those of curl', async () => {
  const { url } = await serving(({ url: path }, response) =>
    path === '/old' ? response.writeHead(302, { Location: '/new' }).end() : response.end(),
  )
  const { port } = new URL(url)
  const line = `curl -k -m 2 --resolve api.test:${port}:127.0.0.1 http://api.test:${port}/old`
  const { stdout } = await create(line)
  expect(stdout).toContain(`    tls:
      insecure: true
    resolve:
      api.test:${port}: 127.0.0.1
`)
  expect(stdout).toContain('  redirects: manual\n  timeout_ms: 2000\n')
  expect(stdout).toContain('std.logic.eq: [{var: subject}, 302]')
  expect((await create(line.replace('curl', 'curl -L'))).stdout).toContain('[{var: subject}, 200]')
})

const version = spawnSync('curl', ['--version'], { encoding: 'utf8' }).stdout ?? ''
const [, major = '0', minor = '0'] = /^curl (\d+)\.(\d+)/.exec(version) ?? []

// Older ones lack --json and --url-query.
test.skipIf(Number(major) * 100 + Number(minor) < 787)('curl sends the same', async () => {
  const { url, got } = await serving(({ url: path }, response) =>
    response.writeHead(path === '/r' ? 302 : 200, { Location: '/x' }).end('ok'),
  )
  writeFileSync(join(project.folder, 'up.txt'), 'one\ntwo\n')
  const lines = [
    `curl -X PUT -d a=1 -d 'b=x y' -u me:hun:ter2 -A me/1 -e http://ref/ -b 'a=1; b=2' ${url}/a`,
    `curl --json '{"a":1,"b":[true,null]}' -H 'X-Empty;' -H 'x-a:   spaced  ' ${url}/a`,
    `curl -G --data-urlencode 'q=a b&c' -d z=1 '${url}/a?x=1'`,
    `curl -F a=1 -F f=@up.txt -F 'g=@up.txt;type=x/y;filename=z.q' -F 'c="x;y"' ${url}/a`,
    `curl -T up.txt ${url.replace('//', '//me:p%40ss@')}/folder/`,
    `curl -L -d "$WORD=1" "${url}/r"`,
    `curl -I --url-query 'r=1 2' ${url}/a`,
  ]
  // What each client says about itself, and the boundary that it chooses.
  const own = ['accept', 'accept-encoding', 'connection', 'host', 'expect', 'content-length']
  const sent = () =>
    got.splice(0).map(({ request: { method, url: path, headers }, body }) => {
      const [type = '', boundary = '-'] = headers['content-type']?.split('; boundary=') ?? []
      const { 'user-agent': agent = '', ...others } = headers
      const kept = Object.entries(others).filter(([name]) => !own.includes(name))
      return {
        ...{ method, path, body: body.replaceAll(boundary, '') },
        headers: { ...Object.fromEntries(kept), 'content-type': type },
        agent: /^curl|^$/.test(agent) ? 'default' : agent,
      }
    })
  for (const line of lines) {
    const env = { WORD: 'word' }
    await new Promise(ended => {
      const shell = { cwd: project.folder, env: { ...project.env, ...env } }
      spawn('sh', ['-c', line], { ...shell, stdio: 'ignore' }).on('close', ended)
    })
    const original = sent()
    expect([line, (await create(line, [], { env })).status]).toEqual([line, 0])
    expect([line, ...sent()]).toEqual([line, ...original])
    expect(original.length).toBeGreaterThan(0)
  }
})

describe('nothing is written or sent', () => {
  const at = (line: string, more: readonly string[]) =>
    project.premath(['spec', 'create', '--from-curl', line, ...more])

  test.each([
    [['curl --retry 3 http://a'], 'no case can do what --retry does', 'Leave it out'],
    [['wget http://a'], 'must start with curl', 'Pass one curl command'],
    [['curl http://a', '--', 'ls'], 'takes no command', 'Use either'],
    [['curl http://a', '--console'], 'takes no command', 'Use either'],
    [['curl http://a', '--env', 'A=1'], 'takes no command', 'Use either'],
    [['curl http://a', '--id', 'a b'], 'is not a valid id', 'Use letters'],
  ])('%j', ([line = '', ...more], why, next) => {
    const { status, stderr, stdout } = at(line, ['--into', 'a.spec.md', ...more])
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(why)
    expect(stderr).toContain(next)
    expect(existsSync(join(project.folder, 'a.spec.md'))).toBe(false)
  })

  test('when the case would be wrong', () => {
    const line = 'curl -x http://127.0.0.1:1 --resolve a:80:127.0.0.1 http://a'
    const { status, stderr } = at(line, into)
    expect([status, existsSync(join(project.folder, 'a.spec.md'))]).toEqual([2, false])
    expect(stderr).toContain('resolve has no effect with a proxy')
    const missing = at('curl -T nowhere.bin http://127.0.0.1:1', into)
    expect([missing.status, missing.stderr]).toEqual([2, expect.stringContaining('nowhere.bin')])
  })

  test('with --no-send alone', () => {
    const { status, stderr } = project.premath(['spec', 'create', '--no-send'])
    expect([status, stderr]).toEqual([2, expect.stringContaining('--no-send needs --from-curl')])
  })
})

/** Requests with what a line could lose: each is explained, read back and sent. */
const requests: Readonly<Record<string, string>> = {
  plain: 'method: GET',
  head: '{method: HEAD, redirects: manual}',
  query: '{method: GET, query: {a: "1", b: "{{var.TOKEN}}", c: [x y, z&]}}',
  token:
    '{method: GET, headers: {Authorization: "Bearer {{var.TOKEN}}", Cookie: "s={{var.TOKEN}}"}}',
  headers:
    '{method: GET, headers: {X-A: "it\'s $HOME `x` \\"{{var.TOKEN}}s\\\\", X-B: [a, b], X-C: ""}}',
  json: '{method: POST, body_json: {a: "it\'s", b: [1, null, true], c: {d: "{{var.TOKEN}}"}}}',
  text: '{method: PATCH, headers: {Content-Type: text/plain}, body_text: "a\\nb @ $X {{var.TOKEN}}"}',
  form: '{method: POST, form: {a: x y&z, b: ["1", "2"]}}',
  secretForm: '{method: POST, form: {user: me, note: "{{var.TOKEN}}"}}',
  file: '{method: PUT, headers: {Content-Type: a/b}, body_file: /a b.bin}',
  multipart:
    '{method: POST, multipart: {a: "x;y", b: {text: "1;\\"2", content_type: text/csv}, f: {file: /a b.bin}}}',
  settings: '{method: OPTIONS, timeout_ms: 2500, cors: {origin: https://app.example}}',
}

test('what explain shows is read back', async () => {
  const { url, got } = await serving((_, response) => response.end())
  writeFileSync(join(project.folder, 'a b.bin'), 'bytes\n')
  const chosen = everySecond(Object.entries(requests))
  const blocks = chosen.map(([id, written]) => {
    const request = written.replace(/^\{?/, `{url: ${url}/${id}, `).replace(/\}?$/, '}')
    const keys = `id: ${id}\ntype: api.http\nharness: {api_http: {mode: live}}\nrequest: ${request}`
    return `\`\`\`yaml spec-test\n${keys}\n\`\`\`\n`
  })
  writeFileSync(join(project.folder, 'first.spec.md'), blocks.join('\n'))
  const lineOf = (id: string, document: string): string =>
    project.done('spec', 'explain', id, document).requests[0]
  const env = { TOKEN: 'a t&k%n"' }
  const ran = await premath(['spec', 'run', 'first.spec.md', '--secret', 'TOKEN'], { env })
  expect([ran.status, ran.stderr]).toEqual([0, ''])
  const sent = () =>
    new Map(
      got.map(({ request: { method, url: path = '', rawHeaders }, body }) => [
        /\w+/.exec(path)?.[0] ?? '',
        { method, path, rawHeaders, body },
      ]),
    )
  const first = sent()
  got.splice(0)
  for (const [id] of chosen) {
    const line = lineOf(id, 'first.spec.md')
    const made = await create(line, ['--into', 'second.spec.md', '--id', id], { env })
    expect([made.status, made.stderr]).toEqual([0, expect.not.stringContaining('no status')])
    expect(lineOf(id, 'second.spec.md')).toBe(line)
  }
  expect(sent()).toEqual(first)
  expect(first.size).toBe(chosen.length)
})
