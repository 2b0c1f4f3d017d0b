/** Reads one part of a multipart form, as `-F` of curl takes it: `name=@file;type=text/csv`. */
import type { RefusedCurl } from './curl-command.ts'

export interface CurlPart {
  readonly name: string
  /** The text, or the path of a file. */
  readonly value: string
  readonly isFile: boolean
  readonly filename: string | undefined
  readonly type: string | undefined
}

/** The types that curl derives from the name of a file. Any other file has none of its own. */
const typeByEnding: Readonly<Record<string, string>> = {
  gif: 'image/gif',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  htm: 'text/html',
  html: 'text/html',
  pdf: 'application/pdf',
  xml: 'application/xml',
}

export function formPart(text: string): CurlPart | RefusedCurl {
  const at = text.indexOf('=')
  if (at <= 0) return { refused: '-F must look like name=value', hint: 'Write both.' }
  // Without the value, which may be a credential.
  const refused = (why: string, hint: string) => ({
    refused: `-F ${text.slice(0, at)} ${why}`,
    hint,
  })
  const content = text.slice(at + 1)
  if (content.startsWith('<')) {
    return refused('reads the text from a file', 'Write the text itself, or send the file with @.')
  }
  const isFile = content.startsWith('@')
  const [first = '', ...settings] = segments(isFile ? content.slice(1) : content)
  const value = unquoted(first)
  if (isFile && value === '-') return refused('reads stdin', 'Name a file.')
  if (isFile && !first.startsWith('"') && value.includes(',')) {
    return refused('sends several files', 'Use -F once for each file.')
  }
  let [type, filename]: [string | undefined, string | undefined] = [undefined, undefined]
  for (const one of settings) {
    const [, key = '', set = ''] = /^\s*(\w+)=(.*)$/s.exec(one) ?? []
    if (key === 'type') type = unquoted(set.trim())
    else if (key === 'filename') filename = unquoted(set.trim())
    else if (key === 'headers' || key === 'encoder') return refused(`sets ${key}`, 'Leave it out.')
    // A parameter of the type: `type=text/plain; charset=utf-8`.
    else if (type !== undefined) type += `;${one}`
  }
  const ending = /\.(\w+)$/.exec(filename ?? value)?.[1]?.toLowerCase() ?? ''
  return {
    name: text.slice(0, at),
    value,
    isFile,
    filename,
    type: type ?? (isFile ? typeByEnding[ending] : undefined),
  }
}

/** Separated by `;` outside quotes. */
const segments = (text: string): readonly string[] =>
  text.match(/(?:^|;)(?:\s*(?:\w+=)?"(?:[^"\\]|\\.)*"\s*|[^;]*)(?=;|$)/gs)?.map(withoutMark) ?? []

const withoutMark = (text: string) => text.replace(/^;/, '')

function unquoted(text: string): string {
  const inner = /^\s*"((?:[^"\\]|\\.)*)"\s*$/s.exec(text)?.[1]
  return inner === undefined ? text : inner.replace(/\\(["\\])/g, '$1')
}
