/** Decides where a server may listen without a token, and which names a request may call it by. */

export interface BindAddress {
  /** Without brackets. */
  readonly host: string
  readonly port: number
}

const portMax = 65_535

/** `127.0.0.1:43174` or `[::1]:43174`; `undefined` for anything else. */
export function bindAddress(text: string): BindAddress | undefined {
  const [, inBrackets, plain, digits] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/.exec(text) ?? []
  const host = inBrackets ?? plain
  const port = Number(digits)
  return host === undefined || port > portMax ? undefined : { host, port }
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)

/** As a URL writes it. */
export const urlOf = ({ host, port }: BindAddress): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}/`

/**
 * A page of another site can make a browser send requests to this server under a name of its own,
 * which it lets point here. So a name must be known. An address cannot be such a name.
 */
export function isKnownHost(
  header: string | undefined,
  { host, names }: { readonly host: string; readonly names: readonly string[] },
): boolean {
  const [, inBrackets, plain] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/[\]]+))(?::\d{1,5})?$/.exec(header ?? '') ?? []
  const asked = (inBrackets ?? plain)?.toLowerCase()
  if (asked === undefined) return false
  if (isLoopback(asked) || asked === host.toLowerCase() || names.includes(asked)) return true
  const isAddress = inBrackets !== undefined || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(asked)
  return isAddress && !isLoopback(host)
}
