/** Decides what an address of a case means, and whether its mode allows it. */
import { byCodePoint } from '../../canonical.ts'
import { type ContractPath, contractPath } from '../contract-path.ts'
import { formBody } from './form-encoding.ts'
import type { HttpMode } from './http-keys.ts'

/** A file of the contract root, or an address on the network. */
export type RequestPlace =
  | { readonly kind: 'file'; readonly path: ContractPath }
  | { readonly kind: 'network'; readonly url: string }

/** Why an address is refused, to follow the name of its key. */
export interface RefusedUrl {
  readonly refused: string
  readonly hint: string
}

const scheme = /^([a-z][a-z0-9+.-]+):/i

/** Without a root, a `file:` address is accepted as it stands. */
export function requestPlace(
  url: string,
  mode: HttpMode,
  root: string | undefined,
): RequestPlace | RefusedUrl {
  const name = scheme.exec(url)?.[1]?.toLowerCase()
  if (name === undefined) return filePlace(withoutQuery(url))
  if (name === 'file') return fileUrl(url, root)
  if (name !== 'http' && name !== 'https') {
    return { refused: `uses ${name}:, but must be a path, http or https`, hint: pathHint }
  }
  if (mode !== 'live') {
    return {
      refused: `names the network, which needs harness.api_http.mode live`,
      hint: `${pathHint} For real requests, set harness.api_http.mode to live.`,
    }
  }
  return networkPlace(url)
}

const pathHint = 'Name a file below the contract root, such as /fixtures/item.json.'

function filePlace(path: string): RequestPlace | RefusedUrl {
  const read = contractPath(path)
  return 'path' in read
    ? { kind: 'file', path: read.path }
    : { refused: read.refused, hint: pathHint }
}

/** Local files have no query: it belongs to the request, not to the name of the file. */
const withoutQuery = (url: string) => url.replace(/[?#].*$/s, '')

/** An escaped character could hide where the path leads. */
function fileUrl(url: string, root: string | undefined): RequestPlace | RefusedUrl {
  const path = /^file:(?:\/\/(?:localhost)?)?(\/(?:[^/%][^%]*)?)$/i.exec(withoutQuery(url))?.[1]
  const start = root === undefined || root === '/' ? '' : root
  if (path?.startsWith(`${start}/`)) return filePlace(path.slice(start.length))
  return { refused: 'lies outside the contract root', hint: pathHint }
}

/** Credentials in an address would end up in reports and logs. */
function networkPlace(url: string): RequestPlace | RefusedUrl {
  if (/^https?:\/\/[^/?#]*@/i.test(url)) {
    return {
      refused: 'contains a user name or a password',
      hint: 'Send them in an Authorization header.',
    }
  }
  if (!/^https?:\/\/[^/?#]/i.test(url)) {
    return { refused: 'names no host', hint: 'Write it as http://host/path.' }
  }
  return { kind: 'network', url }
}

/** Adds parameters after those of the address, sorted by name, before a fragment. */
export function withQuery(
  url: string,
  parameters: readonly (readonly [name: string, value: string])[],
): string {
  if (parameters.length === 0) return url
  const [, start = '', fragment = ''] = /^([^#]*)(.*)$/s.exec(url) ?? []
  const added = formBody(parameters.toSorted(([a], [b]) => byCodePoint(a, b)))
  const separator = start.includes('?') ? (/[?&]$/.test(start) ? '' : '&') : '?'
  return `${start}${separator}${added}${fragment}`
}
