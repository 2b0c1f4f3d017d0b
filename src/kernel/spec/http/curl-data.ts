/** The data of a curl line as a body, or as parameters of the address. */
import type { RefusedCurl } from './curl-command.ts'
import { type CurlVariables, hasReference, isSecretField } from './curl-variables.ts'
import { formBody, formDecoded, formEncoded } from './form-encoding.ts'
import type { Header } from './http-text.ts'

/** Text as it is sent, or a value that is encoded first. */
export type CurlData =
  | { readonly text: string }
  | { readonly name: string | undefined; readonly value: string }

export type DataBody =
  | { readonly text: string }
  | { readonly json: unknown }
  | { readonly fields: readonly Header[] }

/** `name=value` and `=value`, as `--data-urlencode` takes them. */
export function encodedData(text: string): CurlData | RefusedCurl {
  const at = text.search(/[=@]/)
  if (at >= 0 && text.charAt(at) === '@') {
    return { refused: '--data-urlencode reads a file', hint: 'Write the text itself.' }
  }
  if (at < 0) return { name: undefined, value: text }
  return { name: at === 0 ? undefined : text.slice(0, at), value: text.slice(at + 1) }
}

function textOf(data: CurlData): string {
  if ('text' in data) return data.text
  const name = data.name === undefined ? '' : `${data.name}=`
  return `${name}${formEncoded(data.value)}`
}

/** A variable must be filled in before it is encoded. */
const isEncodedLater = (data: CurlData) => 'value' in data && hasReference(data.value)

/** `type` is the Content-Type. */
export function dataBody(
  data: readonly CurlData[],
  { type, isJoined }: { readonly type: string; readonly isJoined: boolean },
  variables: CurlVariables,
): DataBody | RefusedCurl {
  const text = data.map(textOf).join(isJoined ? '' : '&')
  const isForm = /^application\/x-www-form-urlencoded$/i.test(type)
  if (data.some(isEncodedLater)) {
    const fields = isForm ? fieldsIn(data) : undefined
    const isExact = data.every(one => isEncodedLater(one) || !hasReference(textOf(one)))
    return fields && isExact ? { fields: hiddenFields(fields, variables) } : unclearData
  }
  if (/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) return jsonBody(text, variables)
  const fields = isForm ? fieldsIn(data) : undefined
  if (fields && formBody(grouped(fields)) === text) {
    return { fields: hiddenFields(fields, variables) }
  }
  return { text: hiddenIn(text, variables) }
}

const unclearData: RefusedCurl = {
  refused: '--data-urlencode has a variable beside data that is not name=value',
  hint: 'Use --data-urlencode name=value for each field.',
}

/** `undefined` if it is not a list of fields. */
function fieldsIn(data: readonly CurlData[]): readonly Header[] | undefined {
  const fields: Header[] = []
  for (const one of data) {
    if ('value' in one) {
      if (one.name === undefined) return undefined
      fields.push([formDecoded(one.name) ?? one.name, one.value])
      continue
    }
    for (const pair of one.text.split('&')) {
      const at = pair.indexOf('=')
      const [name, value] = [formDecoded(pair.slice(0, at)), formDecoded(pair.slice(at + 1))]
      if (at < 0 || name === undefined || value === undefined) return undefined
      fields.push([name, value])
    }
  }
  return fields
}

/** In the order in which a mapping sends them. */
export function grouped<T extends readonly [string, unknown]>(pairs: readonly T[]): readonly T[] {
  const names = [...new Set(pairs.map(([name]) => name))]
  return names.flatMap(name => pairs.filter(([one]) => one === name))
}

const hiddenFields = (fields: readonly Header[], variables: CurlVariables): readonly Header[] =>
  fields.map(([name, value]) => [name, variables.field(name, value)])

/** Fields of a form or a query, as they are sent. */
const hiddenIn = (text: string, variables: CurlVariables): string =>
  text.replace(
    /(^|[?&])([^=&?#\s]+)=([^&#\s]*)/g,
    (_, mark: string, name: string, value: string) =>
      `${mark}${name}=${variables.field(name, value)}`,
  )

/** Adds data to the address. What must be encoded later becomes a parameter of its own. */
export function withData(
  url: string,
  data: readonly CurlData[],
  variables: CurlVariables,
): { readonly url: string; readonly query: readonly Header[] } | RefusedCurl {
  // All that follows it too, so that the order stays.
  const at = data.findIndex(isEncodedLater)
  const query = at < 0 ? [] : fieldsIn(data.slice(at))
  if (query === undefined) return unclearData
  const [, start = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(url) ?? []
  const added = (at < 0 ? data : data.slice(0, at)).map(textOf)
  const mark = start.includes('?') ? (/[?&]$/.test(start) ? '' : '&') : '?'
  const whole = `${start}${added.length === 0 ? '' : mark}${added.join('&')}`
  const [, path = '', parameters = ''] = /^([^?]*)(.*)$/s.exec(whole) ?? []
  return {
    url: `${path}${hiddenIn(parameters, variables)}${fragment}`,
    query: hiddenFields(query, variables),
  }
}

function jsonBody(text: string, variables: CurlVariables): DataBody {
  const read = exactJson(text)
  if (read !== undefined) return { json: hiddenJson(read.value, variables) }
  const shown = text.replace(
    /("((?:[^"\\]|\\.)*)"\s*:\s*")((?:[^"\\]|\\.)*)(?=")/g,
    (_, start: string, name: string, value: string) => start + variables.field(name, value),
  )
  return { text: shown }
}

/** `undefined` if writing it as YAML would change a number or lose a key. White space may change. */
function exactJson(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text.replace(spaceOutsideTexts, '$1') ? { value } : undefined
  } catch {
    return undefined
  }
}

const spaceOutsideTexts = /("(?:[^"\\]|\\.)*")|\s+/g

function hiddenJson(value: unknown, variables: CurlVariables, name = ''): unknown {
  if (typeof value === 'string') return isSecretField(name) ? variables.field(name, value) : value
  if (Array.isArray(value)) return value.map(one => hiddenJson(one, variables, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, hiddenJson(one, variables, key)]),
  )
}
