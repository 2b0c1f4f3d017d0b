/**
 * A request as a curl command, for people who want to repeat it. It shows no credentials: those and
 * the variables of the run are variables of the shell. `spec create --from-curl` reads it back.
 */
import { shellWord as plainWord } from '../../text/shell-word.ts'
import { hasReference, isWithoutSecret, reference } from './curl-variables.ts'
import { formDecoded } from './form-encoding.ts'
import type { ConnectionRule } from './http-connection.ts'
import { type HttpRequest, timeoutMsDefault } from './http-request.ts'
import type { Header } from './http-text.ts'
import type { Content, MultipartPart, RequestBody } from './request-body.ts'

/** A failure shows the start of a longer body: its line is for reading. */
export const bodyCharsMax = 400

interface LineSetting {
  readonly connection?: ConnectionRule
  /** The length at which the body is cut. By default it is whole. */
  readonly bodyChars?: number
}

export function curlLine(request: HttpRequest, setting: LineSetting = {}): string {
  const { method, headers, body, followsRedirects, timeoutMs } = request
  const { url, parameters } = splitUrl(request.url)
  const words = [
    'curl',
    ...(method === 'HEAD' ? ['--head'] : method === 'GET' && !body ? [] : ['-X', method]),
    ...(followsRedirects ? ['--location'] : []),
    ...(timeoutMs === timeoutMsDefault ? [] : ['--max-time', `${timeoutMs / 1000}`]),
    ...(setting.connection ? connectionWords(setting.connection, url) : []),
    ...headers.flatMap(header => ['-H', headerWord(header)]),
    ...bodyWords(body, setting.bodyChars ?? Number.POSITIVE_INFINITY),
    ...parameters.flatMap(one => ['--url-query', shellWord(one)]),
    shellWord(url),
  ]
  return words.join(' ')
}

/** Headers that always hold a credential. */
const credentials: readonly string[] = ['authorization', 'proxy-authorization', 'cookie']

function headerWord([name, value]: Header): string {
  const isHidden = credentials.includes(name.toLowerCase()) && !isWithoutSecret(name, value)
  const shown = isHidden ? reference(name.toUpperCase().replaceAll('-', '_')) : value
  // For curl, `Name:` removes a header.
  return shellWord(shown === '' ? `${name};` : `${name}: ${shown}`)
}

/** A reference in a value that is encoded before it is sent. */
const encodedReference = /%7B%7B(var\.\w+)%7D%7D/

/** `name=value` with the value as it was before it was encoded. */
function decodedPair(pair: string): string {
  const at = pair.indexOf('=') + 1
  return pair.slice(0, at) + (formDecoded(pair.slice(at)) ?? pair.slice(at))
}

/** Parameters with a reference, and those behind them, are encoded by curl. */
function splitUrl(url: string): { readonly url: string; readonly parameters: readonly string[] } {
  const [, start = '', query = '', fragment = ''] = /^([^?#]*\??)([^#]*)(.*)$/s.exec(url) ?? []
  const pairs = query.split('&')
  const at = pairs.findIndex(pair => encodedReference.test(pair))
  if (at < 0) return { url, parameters: [] }
  const kept = pairs.slice(0, at).join('&')
  const address = kept === '' ? start.replace(/\?$/, '') : `${start}${kept}`
  return { url: `${address}${fragment}`, parameters: pairs.slice(at).map(decodedPair) }
}

function bodyWords(body: RequestBody | undefined, charsMax: number): readonly string[] {
  if (body === undefined) return []
  if ('parts' in body) return body.parts.flatMap(partWords)
  if ('text' in body && /^[^=&\s]+=/.test(body.text) && encodedReference.test(body.text)) {
    const pairs = body.text.split('&').map(decodedPair)
    return pairs.flatMap(pair => ['--data-urlencode', shellWord(pair)])
  }
  return ['--data-binary', contentWord(body, charsMax)]
}

/** Files are relative to the contract root. */
const shownFile = (path: string) => path.replace(/^\//, '')

function partWords({ name, content, filename, contentType }: MultipartPart): readonly string[] {
  if ('text' in content && filename === undefined && contentType === undefined) {
    return ['--form-string', shellWord(`${name}=${content.text}`)]
  }
  const value =
    'text' in content ? quoted(content.text) : `@${quotedIfNeeded(shownFile(content.file))}`
  const settings = [
    ...(filename === undefined ? [] : [`filename=${quotedIfNeeded(filename)}`]),
    ...(contentType === undefined ? [] : [`type=${contentType}`]),
  ]
  return ['--form', shellWord([`${name}=${value}`, ...settings].join(';'))]
}

const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`

const quotedIfNeeded = (text: string) => (/[";,]/.test(text) ? quoted(text) : text)

/** Form fields that hold a credential. */
const secretField = /\b(client_secret|password|access_token|refresh_token)=([^&\s]*)/g

function contentWord(content: Content, charsMax: number): string {
  if ('file' in content) return shellWord(`@${shownFile(content.file)}`)
  const text = content.text.replace(secretField, (whole, name: string, value: string) =>
    hasReference(value) ? whole : `${name}=${reference('SECRET')}`,
  )
  return shellWord(text.length <= charsMax ? text : `${text.slice(0, charsMax)}…`)
}

function connectionWords(
  { files, insecure, resolve, proxy }: ConnectionRule,
  url: string,
): readonly string[] {
  const options = { ca: '--cacert', cert: '--cert', key: '--key' } as const
  return [
    ...(insecure ? ['--insecure'] : []),
    ...files.flatMap(([key, path]) => [options[key], shellWord(shownFile(path))]),
    ...[...resolve].flatMap(([host, to]) => [
      '--resolve',
      shellWord(`${host.includes(':') ? host : `${host}:${portOf(url)}`}:${to}`),
    ]),
    ...(proxy === undefined ? [] : ['--proxy', shellWord(proxy)]),
  ]
}

/** curl needs one where a case means any. */
function portOf(url: string): string {
  const [, scheme, port] = /^(https?):\/\/[^/?#]*?(?::(\d+))?(?:[/?#]|$)/i.exec(url) ?? []
  return port ?? (scheme?.toLowerCase() === 'https' ? '443' : '80')
}

/** A reference that a shell can have as a variable. */
const shellReference = /\{\{\s*var\.([A-Za-z_]\w*)\s*\}\}/g

/** One word of a POSIX shell. Double quotes where the shell fills in a variable. */
function shellWord(text: string): string {
  const pieces = text.split(shellReference)
  if (pieces.length === 1) return plainWord(text)
  const shown = pieces.map((piece, at) => {
    if (at % 2 === 0) return piece.replace(/[\\"$`]/g, '\\$&')
    return /^\w/.test(pieces[at + 1] ?? '') ? `\${${piece}}` : `$${piece}`
  })
  return `"${shown.join('')}"`
}
