/** Errors of undici, Node's sockets and TLS, in words. */
import { codeOf, reason } from './system-error.ts'
import type { HttpFailure } from './world.ts'

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

/** Codes of OpenSSL for a certificate that is not trusted. */
const certificate = /CERT|SELF_SIGNED|UNABLE_TO_|^ERR_TLS|^ERR_SSL|^EPROTO$/

export function failureOf(error: Error): HttpFailure {
  // A host with several addresses fails with one error for each.
  const one = error instanceof AggregateError ? (error.errors[0] as Error) : error
  const code = codeOf(one)
  if (Object.hasOwn(known, code)) return known[code] as HttpFailure
  if (certificate.test(code)) return { failed: 'certificate', reason: `TLS failed: ${reason(one)}` }
  if (one.name === 'HTTPParserError') {
    const why = /\((.*)\)$/s.exec(one.message)?.[1] ?? one.message
    return { failed: 'response', reason: `the response is not valid HTTP: ${why}` }
  }
  return { failed: 'connection', reason: reason(one) }
}
