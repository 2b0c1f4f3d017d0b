/** Sends one request and follows its redirects, or reads the file that it names. */
import type { ContractPath } from '../../kernel/spec/contract-path.ts'
import { CookieJar } from '../../kernel/spec/http/cookie-jar.ts'
import { bodyCharsMax, curlLine } from '../../kernel/spec/http/curl-line.ts'
import {
  type HttpRequest,
  type HttpSetting,
  hasHeader,
} from '../../kernel/spec/http/http-request.ts'
import type { Header } from '../../kernel/spec/http/http-text.ts'
import { type Hop, redirectOf, redirectsMax } from '../../kernel/spec/http/redirect.ts'
import { requestPlace } from '../../kernel/spec/http/request-url.ts'
import type { Secrets } from '../../kernel/text/secrets.ts'
import type { HttpFailure } from '../../world/world.ts'
import type { CaseFailure } from '../case-outcome.ts'
import type { ExecutionContext } from '../execution-context.ts'
import { type Authorizer, noAuthorizer } from './api-http-auth.ts'
import { encodedBody, noBody } from './api-http-body.ts'
import { httpConnection, isUsual } from './api-http-connection.ts'
import { isSpecErrorOf } from './case-harness.ts'
import { contractFile } from './contract-file.ts'

export interface HttpAnswer {
  /** The address that answered. */
  readonly url: string
  readonly status: number
  readonly headers: readonly Header[]
  readonly body: Uint8Array
  readonly hops: readonly Hop[]
}

export interface SentRequest {
  readonly request: HttpRequest
  /** The path of the request in the case, such as `requests[0]`. */
  readonly at: string
  /** The key of its address, if it is not `url`. */
  readonly urlKey?: string
  /** Absent if it is found when the request is sent. */
  readonly destination?: Destination | undefined
  readonly authorizer: Authorizer
}

/** The parts of a request that the exchange adds or keeps apart. */
interface OwnParts {
  readonly added: readonly Header[]
  readonly body: Uint8Array | undefined
  readonly at: string
}

/** An address on the network, a file, or why it is neither, to follow the name of its key. */
export type Destination =
  | URL
  | { readonly path: ContractPath }
  | { readonly refused: string; readonly hint?: string }

/** It follows from the texts of a case, so that a plan knows it. */
export function destinationOf(
  { url }: HttpRequest,
  { mode }: HttpSetting,
  { document }: ExecutionContext,
): Destination {
  const place = requestPlace(url, mode, document.root)
  if ('refused' in place || place.kind === 'file') return place
  return resolveAddress(place.url) ?? { refused: `is not a valid address: ${place.url}` }
}

export class HttpExchange {
  readonly #setting: HttpSetting
  readonly #context: ExecutionContext
  readonly #isUsual: boolean
  readonly #cookies = new CookieJar()
  #connection: ReturnType<typeof httpConnection> | undefined

  constructor(setting: HttpSetting, context: ExecutionContext) {
    this.#setting = setting
    this.#context = context
    this.#isUsual = isUsual(setting.connection)
  }

