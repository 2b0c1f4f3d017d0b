/** Writes an `api.http` case from a request that was read from a curl line. */
import type { CurlBody, CurlRequest } from '../http/curl-command.ts'
import type { CurlConnection } from '../http/curl-connection.ts'
import type { CurlPart } from '../http/curl-form-part.ts'
import { caseText } from './recorded-case.ts'

export interface NamedCurl {
  readonly id: string
  readonly title: string
  readonly request: CurlRequest
}

/** The YAML of the case. Without a status, it expects one below 400. */
export function curlCase({ id, title, request }: NamedCurl, status?: number): string {
  const { method, url, query, headers, body, followsRedirects, timeoutMs, connection } = request
  const written = bodyOf(body)
  const kept = headers.filter(([name, value]) => !isImplied(name, value, written.type))
  const limit = status === undefined ? { 'std.logic.lt': [subject, 400] } : undefined
  return caseText({
    id,
    title,
    type: 'api.http',
    harness: { api_http: { mode: 'live', ...connectionOf(connection) } },
    request: {
      method,
      url,
      ...(query.length > 0 && { query: listed(query) }),
      ...(kept.length > 0 && { headers: listed(kept) }),
      ...written.keys,
      // curl follows no redirect unless it is told to.
      ...(!followsRedirects && { redirects: 'manual' }),
      ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
    },
    assert: [
      {
        target: 'status_code',
        must: [{ evaluate: [limit ?? { 'std.logic.eq': [subject, status] }] }],
      },
    ],
  })
}

const subject = { var: 'subject' }

/** A name that occurs again gets a list. */
function listed<T>(pairs: readonly (readonly [string, T])[]): Readonly<Record<string, unknown>> {
  const values = new Map<string, T[]>()
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value])
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length > 1 ? all : all[0]]))
}

interface WrittenBody {
  readonly keys: Readonly<Record<string, unknown>>
  /** The Content-Type that follows from the keys. */
  readonly type?: string
}

function bodyOf(body: CurlBody | undefined): WrittenBody {
  if (body === undefined) return { keys: {} }
  if ('file' in body) return { keys: { body_file: body.file } }
  if ('text' in body) return { keys: { body_text: body.text } }
  if ('json' in body) return { keys: { body_json: body.json }, type: 'application/json' }
  if ('fields' in body) {
    return { keys: { form: listed(body.fields) }, type: 'application/x-www-form-urlencoded' }
  }
  const parts = body.parts.map(part => [part.name, partOf(part)] as const)
  return { keys: { multipart: listed(parts) } }
}

const isImplied = (name: string, value: string, type: string | undefined): boolean =>
  name.toLowerCase() === 'content-type' && value.toLowerCase() === type

function partOf({ value, isFile, filename, type }: CurlPart): unknown {
  if (!isFile && filename === undefined && type === undefined) return value
  return {
    [isFile ? 'file' : 'text']: value,
    ...(filename !== undefined && { filename }),
    ...(type !== undefined && { content_type: type }),
  }
}

function connectionOf({ insecure, files, resolve, proxy }: CurlConnection): object {
  const tls = { ...files, ...(insecure && { insecure }) }
  return {
    ...(Object.keys(tls).length > 0 && { tls }),
    ...(resolve.length > 0 && { resolve: Object.fromEntries(resolve) }),
    ...(proxy !== undefined && { proxy }),
  }
}

/** The same request with other paths. */
export function withFiles(request: CurlRequest, placed: (path: string) => string): CurlRequest {
  const { body, connection } = request
  const files = Object.fromEntries(
    Object.entries(connection.files).map(([key, path]) => [key, placed(path)]),
  )
  return {
    ...request,
    connection: { ...connection, files },
    body: body && placedBody(body, placed),
  }
}

function placedBody(body: CurlBody, placed: (path: string) => string): CurlBody {
  if ('file' in body) return { file: placed(body.file) }
  if (!('parts' in body)) return body
  // A part is sent under the name that curl sends.
  const parts = body.parts.map(part =>
    part.isFile ? { ...part, value: placed(part.value) } : part,
  )
  return { parts }
}
