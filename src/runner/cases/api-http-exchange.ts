/** Sends one request and follows its redirects, or reads the file that it names. */
import {
  type Header,
  type HttpRequest,
  type HttpSetting,
  hasHeader,
} from '../../kernel/spec/http/http-request.ts'
import {
  type Hop,
  type ResolveAddress,
  redirectOf,
  redirectsMax,
} from '../../kernel/spec/http/redirect.ts'
import { requestPlace } from '../../kernel/spec/http/request-url.ts'
import type { HttpFailure } from '../../world/world.ts'
import type { CaseFailure } from '../case-outcome.ts'
import type { ExecutionContext } from '../execution-context.ts'
import type { Authorizer } from './api-http-auth.ts'
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
  readonly authorizer: Authorizer
}

export class HttpExchange {
  readonly #setting: HttpSetting
  readonly #context: ExecutionContext

  constructor(setting: HttpSetting, context: ExecutionContext) {
    this.#setting = setting
    this.#context = context
  }

  async send(sent: SentRequest): Promise<HttpAnswer | CaseFailure> {
    const { request, at } = sent
    const { root } = this.#context.document
    const place = requestPlace(request.url, this.#setting.mode, root)
    if ('refused' in place) {
      const { refused, hint } = place
      return { category: 'schema', message: `${at}.url ${refused}`, path: `${at}.url`, hint }
    }
    if (place.kind === 'network') return await this.#overNetwork(sent)
    const file = await contractFile(place.path, `${at}.url`, this.#context)
    if (isSpecErrorOf(file)) return file
    return { url: request.url, status: 200, headers: [], body: file.bytes, hops: [] }
  }

  async #overNetwork({ request, at, authorizer }: SentRequest): Promise<HttpAnswer | CaseFailure> {
    const hops: Hop[] = []
    let next = request
    let isFirstOrigin = true
    for (;;) {
      const added = isFirstOrigin ? await authorizer.authorize(next) : []
      if (isSpecErrorOf(added)) return added
      const answer = await this.#once(next, added, at)
      if (isSpecErrorOf(answer)) return answer
      const redirect = request.followsRedirects && redirectOf(next, answer, resolveAddress)
      if (!redirect) return { ...answer, url: next.url, hops }
      if ('refused' in redirect) return failed(next, at, redirect.refused)
      if (hops.length === redirectsMax) {
        return failed(request, at, `it was redirected more than ${redirectsMax} times`)
      }
      hops.push(redirect.hop)
      isFirstOrigin &&= !redirect.crossesOrigin
      next = redirect.next
    }
  }

  async #once(
    { method, url, headers, body, timeoutMs }: HttpRequest,
    added: readonly Header[],
    at: string,
  ) {
    const client = await this.#context.run.http()
    const reply = await client.send({
      method,
      url,
      headers: [...headers, ...added.filter(([name]) => !hasHeader(headers, name))],
      body: body && new TextEncoder().encode(body.text),
      timeoutMs,
    })
    return 'failed' in reply ? noAnswer({ method, url }, at, reply) : reply
  }
}

const resolveAddress: ResolveAddress = (address, base) =>
  URL.canParse(address, base) ? new URL(address, base) : undefined

type Named = Pick<HttpRequest, 'method' | 'url'>

const failed = ({ method, url }: Named, at: string, why: string): CaseFailure => ({
  category: 'runtime',
  message: `api.http request failed: ${method} ${url}: ${why}`,
  path: `${at}.url`,
})

const hints: Partial<Readonly<Record<HttpFailure['failed'], string>>> = {
  timeout: 'Increase timeout_ms, or make the server answer faster.',
  connection: 'Start the server before the case, or correct the address.',
}

function noAnswer(request: Named, at: string, { failed: kind, reason }: HttpFailure): CaseFailure {
  const hint = hints[kind]
  return {
    ...failed(request, at, reason),
    ...(hint !== undefined && { hint }),
    ...(kind === 'stopped' && { stopped: true }),
  }
}
