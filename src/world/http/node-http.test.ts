import { createServer as createSecureServer } from 'node:https'
import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { certificate, certificateKey } from '../../../test/a-certificate.ts'
import { endless, head, rawServers } from '../../../test/a-raw-server.ts'
import { listening } from '../../../test/an-http-server.ts'
import type { HttpConnection, HttpSend } from '../world.ts'
import { NodeHttp, responseLimits } from './node-http.ts'

const { raw } = rawServers()
const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

function aClient(): NodeHttp {
  const client = new NodeHttp()
  closers.push(() => client.close())
  return client
}

const get = (url: string, more: Partial<HttpSend> = {}): HttpSend => ({
  method: 'GET',
  url: new URL(url),
  headers: [],
  timeoutMs: 20_000,
  ...more,
})

describe('a server that breaks off or never ends', () => {
  test.each<[string, (socket: Socket) => void, string, RegExp]>([
    [
      'a body shorter than its length',
      socket => void socket.end(`${head('Content-Length: 10')}abc`),
      'response',
      /closed the connection before the end|shorter or longer/,
    ],
    [
      'a chunk that is cut off',
      socket => void socket.end(`${head('Transfer-Encoding: chunked')}a\r\nabc`),
      'response',
      /before the end of the response/,
    ],
    [
      'an invalid chunk',
      socket => void socket.end(`${head('Transfer-Encoding: chunked')}zz\r\nabc`),
      'response',
      /not valid HTTP/,
    ],
    [
      'two different lengths',
      socket => void socket.end(`${head('Content-Length: 1', 'Content-Length: 2')}ab`),
      'response',
      /not valid HTTP|shorter or longer/,
    ],
    [
      'another protocol',
      socket => void socket.end('SSH-2.0-x\r\n\r\n'),
      'response',
      /not valid HTTP/,
    ],
    ['no answer', socket => void socket.end(), 'response', /closed the connection/],
    [
      'headers without end',
      socket => {
        socket.write('HTTP/1.1 200 OK\r\n')
        endless(socket, Buffer.from(`X-Long: ${'x'.repeat(1000)}\r\n`))
      },
      'too_large',
      /headers are larger than 64 KB/,
    ],
    [
      '10,000 headers',
      socket => void socket.end(head(...Array<string>(10_000).fill('a:'), 'Content-Length: 0')),
      'too_large',
      /more than 1000 headers/,
    ],
    [
      'a body without end',
      socket => {
        socket.write(head())
        endless(socket, Buffer.alloc(64 * 1024))
      },
      'too_large',
      /the body is larger than 16 MB/,
    ],
    [
      'a small body that unpacks to a large one',
      socket => {
        const bomb = gzipSync(Buffer.alloc(responseLimits.bodyBytes + 1))
        socket.write(head('Content-Encoding: gzip', `Content-Length: ${bomb.length}`))
        socket.end(bomb)
      },
      'too_large',
      /the decompressed body is larger than 16 MB/,
    ],
    [
      'a body that is not compressed as it says',
      socket => void socket.end(`${head('Content-Encoding: gzip', 'Content-Length: 3')}abc`),
      'response',
      /cannot be decompressed: it is not valid gzip/,
    ],
    [
      'an unknown compression',
      socket => void socket.end(`${head('Content-Encoding: zip', 'Content-Length: 3')}abc`),
      'response',
      /its Content-Encoding is zip/,
    ],
  ])('%s', async (_, answer, failed, reason) => {
    const { url } = await raw(answer)
    const found = await aClient().send(get(url))
    expect(found).toEqual({ failed, reason: expect.stringMatching(reason) })
  })

  test.each<[string, (socket: Socket) => void, string]>([
    ['no header', () => {}, 'no response after 500 ms'],
    [
      'a part of its headers',
      socket => void socket.write('HTTP/1.1 200 OK\r\nA: b\r\n'),
      'no response after 500 ms',
    ],
    [
      'a part of its body',
      socket => void socket.write(`${head('Content-Length: 9')}abc`),
      'no complete response after 500 ms',
    ],
  ])('one that sends %s is given up in time', async (_, answer, reason) => {
    const { url } = await raw(answer)
    const found = await aClient().send(get(url, { timeoutMs: 500 }))
    expect(found).toEqual({ failed: 'timeout', reason })
  })
})

