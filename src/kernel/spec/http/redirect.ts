/** Decides how a redirect continues. Credentials never reach another origin. */
import type { HttpRequest } from './http-request.ts'
import type { Header } from './http-text.ts'

/** How many redirects one request follows. */
export const redirectsMax = 10

/** A response that led to another address, as `steps_json` shows it. */
export interface Hop {
  readonly url: string
  readonly status: number
  readonly location: string
}

export interface WebAddress {
  readonly href: string
  readonly protocol: string
  readonly origin: string
  readonly hostname: string
  readonly pathname: string
}

/** Resolves an address against another one; `undefined` if it is malformed. */
export type ResolveAddress = (address: string, base?: string) => WebAddress | undefined

/** What follows a response: nothing, another request, or a refusal in words. */
type Redirect =
  | { readonly next: HttpRequest; readonly hop: Hop; readonly crossesOrigin: boolean }
  | { readonly refused: string }

const redirects: readonly number[] = [301, 302, 303, 307, 308]

export function redirectOf(
  request: HttpRequest,
  { status, headers }: { readonly status: number; readonly headers: readonly Header[] },
  resolve: ResolveAddress,
): Redirect | undefined {
  if (!redirects.includes(status)) return undefined
  const location = headers.find(([name]) => name.toLowerCase() === 'location')?.[1]
  if (location === undefined) return undefined
  const from = resolve(request.url)
  const to = resolve(location, request.url)
  if (from === undefined || to === undefined) {
    return { refused: `the redirect to ${JSON.stringify(location)} is not a valid address` }
  }
  if (to.protocol !== 'http:' && to.protocol !== 'https:') {
    return { refused: `the redirect to ${to.href} leaves http and https` }
  }
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    return { refused: `the redirect from https to ${to.href} would send the request unprotected` }
  }
  const crossesOrigin = from.origin !== to.origin
  const becomesGet = changesToGet(request.method, status)
  const dropped = [...(crossesOrigin ? ofOneOrigin : []), ...(becomesGet ? ofBody : [])]
  const kept = request.headers.filter(([name]) => !dropped.includes(name.toLowerCase()))
  const hop = { url: request.url, status, location }
  const next: HttpRequest = {
    ...request,
    ...(becomesGet && { method: 'GET', body: undefined }),
    url: to.href,
    headers: kept,
  }
  return { next, hop, crossesOrigin }
}

/** As browsers do: 303 always, 301 and 302 after POST. 307 and 308 repeat the request. */
function changesToGet(method: HttpRequest['method'], status: number): boolean {
  if (status === 303) return method !== 'HEAD' && method !== 'GET'
  return (status === 301 || status === 302) && method === 'POST'
}

const ofOneOrigin = ['authorization', 'cookie', 'host', 'proxy-authorization']
const ofBody = ['content-type', 'content-length', 'content-encoding', 'content-language']
