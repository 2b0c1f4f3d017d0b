/** The cookies of one case (RFC 6265). A cookie goes back to the host that set it. */
import type { WebAddress } from './redirect.ts'

interface Cookie {
  readonly name: string
  readonly value: string
  readonly domain: string
  /** Sent to no other host below the domain. */
  readonly isHostOnly: boolean
  readonly path: string
  readonly isSecure: boolean
  /** Milliseconds since 1970; absent for the end of the case. */
  readonly expiresMs: number | undefined
}

/** A server must not use up the memory of the run. */
const cookiesMax = 300

export class CookieJar {
  readonly #cookies = new Map<string, Cookie>()

  get isEmpty(): boolean {
    return this.#cookies.size === 0
  }

  /** Keeps the cookie of a Set-Cookie header. A malformed or foreign one is ignored. */
  keep(header: string, from: WebAddress, nowMs: number): void {
    const cookie = cookieOf(header, from, nowMs)
    if (cookie === undefined) return
    const key = JSON.stringify([cookie.domain, cookie.path, cookie.name])
    this.#cookies.delete(key)
    const isGone = cookie.expiresMs !== undefined && cookie.expiresMs <= nowMs
    if (!isGone && this.#cookies.size < cookiesMax) this.#cookies.set(key, cookie)
  }

  /** The Cookie header for an address; `undefined` without a cookie. */
  headerFor(to: WebAddress, nowMs: number): string | undefined {
    const found = [...this.#cookies.values()]
      .filter(cookie => isFor(cookie, to, nowMs))
      .sort((a, b) => b.path.length - a.path.length)
      .map(({ name, value }) => `${name}=${value}`)
    return found.length === 0 ? undefined : found.join('; ')
  }
}

function cookieOf(header: string, from: WebAddress, nowMs: number): Cookie | undefined {
  const [pair = '', ...attributes] = header.split(';')
  const at = pair.indexOf('=')
  const name = pair.slice(0, at).trim()
  if (at === -1 || name === '') return undefined
  const given = new Map(attributes.map(attributeOf))
  const domain = given.get('domain')?.replace(/^\./, '').toLowerCase() ?? ''
  if (domain !== '' && !mayset(domain, from)) return undefined
  const isSecure = given.has('secure')
  if (isSecure && from.protocol !== 'https:') return undefined
  const path = given.get('path') ?? ''
  return {
    name,
    value: pair.slice(at + 1).trim(),
    domain: domain === '' ? from.hostname : domain,
    isHostOnly: domain === '',
    path: path.startsWith('/') ? path : folderOf(from.pathname),
    isSecure,
    expiresMs: expiresMs(given, nowMs),
  }
}

function attributeOf(text: string): readonly [string, string] {
  const [, name = '', value = ''] = /^\s*([^=]*?)\s*(?:=\s*(.*?))?\s*$/s.exec(text) ?? []
  return [name.toLowerCase(), value]
}

/** A host may set cookies for itself and for domains above it, but not for a top-level domain. */
const mayset = (domain: string, { hostname }: WebAddress) =>
  hostname === domain || (hostname.endsWith(`.${domain}`) && domain.includes('.'))

const folderOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 1))

/** Max-Age comes before Expires. */
function expiresMs(given: ReadonlyMap<string, string>, nowMs: number): number | undefined {
  const age = given.get('max-age')
  if (age !== undefined && /^-?\d{1,12}$/.test(age)) return nowMs + Number(age) * 1000
  const date = Date.parse(given.get('expires') ?? '')
  return Number.isNaN(date) ? undefined : date
}

function isFor(cookie: Cookie, { hostname, pathname, protocol }: WebAddress, nowMs: number) {
  const { domain, isHostOnly, path, isSecure } = cookie
  if (cookie.expiresMs !== undefined && cookie.expiresMs <= nowMs) return false
  if (isSecure && protocol !== 'https:') return false
  if (hostname !== domain && (isHostOnly || !hostname.endsWith(`.${domain}`))) return false
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}
