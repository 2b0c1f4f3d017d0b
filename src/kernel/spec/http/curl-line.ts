/** A request as a curl command, for people who want to repeat it. It shows no credentials. */
import type { HttpRequest } from './http-request.ts'
import type { Header } from './http-text.ts'
import type { Content, RequestBody } from './request-body.ts'

/** Longer bodies are cut: the line is for reading. */
const bodyCharsMax = 400

export function curlLine({ method, url, headers, body, followsRedirects }: HttpRequest): string {
  const words = [
    'curl',
    ...(method === 'HEAD' ? ['--head'] : method === 'GET' && !body ? [] : ['-X', method]),
    ...(followsRedirects ? ['--location'] : []),
    ...headers.flatMap(header => ['-H', headerWord(header)]),
    ...bodyWords(body),
    shellWord(url),
  ]
  return words.join(' ')
}

/** Headers whose values identify somebody, with the word that stands for the value. */
const credentials: Readonly<Record<string, string>> = {
  authorization: '$AUTHORIZATION',
  'proxy-authorization': '$PROXY_AUTHORIZATION',
  cookie: '$COOKIE',
}

/** Double quotes where the shell fills in a variable. */
function headerWord([name, value]: Header): string {
  const hidden = credentials[name.toLowerCase()]
  return hidden === undefined ? shellWord(`${name}: ${value}`) : `"${name}: ${hidden}"`
}

function bodyWords(body: RequestBody | undefined): readonly string[] {
  if (body === undefined) return []
  if (!('parts' in body)) return ['--data-binary', contentWord(body, '@')]
  return body.parts.flatMap(({ name, content, filename, contentType }) => {
    if ('text' in content) return ['--form-string', shellWord(`${name}=${content.text}`)]
    const type = contentType === undefined ? '' : `;type=${contentType}`
    const file = `${name}=@${content.file.slice(1)};filename=${filename}${type}`
    return ['--form', shellWord(file)]
  })
}

/** Form fields that hold a credential. */
const secretField = /\b(client_secret|password|access_token|refresh_token)=[^&\s]*/g

/** Files are relative to the contract root. */
function contentWord(content: Content, mark: string): string {
  if ('file' in content) return shellWord(`${mark}${content.file.slice(1)}`)
  const text = content.text.replace(secretField, '$1=$$SECRET')
  return shellWord(text.length <= bodyCharsMax ? text : `${text.slice(0, bodyCharsMax)}…`)
}

/** One word of a POSIX shell. */
const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