describe('connections', () => {
  const ok = `${head('Content-Length: 2')}ok`

  test('are kept, and replaced when the server has closed them', async () => {
    // The second request is not answered, and the next one opens a kept connection again.
    const { url, sockets, requests } = await raw((socket, count) => {
      if (count === 2) socket.destroy()
      else socket.write(ok)
    })
    const client = aClient()
    for (const _ of [1, 2, 3]) expect(await client.send(get(url))).toMatchObject({ status: 200 })
    expect([requests(), sockets.size]).toEqual([4, 3])
  })

  test('a POST is never sent twice', async () => {
    const { url, requests } = await raw((socket, count) => {
      if (count === 2) socket.destroy()
      else socket.write(ok)
    })
    const client = aClient()
    expect(await client.send(get(url, { method: 'POST' }))).toMatchObject({ status: 200 })
    expect(await client.send(get(url, { method: 'POST' }))).toMatchObject({ failed: 'response' })
    expect(requests()).toBe(2)
  })

  test('closing the client ends requests in progress and later ones', async () => {
    const client = new NodeHttp()
    const { url } = await raw(() => client.close())
    const stopped = { failed: 'stopped', reason: 'the run was stopped' }
    expect(await client.send(get(url))).toEqual(stopped)
    expect(await client.send(get(url))).toEqual(stopped)
  })

  test('compressed bodies are unpacked, and headers stay as received', async () => {
    const body = gzipSync('unpacked')
    const { url } = await raw(socket => {
      socket.write(head('Content-Encoding: GZIP', `content-length: ${body.length}`))
      socket.write(body)
    })
    const found = await aClient().send(get(url))
    expect('body' in found && new TextDecoder().decode(found.body)).toBe('unpacked')
  })

  test('a proxy is asked only if it is named', async () => {
    const asked: string[] = []
    const { url } = await raw(socket => void socket.end(ok))
    const proxy = await raw(socket => void socket.end(ok))
    const server = createServer(socket => {
      socket.on('data', chunk => {
        asked.push(String(chunk).split('\r\n')[0] ?? '')
        socket.end(ok)
      })
    })
    closers.push(() => void server.close())
    const named = `http://127.0.0.1:${await listening(server)}`
    const connection: HttpConnection = { tls: { insecure: false }, resolve: {}, proxy: named }
    process.env['HTTP_PROXY'] = proxy.url
    expect(await aClient().send(get(url))).toMatchObject({ status: 200 })
    delete process.env['HTTP_PROXY']
    expect(proxy.requests()).toBe(0)
    expect(await aClient().send(get(url, { connection }))).toMatchObject({ status: 200 })
    expect(asked).toEqual([`GET ${url} HTTP/1.1`])
  })
})

describe('TLS', () => {
  async function secure() {
    const hosts: (string | undefined)[] = []
    const server = createSecureServer(
      { key: certificateKey, cert: certificate },
      (request, response) => {
        hosts.push(request.headers.host)
        response.end('secure')
      },
    )
    closers.push(() => server.close().closeAllConnections())
    return { port: await listening(server), hosts }
  }

  test('a certificate that is not trusted is refused, unless it is named', async () => {
    const { port } = await secure()
    const url = `https://127.0.0.1:${port}/`
    expect(await aClient().send(get(url))).toEqual({
      failed: 'certificate',
      reason: expect.stringMatching(/^TLS failed: self-signed certificate/),
    })
    const trusting = { tls: { ca: certificate, insecure: false }, resolve: {} }
    expect(await aClient().send(get(url, { connection: trusting }))).toMatchObject({ status: 200 })
    const insecure = { tls: { insecure: true }, resolve: {} }
    expect(await aClient().send(get(url, { connection: insecure }))).toMatchObject({ status: 200 })
  })

  test('a host can be resolved to an address, and keeps its name', async () => {
    const { port, hosts } = await secure()
    const to = (name: string): HttpConnection => ({
      tls: { ca: certificate, insecure: false },
      resolve: { [`${name}:${port}`]: '127.0.0.1', [name]: '127.0.0.2' },
    })
    const send = (name: string) =>
      aClient().send(get(`https://${name}:${port}/`, { connection: to(name) }))
    expect(await send('api.example.test')).toMatchObject({ status: 200 })
    expect(hosts).toEqual([`api.example.test:${port}`])
    expect(await send('other.example.test')).toMatchObject({ failed: 'certificate_name' })
  })

  test('a server that does not speak TLS is named', async () => {
    const { url } = await raw(socket => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    expect(await aClient().send(get(url.replace('http:', 'https:')))).toMatchObject({
      failed: 'tls',
      reason: 'TLS failed: the server does not answer in TLS',
    })
  })
})
