/** Sends requests with undici, which adds no headers and follows nothing on its own. */
/// <reference path="./undici.d.ts" />
import type { Dispatcher } from 'undici'
import type Agent from 'undici/lib/dispatcher/agent.js'
import type { HttpClient, HttpConnection, HttpFailure, HttpReply, HttpSend } from '../world.ts'
import { agentFor } from './agent.ts'
import { decompressed, megabytes } from './compression.ts'
import { failureOf, isClosedEarly, isNotHttp, tooLarge } from './failure.ts'

/** Limits for each response. */
export const responseLimits = {
  headerBytes: 64 * 1024,
  headers: 1000,
  /** For the body as sent, and again after decompression. */
  bodyBytes: 16 * 1024 * 1024,
}

const agentOptions: Agent.Options = {
  maxHeaderSize: responseLimits.headerBytes,
  // One timer covers the whole request.
  headersTimeout: 0,
  bodyTimeout: 0,
}

/** These can be sent again if a kept connection turns out to be closed. */
const repeatable: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']

export class NodeHttp implements HttpClient {
  /** By connection. */
  readonly #agents = new Map<string, Agents>()
  readonly #running = new Set<Exchange>()
  #isClosed = false

  async send(request: HttpSend): Promise<HttpReply | HttpFailure> {
    const { kept, fresh, answered } = this.#agentsFor(request.connection)
    const agent = repeatable.includes(request.method) ? kept : fresh
    const { origin } = request.url
    const first = await this.#exchange(agent, origin, request)
    // A server may close a kept connection at any time, also while a request is on its way. What
    // it sent after the end of the last response must not count as the next one.
    const isStale =
      agent === kept && first instanceof Error && (isClosedEarly(first) || isNotHttp(first))
    const received =
      isStale && answered.has(origin) ? await this.#exchange(fresh, origin, request) : first
    if (received instanceof Error) return failureOf(received)
    if ('failed' in received) return received
    if (agent === kept) answered.add(origin)
    const { status, headers, chunks } = received
    const body = joinedChunks(chunks)
    const codings = codingsOf(headers)
    if (codings.length === 0) return { status, headers, body }
    const whole = await decompressed(body, codings, responseLimits.bodyBytes)
    return 'failed' in whole ? whole : { status, headers, body: whole.bytes }
  }

  close(): void {
    this.#isClosed = true
    for (const exchange of this.#running) exchange.end(stopped)
    for (const { kept, fresh } of this.#agents.values()) {
      void kept.destroy()
      void fresh.destroy()
    }
  }

  #agentsFor(connection: HttpConnection | undefined): Agents {
    const key = connection === undefined ? '' : JSON.stringify(connection)
    const known = this.#agents.get(key)
    if (known !== undefined) return known
    const made: Agents = {
      kept: agentFor(connection, agentOptions),
      fresh: agentFor(connection, { ...agentOptions, pipelining: 0 }),
      answered: new Set(),
    }
    this.#agents.set(key, made)
    return made
  }

  #exchange(
    agent: Dispatcher,
    origin: string,
    { method, url, headers, body, timeoutMs }: HttpSend,
  ): Promise<Received | HttpFailure | Error> {
    if (this.#isClosed) return Promise.resolve(stopped)
    const exchange = new Exchange(timeoutMs, this.#running)
    const options: Dispatcher.DispatchOptions = {
      origin,
      path: `${url.pathname}${url.search}`,
      method: method as Dispatcher.HttpMethod,
      headers: headers.flat(),
      body: body ?? null,
    }
    agent.dispatch(options, exchange)
    return exchange.result
  }
}

/** The connections of one kind. */
interface Agents {
  /** Keeps connections open. */
  readonly kept: Dispatcher
  /** Opens a connection for each request. */
  readonly fresh: Dispatcher
  /** Origins that answered over a kept connection. */
  readonly answered: Set<string>
}

const stopped: HttpFailure = { failed: 'stopped', reason: 'the run was stopped' }

/** A response before decompression. */
interface Received {
  readonly status: number
  readonly headers: HttpReply['headers']
  readonly chunks: readonly Buffer[]
}

/** One request in progress. Its result is the first of response, error and `end`. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly result: Promise<Received | HttpFailure | Error>
  readonly #timer: NodeJS.Timeout
  readonly #running: Set<Exchange>
  #resolve: (result: Received | HttpFailure | Error) => void = () => {}
  #controller: Dispatcher.DispatchController | undefined
  #isEnded = false
  #status = 0
  #headers: HttpReply['headers'] = []
  readonly #chunks: Buffer[] = []
  #bytes = 0

  /** It is among the `running` until it has a result. */
  constructor(timeoutMs: number, running: Set<Exchange>) {
    this.result = new Promise(resolve => {
      this.#resolve = resolve
    })
    this.#timer = setTimeout(() => this.#endLate(timeoutMs), timeoutMs)
    this.#running = running
    running.add(this)
  }

  #settle(result: Received | HttpFailure | Error): void {
    clearTimeout(this.#timer)
    this.#running.delete(this)
    this.#resolve(result)
  }

  end(why: HttpFailure): void {
    this.#isEnded = true
    this.#settle(why)
    this.#controller?.abort(new Error(why.reason))
  }

  #endLate(timeoutMs: number): void {
    const missing = this.#status === 0 ? 'response' : 'complete response'
    this.end({ failed: 'timeout', reason: `no ${missing} after ${timeoutMs} ms` })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isEnded) controller.abort(new Error('the request was ended'))
  }

  /** Also called for each informational response, which the final one replaces. */
  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status
    this.#headers = headerPairs(controller.rawHeaders)
    if (this.#headers.length > responseLimits.headers) {
      this.end(tooLarge(`the response has more than ${responseLimits.headers} headers`))
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > responseLimits.bodyBytes) {
      this.end(tooLarge(`the body is larger than ${megabytes(responseLimits.bodyBytes)}`))
    } else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#settle({ status: this.#status, headers: this.#headers, chunks: this.#chunks })
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const hasBegun = this.#status !== 0
    if (!hasBegun) this.#settle(error)
    else this.#settle(isClosedEarly(error) ? cutOff : failureOf(error))
  }
}

const cutOff: HttpFailure = {
  failed: 'response',
  reason: 'the server closed the connection before the end of the response',
}

/** Header bytes are Latin-1. */
function headerPairs(raw: Dispatcher.DispatchController['rawHeaders']): HttpReply['headers'] {
  const pairs: [string, string][] = []
  if (!Array.isArray(raw)) return pairs
  for (let at = 0; at < raw.length; at += 2) {
    pairs.push([latin1(raw[at] ?? ''), latin1(raw[at + 1] ?? '')])
  }
  return pairs
}

const latin1 = (part: Buffer | string): string =>
  typeof part === 'string' ? part : part.toString('latin1')

function joinedChunks(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks
  return only && chunks.length === 1 ? only : Buffer.concat(chunks)
}

function codingsOf(headers: HttpReply['headers']): readonly string[] {
  const codings: string[] = []
  for (const [name, value] of headers) {
    if (name.toLowerCase() !== 'content-encoding') continue
    codings.push(
      ...value
        .toLowerCase()
        .split(',')
        .map(one => one.trim()),
    )
  }
  return codings
}
