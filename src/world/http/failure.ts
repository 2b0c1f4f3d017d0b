/** Errors of undici, Node's sockets and TLS, in words. */
import { codeOf, reason } from '../system-error.ts'
import type { HttpFailure } from '../world.ts'

export const tooLarge = (why: string): HttpFailure => ({ failed: 'too_large', reason: why })

/** The connection ended without an error of its own. */
export const isClosedEarly = (error: Error): boolean =>
  ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error))

const known: Readonly<Record<string, HttpFailure>> = {
  ECONNREFUSED: { failed: 'connection', reason: 'the server refused the connection' },
  ENOTFOUND: { failed: 'connection', reason: 'the host is unknown' },
  EAI_AGAIN: { failed: 'connection', reason: 'the host name cannot be looked up' },
  EHOSTUNREACH: { failed: 'connection', reason: 'the host cannot be reached' },
  ENETUNREACH: { failed: 'connection', reason: 'the network cannot be reached' },
  ETIMEDOUT: { failed: 'connection', reason: 'the connection timed out' },
  UND_ERR_CONNECT_TIMEOUT: { failed: 'connection', reason: 'the connection timed out' },
  UND_ERR_SOCKET: { failed: 'response', reason: 'the server closed the connection' },
  ECONNRESET: { failed: 'response', reason: 'the server reset the connection' },
  EPIPE: { failed: 'response', reason: 'the server closed the connection' },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {
    failed: 'response',
    reason: 'the body is shorter or longer than its Content-Length',
  },
  UND_ERR_HEADERS_OVERFLOW: tooLarge('the response headers are larger than 64 KB'),
  UND_ERR_PRX_TLS: { failed: 'certificate', reason: 'TLS to the proxy failed' },
  UND_ERR_DESTROYED: { failed: 'stopped', reason: 'the run was stopped' },
  UND_ERR_CLOSED: { failed: 'stopped', reason: 'the run was stopped' },
}

/** By a pattern for codes of Node and OpenSSL. The first that matches counts. */
const ofTls: readonly (readonly [code: RegExp, failed: HttpFailure['failed']])[] = [
  [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/, 'certificate_time'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'certificate_name'],
  [/^ERR_OSSL_/, 'own_certificate'],
  [/^ERR_SSL_.*ALERT_.*CERTIFICATE/, 'own_certificate'],
  [/^(?:ERR_TLS|ERR_SSL|EPROTO$)/, 'tls'],
  [/CERT|SELF_SIGNED|UNABLE_TO_/, 'certificate'],
]

export function failureOf(error: Error): HttpFailure {
  // A host with several addresses fails with one error for each.
  const one = error instanceof AggregateError ? (error.errors[0] as Error) : error
  const code = codeOf(one)
  if (one.message === 'bad upgrade') {
    return { failed: 'response', reason: 'the server switched to another protocol' }
  }
  if (Object.hasOwn(known, code)) return known[code] as HttpFailure
  const failed = ofTls.find(([pattern]) => pattern.test(code))?.[1]
  if (failed) return { failed, reason: `TLS failed: ${tlsReason(one, code)}` }
  if (isNotHttp(one)) {
    const why = /\((.*)\)$/s.exec(one.message)?.[1] ?? 'the server broke the protocol'
    return { failed: 'response', reason: `the response is not valid HTTP: ${why}` }
  }
  return { failed: 'connection', reason: reason(one) }
}

/** The parser refused the bytes, or an assertion of undici about the order of messages failed. */
export const isNotHttp = (error: Error): boolean =>
  error.name === 'HTTPParserError' || codeOf(error) === 'ERR_ASSERTION'

/** Without the numbers and files of OpenSSL. */
function tlsReason(error: Error, code: string): string {
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'the server does not answer in TLS'
  return 'reason' in error ? String(error.reason) : reason(error)
}
