/** Reads the certificates and keys that a case names. */
import { contractPath } from '../../kernel/spec/contract-path.ts'
import type { ConnectionRule, TlsFile } from '../../kernel/spec/http/http-connection.ts'
import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { HttpConnection } from '../../world/world.ts'
import type { ExecutionContext } from '../execution-context.ts'
import { isSpecErrorOf } from './case-harness.ts'
import { contractFile } from './contract-file.ts'

/** Without this, Node ignores a file of certificates in which it finds none. */
const hasPem: Readonly<Record<TlsFile, RegExp>> = {
  ca: /^-----BEGIN [A-Z0-9 ]*CERTIFICATE-----/m,
  cert: /^-----BEGIN [A-Z0-9 ]*CERTIFICATE-----/m,
  key: /^-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/m,
}

function noPem(at: string, key: TlsFile, path: string): SpecError {
  const what = key === 'key' ? 'private key' : 'certificate'
  return {
    category: 'runtime',
    message: `${at} has no ${what}: ${path}`,
    path: at,
    hint: `Name a file with a ${what} in PEM.`,
  }
}

/** Most cases say nothing about it, and share connections. */
export const isUsual = ({ files, insecure, resolve, proxy }: ConnectionRule): boolean =>
  files.length === 0 && !insecure && resolve.size === 0 && proxy === undefined

export async function httpConnection(
  { files, insecure, resolve, proxy }: ConnectionRule,
  context: ExecutionContext,
): Promise<HttpConnection | SpecError> {
  const pem: Record<string, string> = {}
  for (const [key, path] of files) {
    const at = `harness.api_http.tls.${key}`
    const read = contractPath(path)
    if ('refused' in read) {
      return { category: 'schema', message: `${at} ${read.refused}`, path: at }
    }
    const file = await contractFile(read.path, at, context)
    if (isSpecErrorOf(file)) return file
    pem[key] = new TextDecoder().decode(file.bytes)
    if (!hasPem[key].test(pem[key])) return noPem(at, key, read.path)
  }
  return { tls: { ...pem, insecure }, resolve: Object.fromEntries(resolve), proxy }
}
