/** How the requests of a case reach their servers: TLS, addresses of hosts, and a proxy. */
import type { ShapeProblem } from '../case/check-shape.ts'
import type { Keys } from '../case/key-shape.ts'
import { mappingIn } from '../case/requires.ts'
import { contractPath } from '../contract-path.ts'
import type { SpecValue } from '../lang/value.ts'
import { textOf } from './http-text.ts'

type Mapping = ReadonlyMap<string, SpecValue>

export const connectionKeys: Keys = {
  tls: {
    is: {
      mapping: {
        ca: { is: 'name', describe: 'A file in the contract root with the certificates to trust.' },
        cert: { is: 'name', describe: 'A file with the certificate of the client.' },
        key: { is: 'name', describe: 'A file with the private key of that certificate.' },
        insecure: { is: 'flag', describe: 'Accept any certificate; default false.' },
      },
    },
    describe: 'How https connections are secured. Files are in PEM.',
  },
  resolve: {
    is: { mappingOf: 'name' },
    describe: 'Addresses to connect to, by host or by host and port: `api.test:443: 127.0.0.1`.',
  },
  proxy: {
    is: 'name',
    describe: 'The address of an HTTP proxy. Variables such as HTTP_PROXY have no effect.',
  },
}

const tlsFiles = ['ca', 'cert', 'key'] as const

export type TlsFile = (typeof tlsFiles)[number]

export interface ConnectionRule {
  /** Paths as written, by key. */
  readonly files: readonly (readonly [key: TlsFile, path: string])[]
  readonly insecure: boolean
  readonly resolve: ReadonlyMap<string, string>
  readonly proxy: string | undefined
}

const path = 'harness.api_http'

/** `own` is the mapping at `harness.api_http`. */
export function connectionRule(own: Mapping): ConnectionRule {
  const tls = mappingIn(own, 'tls')
  const proxy = own.get('proxy')
  return {
    files: tlsFiles.flatMap(key => (tls.has(key) ? [[key, textOf(tls.get(key))] as const] : [])),
    insecure: tls.get('insecure') === true,
    resolve: new Map([...mappingIn(own, 'resolve')].map(([host, to]) => [host, textOf(to).trim()])),
    proxy: typeof proxy === 'string' ? proxy.trim() : undefined,
  }
}

export function connectionFlaws(own: Mapping): readonly ShapeProblem[] {
  const { files, resolve, proxy } = connectionRule(own)
  const given = files.map(([key]) => key)
  return [
    ...files.flatMap(([key, file]) => {
      const read = contractPath(file)
      return 'refused' in read ? [flaw(`tls.${key}`, read.refused)] : []
    }),
    ...(given.includes('cert') === given.includes('key')
      ? []
      : [flaw('tls', 'needs both cert and key')]),
    ...[...resolve].flatMap(([host, to]) => {
      if (!/^[^\s:/]+(?::\d{1,5})?$/.test(host)) return [flaw('resolve', `has no host: ${host}`)]
      return isAddress(to) ? [] : [flaw(`resolve.${host}`, 'must be an IP address')]
    }),
    ...proxyFlaws(proxy, resolve.size > 0),
  ]
}

/** IPv4, or something that only IPv6 looks like. */
const isAddress = (text: string) =>
  /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:.]*:[0-9a-f:.]*)$/i.test(text)

function proxyFlaws(proxy: string | undefined, hasResolve: boolean): readonly ShapeProblem[] {
  if (proxy === undefined) return []
  if (!/^https?:\/\/[^\s/@?#]+\/?$/i.test(proxy)) {
    return [flaw('proxy', 'must look like http://host:port, without a user name or a password')]
  }
  return hasResolve ? [flaw('resolve', 'has no effect with a proxy, which looks up hosts')] : []
}

const flaw = (key: string, why: string): ShapeProblem => ({
  path: `${path}.${key}`,
  code: 'case.value',
  message: `${path}.${key} ${why}`,
})
