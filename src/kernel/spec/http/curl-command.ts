/** Reads a curl command line as a request. Credentials in it become names of variables. */
import { nearest } from '../../text/nearest.ts'
import { formEncoded } from './form-encoding.ts'
import { type ShellWord, shellWords } from './shell-words.ts'

export interface CurlRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: CurlBody | undefined
  readonly followsRedirects: boolean
  readonly isInsecure: boolean
  readonly timeoutMs: number | undefined
  /** Values that the document must not contain, by the name under which it refers to them. */
  readonly secrets: ReadonlyMap<string, CurlSecret>
}

export type CurlBody =
  | { readonly text: string }
  | { readonly file: string }
  | { readonly parts: readonly CurlPart[] }

export interface CurlPart {
  readonly name: string
  /** The text, or the path of a file. */
  readonly value: string
  readonly isFile: boolean
  readonly filename: string | undefined
  readonly type: string | undefined
}

export interface CurlSecret {
  /** What it is, to follow "the": `Authorization header`. */
  readonly what: string
  /** `undefined` if the line names a variable of the shell. */
  readonly value: string | undefined
}

export interface RefusedCurl {
  readonly refused: string
  readonly hint?: string
}

/** `{{var.NAME}}`, the way a case refers to a variable of the run. */
const reference = (name: string) => `{{var.${name}}}`

export function curlRequest(line: string): CurlRequest | RefusedCurl {
  const words = shellWords(line)
  if ('refused' in words) return { refused: `the line ${words.refused}`, hint: oneCommand }
  const reader = new CurlReader()
  const [program, ...rest] = words.map(word => reader.textOf(word))
  if (program === undefined || !/(?:^|\/)curl$/.test(program)) {
    return { refused: 'the line must start with curl', hint: oneCommand }
  }
  const refused = reader.read(rest)
  return refused ?? reader.request()
}

const oneCommand = "Pass one curl command in single quotes: --from-curl 'curl https://…'."

type Handler = (reader: CurlReader, value: string) => RefusedCurl | undefined

/** Options with a value, and what they do. */
const valued: Readonly<Record<string, Handler>> = {
  '--request': (reader, value) => reader.setMethod(value),
  '--header': (reader, value) => reader.header(value),
  '--user-agent': (reader, value) => reader.header(`User-Agent: ${value}`),
  '--referer': (reader, value) => reader.header(`Referer: ${value}`),
  '--data': (reader, value) => reader.data(value),
  '--data-ascii': (reader, value) => reader.data(value),
  '--data-binary': (reader, value) => reader.data(value),
  '--data-raw': (reader, value) => reader.text(value),
  '--data-urlencode': (reader, value) => reader.urlencoded(value),
  '--json': (reader, value) => reader.json(value),
  '--form': (reader, value) => reader.part(value),
  '--form-string': (reader, value) => reader.partText(value),
  '--user': (reader, value) => reader.user(value),
  '--oauth2-bearer': (reader, value) => reader.header(`Authorization: Bearer ${value}`),
  '--cookie': (reader, value) => reader.cookie(value),
  '--url': (reader, value) => reader.url(value),
  '--max-time': (reader, value) => reader.maxTime(value),
}

const flags: Readonly<Record<string, (reader: CurlReader) => void>> = {
  '--location': reader => reader.follow(),
  '--insecure': reader => reader.trustAnyone(),
  '--get': reader => reader.asQuery(),
  '--head': reader => reader.setMethod('HEAD'),
}

/** Options that say how curl prints or connects, not what it asks for. */
const ignoredValued = [
  '--output',
  '--output-dir',
  '--write-out',
  '--dump-header',
  '--connect-timeout',
  '--retry',
  '--retry-delay',
  '--retry-max-time',
  '--cookie-jar',
  '--max-redirs',
  '--stderr',
  '--trace',
  '--trace-ascii',
]
const ignoredFlags = [
  '--silent',
  '--show-error',
  '--verbose',
  '--include',
  '--show-headers',
  '--fail',
  '--fail-with-body',
  '--compressed',
  '--remote-name',
  '--remote-header-name',
  '--progress-bar',
  '--no-progress-meter',
  '--no-buffer',
  '--globoff',
  '--basic',
  '--http1.1',
  '--http2',
  '--ipv4',
  '--ipv6',
  '--path-as-is',
]

