/** The routes of `premath observe-serve`. They only read. */
import { type Context, Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import {
  attentionView,
  instructionView,
  latestView,
  type ProjectionMatch,
  projectionMatches,
  projectionView,
  type WrittenSurface,
} from '../kernel/observation/read-surface.ts'
import { isKnownHost } from '../kernel/observation/served-address.ts'
import { printJson } from '../kernel/text/print-json.ts'
import type { LiveObservation, Seen } from '../project/observation/live-observation.ts'
import { observationHtml } from '../render/observation/html-page.ts'
import { pageScript, pageStyle } from '../render/observation/page-assets.ts'

export interface ObserveApp {
  readonly live: LiveObservation
  /** The name of the project, for the page. */
  readonly name: string
  readonly host: string
  /** Names in the header `Host`, besides loopback and addresses. */
  readonly names: readonly string[]
  readonly token: string | undefined
  readonly sha256: (text: string) => string
}

const routes = [
  '/',
  '/healthz',
  '/latest',
  '/needs-attention',
  '/instruction?id=',
  '/projection?digest=',
  '/events',
]

/** Each stream keeps a connection. The rest is for pages. */
const streamsMax = 64

const headers = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export function observeApp(setup: ObserveApp): Hono {
  const { live, host, names } = setup
  const app = new Hono()
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(headers)) context.header(name, value)
    if (!['GET', 'HEAD'].includes(context.req.method)) {
      context.header('allow', 'GET, HEAD')
      return failed(context, 405, 'method_not_allowed', 'this server only answers GET')
    }
    if (!isKnownHost(context.req.header('host'), { host, names })) {
      return failed(context, 403, 'host_not_allowed', 'the Host header names another host')
    }
    await next()
  })
  app.get('/healthz', context => json(context, { ok: true }))
  app.use(async (context, next) => {
    if (hasToken(context, setup)) return await next()
    context.header('www-authenticate', 'Basic realm="premath", charset="UTF-8"')
    return failed(context, 401, 'token_missing', 'this server needs its token')
  })
  addViews(app, live)
  app.get('/events', context => events(context, live))
  app.get('/page.css', context => context.body(pageStyle, 200, type('text/css')))
  app.get('/page.js', context => context.body(pageScript, 200, type('text/javascript')))
  app.get('/favicon.ico', context => context.body(null, 204))
  app.get('/', context => {
    context.header('vary', 'accept')
    if (!(context.req.header('accept') ?? '').includes('text/html')) {
      return json(context, { service: 'premath.observe.v1', routes })
    }
    const status = 'fault' in live.seen.now ? 500 : 200
    return context.html(observationHtml({ name: setup.name, ...live.seen }), status)
  })
  app.notFound(context => failed(context, 404, 'not_found', `there is no ${context.req.path}`))
  return app
}

function addViews(app: Hono, live: LiveObservation): void {
  /** Answers from the surface, or says why there is none. */
  const view = (
    paths: readonly string[],
    answer: (context: Context, surface: WrittenSurface) => Response,
  ) => {
    for (const path of paths) {
      app.get(path, context => {
        const { now } = live.seen
        if ('written' in now) return answer(context, now.written)
        return failed(context, 500, now.fault.code, now.fault.message)
      })
    }
  }
  view(['/latest'], (context, surface) => json(context, latestView(surface)))
  view(['/needs-attention', '/needs_attention'], (context, surface) =>
    json(context, attentionView(surface)),
  )
  view(['/instruction'], (context, surface) => {
    const id = queryOf(context, 'id', 'instruction_id')
    if (id === undefined) return failed(context, 400, 'usage', 'the parameter id is missing')
    const row = instructionView(surface, id)
    return row ? json(context, row) : failed(context, 404, 'observation_instruction_not_found', id)
  })
  view(['/projection'], (context, surface) => {
    const digest = queryOf(context, 'digest', 'projection_digest')
    if (digest === undefined)
      return failed(context, 400, 'usage', 'the parameter digest is missing')
    const match = queryOf(context, 'match', 'projection_match') ?? 'typed'
    if (!isMatch(match)) {
      const known = projectionMatches.join(' or ')
      return failed(context, 400, 'usage', `the parameter match must be ${known}`)
    }
    const found = projectionView(surface, digest, match)
    return found
      ? json(context, found)
      : failed(context, 404, 'observation_projection_not_found', digest)
  })
}

const isMatch = (text: string): text is ProjectionMatch =>
  (projectionMatches as readonly string[]).includes(text)

const queryOf = (context: Context, ...names: readonly string[]): string | undefined =>
  names.map(name => context.req.query(name)).find(value => value !== undefined && value !== '')

const type = (name: string) => ({ 'content-type': `${name}; charset=utf-8` })

const json = (
  context: Context,
  value: object,
  status: 200 | 400 | 401 | 403 | 404 | 405 | 500 | 503 = 200,
) => context.body(printJson(value), status, type('application/json'))

const failed = (
  context: Context,
  status: 400 | 401 | 403 | 404 | 405 | 500 | 503,
  code: string,
  message: string,
) => json(context, { error: { code, message } }, status)

/** Programs send the token as a bearer, and browsers as the password that they ask a person for. */
function hasToken(context: Context, { token, sha256 }: ObserveApp): boolean {
  if (token === undefined) return true
  const [scheme = '', value = ''] = (context.req.header('authorization') ?? '').split(' ')
  const given = scheme.toLowerCase() === 'basic' ? passwordIn(value) : value
  // Comparing digests takes the same time for every wrong token.
  return sha256(given) === sha256(token)
}

const passwordIn = (encoded: string) =>
  Buffer.from(encoded, 'base64')
    .toString('utf8')
    .replace(/^[^:]*:/, '')

const streams = new WeakMap<LiveObservation, number>()

/** Sends the digest of the surface now, and after each change. */
function events(context: Context, live: LiveObservation): Response {
  const open = streams.get(live) ?? 0
  if (open >= streamsMax) {
    return failed(context, 503, 'too_many_streams', `at most ${streamsMax} clients may listen`)
  }
  streams.set(live, open + 1)
  return streamSSE(context, async stream => {
    const gone = new AbortController()
    stream.onAbort(() => gone.abort())
    let sent = ''
    while (!gone.signal.aborted && !live.isStopped) {
      const { seen } = live
      if (seen.digest === sent) await stream.write(': still there\n\n')
      else await stream.writeSSE({ event: 'surface', id: seen.digest, data: noteOf(seen) })
      sent = seen.digest
      await live.next(gone.signal)
    }
    streams.set(live, (streams.get(live) ?? 1) - 1)
  })
}

function noteOf({ digest, now }: Seen): string {
  if ('fault' in now) return JSON.stringify({ digest, state: 'error', needsAttention: true })
  const { state, needsAttention } = now.surface.summary
  return JSON.stringify({ digest, state, needsAttention })
}
