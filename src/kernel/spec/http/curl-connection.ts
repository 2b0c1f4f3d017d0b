/** The settings of a curl line that say how a server is reached. */
import type { RefusedCurl } from './curl-command.ts'

export interface CurlConnection {
  readonly insecure: boolean
  /** Paths as the line has them. */
  readonly files: Readonly<Partial<Record<'ca' | 'cert' | 'key', string>>>
  /** Addresses by host and port. */
  readonly resolve: readonly (readonly [host: string, address: string])[]
  readonly proxy: string | undefined
}

/** `--resolve host:port:address`. Of several addresses, the first. */
export function resolvedHost(text: string): readonly [string, string] | RefusedCurl {
  const [, host, list = ''] = /^\+?([^\s:*/-][^\s:*/]*:\d+):(.+)$/.exec(text) ?? []
  const address = list.split(',')[0]?.replace(/^\[(.*)\]$/, '$1') ?? ''
  if (host === undefined || address === '') {
    return {
      refused: `--resolve ${text} must look like host:port:address`,
      hint: 'Name one host, such as --resolve api.test:443:127.0.0.1.',
    }
  }
  return [host, address]
}

/** curl takes a proxy without a scheme for http, and one without a port for 1080. */
export function proxyAddress(text: string): { readonly proxy: string } | RefusedCurl {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const refused = (why: string, hint: string) => ({ refused: `-x ${why}`, hint })
  if (text.startsWith('{{')) {
    return refused('takes the proxy from a variable', 'Write its address: -x http://host:port.')
  }
  if (/^[a-z]+:\/\/[^/]*@/i.test(whole)) {
    return refused('has a user name or a password', 'Use a proxy that needs none.')
  }
  const [, start, port] = /^(https?:\/\/(?:\[[^\]]+\]|[^\s:/?#]+))(:[^/]+)?\/?$/i.exec(whole) ?? []
  if (start === undefined) return refused('must name an HTTP proxy', 'Write -x http://host:port.')
  return { proxy: `${start}${port ?? ':1080'}` }
}

/** `--cert file:password` would put the password into the document. */
export function certificateFile(text: string): { readonly path: string } | RefusedCurl {
  if (!/[^\\]:/.test(text)) return { path: text.replaceAll('\\:', ':') }
  return { refused: '--cert has a password', hint: 'Use a key without a password.' }
}