const short: Readonly<Record<string, string>> = {
  X: '--request',
  H: '--header',
  A: '--user-agent',
  e: '--referer',
  d: '--data',
  F: '--form',
  u: '--user',
  b: '--cookie',
  m: '--max-time',
  L: '--location',
  k: '--insecure',
  G: '--get',
  I: '--head',
  o: '--output',
  w: '--write-out',
  D: '--dump-header',
  c: '--cookie-jar',
  s: '--silent',
  S: '--show-error',
  v: '--verbose',
  i: '--include',
  f: '--fail',
  O: '--remote-name',
  J: '--remote-header-name',
  N: '--no-buffer',
  g: '--globoff',
  '#': '--progress-bar',
  4: '--ipv4',
  6: '--ipv6',
}

const known = [...Object.keys(valued), ...Object.keys(flags), ...ignoredValued, ...ignoredFlags]

const takesValue = (option: string) =>
  Object.hasOwn(valued, option) || ignoredValued.includes(option)

/** Headers whose values are credentials. */
const secretHeader =
  /^(?:(?:proxy-)?authorization|cookie|.*(?:token|secret|api-?key|password|credential).*)$/i

class CurlReader {
  readonly #secrets = new Map<string, CurlSecret>()
  readonly #headers: (readonly [string, string])[] = []
  readonly #data: string[] = []
  readonly #parts: CurlPart[] = []
  #method: string | undefined
  #url: string | undefined
  #file: string | undefined
  #isJson = false
  #asQuery = false
  #follows = false
  #isInsecure = false
  #timeoutMs: number | undefined

  /** A variable of the shell is a secret: its value is not in the line. */
  textOf(word: ShellWord): string {
    const parts = word.map(one => {
      if (typeof one === 'string') return one
      this.#secrets.set(one.variable, { what: `variable ${one.variable}`, value: undefined })
      return reference(one.variable)
    })
    return parts.join('')
  }

  read(words: readonly string[]): RefusedCurl | undefined {
    const pending = [...words]
    for (let word = pending.shift(); word !== undefined; word = pending.shift()) {
      if (word === '--next') return { refused: '--next starts a second request' }
      const refused =
        word.startsWith('-') && word !== '-' ? this.#option(word, pending) : this.url(word)
      if (refused) return refused
    }
    return undefined
  }