  send(sent: SentRequest): Promise<HttpAnswer | CaseFailure> {
    const { request, destination = destinationOf(request, this.#setting, this.#context) } = sent
    return destination instanceof URL
      ? this.#overNetwork(sent, destination)
      : this.#fromFile(sent, destination)
  }

  async #fromFile(
    sent: SentRequest,
    place: Exclude<Destination, URL>,
  ): Promise<HttpAnswer | CaseFailure> {
    const { request, at, urlKey = 'url' } = sent
    const path = `${at}.${urlKey}`
    if ('refused' in place) {
      const { refused, hint } = place
      return {
        category: 'schema',
        message: `${path} ${refused}`,
        path,
        ...(hint !== undefined && { hint }),
      }
    }
    // A file needs no token. A token that cannot be had is a mistake all the same.
    const added = await sent.authorizer.authorize(request)
    if (isSpecErrorOf(added)) return added
    const began = this.#context.record && this.#context.now()
    const file = await contractFile(place.path, path, this.#context)
    if (isSpecErrorOf(file)) return file
    const answer = { status: 200, headers: [], body: file.bytes }
    this.#record(request, at, answer, began)
    return { ...answer, url: request.url, hops: [] }
  }

  async #overNetwork(
    { request, at, authorizer }: SentRequest,
    first: URL,
  ): Promise<HttpAnswer | CaseFailure> {
    const hops: Hop[] = []
    // What most requests lack is not awaited: a wait takes longer than all else that is done here.
    const encoded = request.body ? await encodedBody(request.body, at, this.#context) : noBody
    if (isSpecErrorOf(encoded)) return encoded
    let address = first
    let next: HttpRequest =
      encoded.headers.length === 0
        ? request
        : { ...request, headers: [...request.headers, ...encoded.headers] }
    let isFirstOrigin = true
    for (;;) {
      const isAuthorized = isFirstOrigin && authorizer !== noAuthorizer
      const added = isAuthorized ? await authorizer.authorize(next) : []
      if (isSpecErrorOf(added)) return added
      const body = next.body && encoded.bytes
      const answer = await this.#once(next, address, { added, body, at })
      if (isSpecErrorOf(answer)) return answer
      const redirect = request.followsRedirects && redirectOf(next, answer, resolveAddress)
      if (!redirect) {
        // Copied by name: V8 is slow at objects that start with a spread.
        const { status, headers, body: received } = answer
        return { url: next.url, status, headers, body: received, hops }
      }
      if ('refused' in redirect)
        return { ...failed(next, at, redirect.refused, this.#secrets), hint: manualHint }
      if (hops.length === redirectsMax) {
        const why = `it was redirected more than ${redirectsMax} times`
        return { ...failed(request, at, why, this.#secrets), hint: manualHint }
      }
      hops.push(redirect.hop)
      isFirstOrigin &&= !redirect.crossesOrigin
      next = redirect.next
      address = new URL(next.url)
    }
  }

  async #once(request: HttpRequest, url: URL, { added, body, at }: OwnParts) {
    const { method, headers, timeoutMs } = request
    const client = await this.#context.run.http()
    const connection = this.#isUsual ? undefined : await this.#connectionOnce()
    if (connection && 'category' in connection) return connection
    const more = [...added, ...this.#cookieHeader(url)]
    const began = this.#context.record && this.#context.now()
    const reply = await client.send({
      method,
      url,
      headers: [...headers, ...more.filter(([name]) => !hasHeader(headers, name))],
      body,
      timeoutMs,
      connection,
    })
    this.#record(request, at, reply, began)
    if ('failed' in reply) return noAnswer(request, at, reply, this.#secrets)
    this.#keepCookies(url, reply.headers)
    return reply
  }

  #connectionOnce(): ReturnType<typeof httpConnection> {
    this.#connection ??= httpConnection(this.#setting.connection, this.#context)
    return this.#connection
  }

  get #secrets(): Secrets {
    return this.#context.run.secrets
  }

  #record(
    { method, url }: HttpRequest,
    at: string,
    reply: HttpFailure | Pick<HttpAnswer, 'status' | 'body'>,
    began: number | undefined,
  ): void {
    const { record, now } = this.#context
    if (record === undefined || began === undefined) return
    const end =
      'failed' in reply
        ? { status: null, why: reply.reason, bodyBytes: 0 }
        : { status: reply.status, bodyBytes: reply.body.length }
    record.requestSent({ name: at, method, url, ...end, durationMs: now() - began })
  }

  #cookieHeader(url: URL): readonly Header[] {
    if (this.#cookies.isEmpty) return []
    const cookies = this.#cookies.headerFor(url, this.#nowMs())
    return cookies === undefined ? [] : [['Cookie', cookies]]
  }

  #keepCookies(url: URL, headers: readonly Header[]): void {
    if (!this.#setting.keepsCookies) return
    for (const [name, value] of headers) {
      if (name.toLowerCase() === 'set-cookie') this.#cookies.keep(value, url, this.#nowMs())
    }
  }

  #nowMs(): number {
    return Number(this.#context.run.world.clock.now() / nanosPerMilli)
  }
}

const nanosPerMilli = 1_000_000n

/** Parses once: `URL.canParse` takes as long as the constructor. */
function resolveAddress(address: string, base?: string): URL | undefined {
  try {
    return new URL(address, base)
  } catch {
    return undefined
  }
}

const failed = (request: HttpRequest, at: string, why: string, secrets: Secrets): CaseFailure => {
  const { method, url } = request
  const note = requestNote(request, secrets)
  const message = `api.http request failed: ${method} ${url}: ${why}\n${note}`
  return { category: 'runtime', message, path: `${at}.url` }
}

/**
 * A line for the message of a failure that helps to repeat the request. Secrets are hidden before
 * a part is cut or quoted, and are variables of the shell.
 */
export function requestNote(request: HttpRequest, secrets: Secrets): string {
  return `  request: ${curlLine(secrets.references(request), { bodyChars: bodyCharsMax })}`
}

const manualHint = 'Correct the server, or set redirects to manual to check the redirect itself.'

const hints: Partial<Readonly<Record<HttpFailure['failed'], string>>> = {
  timeout: 'Increase timeout_ms, or make the server answer faster.',
  connection: 'Start the server before the case, or correct the address.',
  certificate: 'Name the certificates to trust in harness.api_http.tls.ca.',
  certificate_time: 'Renew the certificate of the server, or correct the clock of this machine.',
  certificate_name:
    'Use a host that the certificate names, and harness.api_http.resolve to say where it is.',
  own_certificate:
    'Correct harness.api_http.tls.cert and harness.api_http.tls.key, which belong together.',
  tls: 'Use http if the server has no TLS, or correct the address or the server.',
  response: 'Look at the log of the server, or at what it sends: add -v to the curl command.',
  too_large: 'Ask for less, or test a smaller response.',
}

/** In TLS 1.3, a client does not see why a server closes the connection after the handshake. */
const secureResponseHint = `${hints.response} It may require a client certificate: harness.api_http.tls.cert and harness.api_http.tls.key.`

function noAnswer(
  request: HttpRequest,
  at: string,
  { failed: kind, reason }: HttpFailure,
  secrets: Secrets,
): CaseFailure {
  const isSecure = /^https:/i.test(request.url)
  const hint = kind === 'response' && isSecure ? secureResponseHint : hints[kind]
  return {
    ...failed(request, at, reason, secrets),
    ...(hint !== undefined && { hint }),
    ...(kind === 'stopped' && { stopped: true }),
  }
}
