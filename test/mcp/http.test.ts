/** The server over HTTP: the official client, and requests that it must refuse. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { aProject } from '../a-project.ts'
import { main } from '../built-command.ts'
import { allEras, answerIn, compiledOnce, type Era, eras, withoutResident } from './a-client.ts'

const project = aProject()
const children: ChildProcess[] = []

beforeEach(() => {
  project.done('init')
  project.done('issue', 'add', 'One')
})

afterEach(async () => {
  const endings = children.splice(0).map(async child => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise(settle => child.once('close', settle))
    child.kill()
    await ended
  })
  await Promise.all(endings)
})

const tokenFile = () => join(project.folder, 'token')

async function served(): Promise<{ url: URL; token: string; child: ChildProcess }> {
  const args = ['mcp-serve', '--http', '127.0.0.1:0', '--token-file', tokenFile()]
  const child = spawn(process.execPath, [main, ...args], {
    cwd: project.folder,
    env: withoutResident(project.env),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  children.push(child)
  for await (const line of createInterface({ input: child.stderr })) {
    const [url] = /http:\S+/.exec(line) ?? []
    if (url) return { url: new URL(url), token: readFileSync(tokenFile(), 'utf8').trim(), child }
  }
  throw new Error('it printed no address')
}

const call = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } })

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly method?: string
  readonly path?: string
}

/** As it stands, with the headers of this request alone. */
function status(url: URL, { headers = {}, body, method = 'POST', path = '/mcp' }: Sent) {
  return new Promise<number>((settle, fail) => {
    const sent = request(
      { host: url.hostname, port: url.port, method, path, headers: { ...usual, ...headers } },
      response => {
        response.resume()
        response.on('end', () => settle(response.statusCode ?? 0))
      },
    )
    sent.on('error', fail)
    sent.end(body ?? JSON.stringify(call('issue_ready')))
  })
}

const usual = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

async function connectedClient(url: URL, token: string, era: Era): Promise<Client> {
  const headers = { authorization: `Bearer ${token}` }
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: eras[era] }, jsonSchemaValidator: compiledOnce },
  )
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return client
}

test.each(allEras)('serves a client of %s that has the token', async era => {
  const { url, token } = await served()
  const client = await connectedClient(url, token, era)
  expect(client.getNegotiatedProtocolVersion()).toBe(era)
  const { json } = answerIn(await client.callTool({ name: 'issue_ready', arguments: {} }))
  expect(json).toMatchObject({ action: 'issue.ready', count: 1 })
  const refused = answerIn(
    await client.callTool({ name: 'issue_claim', arguments: { id: 'bd-1', assignee: 'me' } }),
  )
  expect([refused.isError, refused.json.failureClasses]).toEqual([true, ['mutation_not_granted']])
  await client.close()
})

test.each(allEras)('[mcp.9.progress] sends a client of %s the progress of its call', async era => {
  writeFileSync(join(project.folder, 'a.spec.md'), '```console\n$ echo a\na\n```\n')
  const { url, token } = await served()
  const client = await connectedClient(url, token, era)
  const lines: (string | undefined)[] = []
  const params = { name: 'spec_run', arguments: { path: ['a.spec.md'] } }
  await client.callTool(params, { onprogress: ({ message }) => lines.push(message) })
  expect(lines[0]).toContain('0/1')
  expect(lines.at(-1)).toContain('1/1')
  await client.close()
})

test('[mcp.7.http] refuses whoever has no token, comes from elsewhere, or asks for something else', async () => {
  const { url, token } = await served()
  const authorization = `Bearer ${token}`
  const asked = (sent: Sent) => status(url, sent)
  expect(await asked({ headers: { authorization } })).toBe(200)
  expect(await asked({})).toBe(401)
  expect(await asked({ headers: { authorization: 'Bearer of-somebody-else' } })).toBe(401)
  expect(await asked({ headers: { authorization: token } })).toBe(401)
  expect(await asked({ headers: { authorization, host: 'evil.example' } })).toBe(403)
  expect(await asked({ headers: { authorization, origin: 'https://evil.example' } })).toBe(403)
  expect(await asked({ headers: { authorization, host: `localhost:${url.port}` } })).toBe(200)
  expect(await asked({ headers: { authorization }, path: '/' })).toBe(404)
  expect(await asked({ headers: { authorization }, body: '{' })).toBe(400)
  expect(await asked({ headers: { authorization, 'content-type': 'text/plain' } })).toBe(415)
  const large = JSON.stringify({ ...call('issue_ready'), more: 'x'.repeat(5 * 1024 * 1024) })
  expect(await asked({ headers: { authorization }, body: large })).toBe(413)
  expect(await asked({ headers: { authorization } })).toBe(200)
})

test('[mcp.8.hostile] clients that vanish in the middle of a request leave the server working', async () => {
  const { url, token, child } = await served()
  const half = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"jsonrpc"`
  for (const text of ['POST /mcp HT', half, '\0\0\0', 'GET / HTTP/9\r\n\r\n']) {
    await new Promise<void>(settle => {
      const socket = connect(Number(url.port), url.hostname, () => {
        socket.write(text)
        setImmediate(() => socket.destroy())
      })
      socket.on('error', () => {})
      socket.on('close', () => settle())
    })
  }
  expect(await status(url, { headers: { authorization: `Bearer ${token}` } })).toBe(200)
  expect(child.exitCode).toBeNull()
})

test('ends at SIGTERM, also while a client is connected', async () => {
  const { url, child } = await served()
  const socket = connect(Number(url.port), url.hostname)
  socket.on('error', () => {})
  await new Promise(settle => socket.once('connect', settle))
  const ended = new Promise(settle => child.once('close', settle))
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})

describe('the token file', () => {
  const serve = (address = '127.0.0.1:0') =>
    project.asked(['mcp-serve', '--http', address, '--token-file', tokenFile()])

  test('is made for its owner alone', async () => {
    const { token } = await served()
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(statSync(tokenFile()).mode & 0o777).toBe(0o600)
  })

  test('is refused where others can read it, and where it has no token', () => {
    writeFileSync(tokenFile(), 'a-token-of-some-length\n', { mode: 0o644 })
    expect(serve()).toMatchObject({ status: 2, json: { error: { hint: /chmod 600/ } } })
    chmodSync(tokenFile(), 0o600)
    writeFileSync(tokenFile(), 'short\n')
    expect(serve()).toMatchObject({ status: 2, json: { error: { code: 'invalid_input' } } })
  })

  test('is needed, and not made for an address that cannot be served', () => {
    for (const address of ['8765', '127.0.0.1', 'localhost:70000', '0.0.0.0:0', '[::]:0']) {
      expect(serve(address)).toMatchObject({ status: 2, json: { error: { code: 'usage' } } })
    }
    expect(project.asked(['mcp-serve', '--http', '127.0.0.1:0']).status).toBe(2)
    expect(existsSync(tokenFile())).toBe(false)
  })
})

test('a port in use exits 3 and is named', async () => {
  const other = createServer()
  await new Promise<void>(settle => other.listen(0, '127.0.0.1', settle))
  const address = other.address()
  const port = typeof address === 'object' ? address?.port : 0
  const args = ['mcp-serve', '--http', `127.0.0.1:${port}`, '--token-file', tokenFile()]
  const { status: exit, json } = project.asked(args, { isSpawned: true })
  expect([exit, json.error.code]).toEqual([3, 'unavailable'])
  expect(json.error.message).toContain(`port ${port} of 127.0.0.1 is in use`)
  await new Promise(settle => other.close(settle))
})