  #option(word: string, pending: string[]): RefusedCurl | undefined {
    if (word.startsWith('--')) return this.#apply(word, word, pending)
    // `-sXPOST` is `-s -X POST`.
    for (let at = 1; at < word.length; at++) {
      const option = short[word.charAt(at)]
      if (option === undefined) return unknownOption(`-${word.charAt(at)}`)
      if (!takesValue(option)) {
        flags[option]?.(this)
        continue
      }
      const attached = word.slice(at + 1)
      if (attached !== '') pending.unshift(attached)
      return this.#apply(option, `-${word.charAt(at)}`, pending)
    }
    return undefined
  }

  #apply(option: string, shown: string, pending: string[]): RefusedCurl | undefined {
    if (!known.includes(option)) return unknownOption(option)
    if (!takesValue(option)) {
      flags[option]?.(this)
      return undefined
    }
    const value = pending.shift()
    if (value === undefined) return { refused: `the option ${shown} has no value` }
    return valued[option]?.(this, value) ?? undefined
  }

  setMethod(method: string): undefined {
    this.#method = method.toUpperCase()
  }

  follow(): void {
    this.#follows = true
  }

  trustAnyone(): void {
    this.#isInsecure = true
  }

  asQuery(): void {
    this.#asQuery = true
  }

  url(text: string): RefusedCurl | undefined {
    if (this.#url !== undefined) return { refused: 'the line has two urls', hint: oneCommand }
    // curl takes a text without a scheme for http.
    const whole =
      /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || text.startsWith('{{') ? text : `http://${text}`
    const [, scheme = '', login, rest = ''] = /^([a-z]+:\/\/)([^/?#@]*)@(.*)$/is.exec(whole) ?? []
    this.#url = login === undefined ? whole : `${scheme}${rest}`
    if (login !== undefined) this.user(decoded(login))
    return undefined
  }

  header(line: string): RefusedCurl | undefined {
    if (line.startsWith('@')) return { refused: `-H ${line} reads headers from a file` }
    const at = line.indexOf(':')
    // `Name;` is an empty header, and `Name:` removes one that curl would add.
    if (at < 0) {
      if (/^[^\s;]+;$/.test(line)) this.#headers.push([line.slice(0, -1), ''])
      return undefined
    }
    const name = line.slice(0, at).trim()
    const value = line.slice(at + 1).trim()
    if (value !== '') this.#headers.push([name, this.#hidden(name, value)])
    return undefined
  }

  /** A literal credential becomes a reference. One that the line takes from a variable is one. */
  #hidden(name: string, value: string): string {
    if (!secretHeader.test(name) || value.includes('{{var.')) return value
    const variable = name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')
    this.#secrets.set(variable, { what: `${name} header`, value })
    return reference(variable)
  }

  user(login: string): undefined {
    const variable = 'AUTHORIZATION'
    if (login.includes('{{var.')) {
      const value = undefined
      this.#secrets.set(variable, { what: 'Authorization header, `Basic` and base64', value })
      for (const name of this.#secrets.keys())
        if (login.includes(reference(name))) this.#secrets.delete(name)
      this.#headers.push(['Authorization', reference(variable)])
      return
    }
    const value = `Basic ${base64(login.includes(':') ? login : `${login}:`)}`
    this.#headers.push(['Authorization', this.#hidden('Authorization', value)])
  }

  cookie(text: string): RefusedCurl | undefined {
    if (!text.includes('=')) return { refused: `-b ${text} reads cookies from a file` }
    return this.header(`Cookie: ${text}`)
  }

  data(text: string): RefusedCurl | undefined {
    return text.startsWith('@') ? this.#fromFile(text.slice(1)) : this.text(text)
  }

  text(text: string): undefined {
    this.#data.push(text)
  }

  json(text: string): RefusedCurl | undefined {
    this.#isJson = true
    return this.data(text)
  }

  #fromFile(path: string): RefusedCurl | undefined {
    if (path === '-')
      return { refused: 'the body comes from stdin', hint: 'Name a file: -d @file.' }
    if (this.#file !== undefined) return { refused: 'the line has two body files' }
    this.#file = path
    return undefined
  }

  urlencoded(text: string): RefusedCurl | undefined {
    const at = text.search(/[=@]/)
    if (at >= 0 && text.charAt(at) === '@') {
      return { refused: `--data-urlencode ${text} reads a file`, hint: 'Write the text itself.' }
    }
    if (at < 0) return this.text(formEncoded(text))
    const name = text.slice(0, at)
    return this.text(`${name}${name === '' ? '' : '='}${formEncoded(text.slice(at + 1))}`)
  }

  part(text: string): RefusedCurl | undefined {
    const at = text.indexOf('=')
    if (at <= 0) return { refused: `-F ${text} must look like name=value` }
    const [value = '', ...settings] = text.slice(at + 1).split(';')
    if (value.startsWith('<')) return { refused: `-F ${text} reads a text from a file` }
    const setting = (key: string) =>
      settings
        .find(one => one.trim().startsWith(`${key}=`))
        ?.trim()
        .slice(key.length + 1)
    const isFile = value.startsWith('@')
    this.#parts.push({
      name: text.slice(0, at),
      value: isFile ? value.slice(1) : value,
      isFile,
      filename: setting('filename'),
      type: setting('type'),
    })
    return undefined
  }

  partText(text: string): RefusedCurl | undefined {
    const at = text.indexOf('=')
    if (at <= 0) return { refused: `--form-string ${text} must look like name=value` }
    const [name, value] = [text.slice(0, at), text.slice(at + 1)]
    this.#parts.push({ name, value, isFile: false, filename: undefined, type: undefined })
    return undefined
  }

  maxTime(text: string): RefusedCurl | undefined {
    const seconds = Number(text)
    if (!(seconds > 0)) return { refused: `--max-time ${text} must be a number of seconds` }
    this.#timeoutMs = Math.ceil(seconds * 1000)
    return undefined
  }

  request(): CurlRequest | RefusedCurl {
    if (this.#url === undefined) return { refused: 'the line has no url', hint: oneCommand }
    const kinds = [this.#data.length > 0, this.#file !== undefined, this.#parts.length > 0]
    if (kinds.filter(Boolean).length > 1) return { refused: 'the line has several kinds of body' }
    if (this.#asQuery && (kinds[1] || kinds[2])) return { refused: '-G needs its data in the line' }
    const hasBody = kinds.some(Boolean) && !this.#asQuery
    return {
      method: this.#method ?? (hasBody ? 'POST' : 'GET'),
      url: this.#asQuery ? withQuery(this.#url, this.#data) : this.#url,
      headers: [...this.#headers, ...this.#addedHeaders(hasBody)],
      body: hasBody ? this.#body() : undefined,
      followsRedirects: this.#follows,
      isInsecure: this.#isInsecure,
      timeoutMs: this.#timeoutMs,
      secrets: this.#secrets,
    }
  }

  /** The headers that curl adds to a body. A multipart body brings its own. */
  #addedHeaders(hasBody: boolean): readonly (readonly [string, string])[] {
    const lacks = (name: string) => !this.#headers.some(([one]) => one.toLowerCase() === name)
    const form = this.#isJson ? 'application/json' : 'application/x-www-form-urlencoded'
    const added: (readonly [string, string])[] = []
    if (hasBody && this.#parts.length === 0 && lacks('content-type'))
      added.push(['Content-Type', form])
    if (this.#isJson && lacks('accept')) added.push(['Accept', 'application/json'])
    return added
  }

  #body(): CurlBody {
    if (this.#file !== undefined) return { file: this.#file }
    if (this.#parts.length > 0) return { parts: this.#parts }
    return { text: this.#data.join(this.#isJson ? '' : '&') }
  }
}

function unknownOption(option: string): RefusedCurl {
  const meant = nearest(option, known)
  const hint =
    meant === undefined ? 'Leave it out.' : `Did you mean ${meant}? Otherwise leave it out.`
  return { refused: `the option ${option} is not supported`, hint }
}

function withQuery(url: string, data: readonly string[]): string {
  if (data.length === 0) return url
  const [, path = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(url) ?? []
  return `${path}${path.includes('?') ? '&' : '?'}${data.join('&')}${fragment}`
}

function decoded(login: string): string {
  try {
    return decodeURIComponent(login)
  } catch {
    return login
  }
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Of the text's UTF-8 bytes. The kernel has no Buffer. */
export function base64(text: string): string {
  const bytes = utf8Bytes(text)
  let encoded = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.slice(at, at + 3)
    const word = (a << 16) | (b << 8) | c
    const four = [18, 12, 6, 0].map(shift => digits.charAt((word >> shift) & 63)).join('')
    const used = Math.min(3, bytes.length - at) + 1
    encoded += four.slice(0, used).padEnd(4, '=')
  }
  return encoded
}

const utf8Bytes = (text: string): readonly number[] =>
  [...encodeURIComponent(text.toWellFormed()).matchAll(/%([0-9A-F]{2})|(.)/g)].map(
    ([, hex, one = '']) => (hex === undefined ? one.charCodeAt(0) : Number.parseInt(hex, 16)),
  )
