/** Reads a curl command line as a request. Credentials in it become names of variables. */
import { nearest } from '../../text/nearest.ts'
import {
  type CurlConnection,
  certificateFile,
  proxyAddress,
  resolvedHost,
} from './curl-connection.ts'
import { type CurlData, type DataBody, dataBody, encodedData, withData } from './curl-data.ts'
import { type CurlPart, formPart } from './curl-form-part.ts'
import { type CurlVariable, CurlVariables, hasReference } from './curl-variables.ts'
import { type HttpMethod, httpMethods } from './http-keys.ts'
import type { Header } from './http-text.ts'
import { type ShellWord, shellWords } from './shell-words.ts'

export interface CurlRequest {
  readonly method: HttpMethod
  readonly url: string
  /** Parameters to encode and add to the address. */
  readonly query: readonly Header[]
  readonly headers: readonly Header[]
  readonly body: CurlBody | undefined
  readonly followsRedirects: boolean
  readonly timeoutMs: number | undefined
  readonly connection: CurlConnection
  /** The variables it refers to. */
  readonly variables: ReadonlyMap<string, CurlVariable>
  /** Differences between curl and a case that the author should know. */
  readonly notes: readonly string[]
}

export type CurlBody =
  | DataBody
  | { readonly file: string }
  | { readonly parts: readonly CurlPart[] }

export interface RefusedCurl {
  readonly refused: string
  readonly hint: string
}

export function curlRequest(line: string): CurlRequest | RefusedCurl {
  // People copy the prompt too.
  const words = shellWords(line.replace(/^\s*\$\s+/, ''))
  if ('refused' in words) return { refused: `the line ${words.refused}`, hint: oneCommand }
  const reader = new CurlReader()
  const [program, ...rest] = words.map(word => reader.textOf(word))
  if (program === undefined || !/(?:^|\/)curl$/.test(program)) {
    return { refused: 'the line must start with curl', hint: oneCommand }
  }
  return reader.read(rest) ?? reader.request()
}

const oneCommand = "Pass one curl command in single quotes: --from-curl 'curl https://…'."

type Handler = (reader: CurlReader, value: string) => RefusedCurl | undefined

/** Options with a value, and what they do. */
const valued: Readonly<Record<string, Handler>> = {
  '--request': (reader, value) => reader.setMethod(value),
  '--header': (reader, value) => reader.header(value),
  '--user-agent': (reader, value) => reader.header(`User-Agent: ${value}`),
  '--referer': (reader, value) => reader.referer(value),
  '--data': (reader, value) => reader.data(value, true),
  '--data-ascii': (reader, value) => reader.data(value, true),
  '--data-binary': (reader, value) => reader.data(value),
  '--data-raw': (reader, value) => reader.text(value),
  '--data-urlencode': (reader, value) => reader.encoded(value),
  '--url-query': (reader, value) => reader.parameter(value),
  '--json': (reader, value) => reader.json(value),
  '--form': (reader, value) => reader.part(value),
  '--form-string': (reader, value) => reader.partText(value),
  '--upload-file': (reader, value) => reader.upload(value),
  '--user': (reader, value) => reader.user(value),
  '--oauth2-bearer': (reader, value) => reader.header(`Authorization: Bearer ${value}`),
  '--cookie': (reader, value) => reader.cookie(value),
  '--url': (reader, value) => reader.url(value),
  '--max-time': (reader, value) => reader.maxTime(value),
  '--cacert': (reader, value) => reader.file('ca', value),
  '--cert': (reader, value) => reader.certificate(value),
  '--key': (reader, value) => reader.file('key', value),
  '--resolve': (reader, value) => reader.resolve(value),
  '--proxy': (reader, value) => reader.proxy(value),
}

const flags: Readonly<Record<string, (reader: CurlReader) => void>> = {
  '--location': reader => reader.follow(),
  '--insecure': reader => reader.trustAnyone(),
  '--get': reader => reader.asQuery(),
  '--head': reader => reader.asHead(),
  '--compressed': reader => reader.compressed(),
  '--globoff': reader => reader.withoutGlobs(),
}

/** Options that say what curl prints or keeps, not what it asks for. */
const ignoredValued = [
  '--output',
  '--output-dir',
  '--write-out',
  '--dump-header',
  '--cookie-jar',
  '--stderr',
  '--trace',
  '--trace-ascii',
  '--connect-timeout',
]
const ignoredFlags = [
  '--silent',
  '--show-error',
  '--verbose',
  '--include',
  '--show-headers',
  '--fail',
  '--fail-with-body',
  '--remote-name',
  '--remote-header-name',
  '--progress-bar',
  '--no-progress-meter',
  '--no-buffer',
  '--create-dirs',
  '--basic',
  '--http1.1',
]

const short: Readonly<Record<string, string>> = {
  X: '--request',
  H: '--header',
  A: '--user-agent',
  e: '--referer',
  d: '--data',
  F: '--form',
  T: '--upload-file',
  u: '--user',
  b: '--cookie',
  m: '--max-time',
  E: '--cert',
  x: '--proxy',
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
  K: '--config',
  n: '--netrc',
  U: '--proxy-user',
  Z: '--parallel',
  4: '--ipv4',
  6: '--ipv6',
  0: '--http1.0',
}

/** Options of curl without a counterpart, and what to do instead. */
const withoutCounterpart: Readonly<Record<string, string>> = {
  '--retry': 'Leave it out. In a case with requests, retry sends a request again.',
  '--max-redirs': 'Leave it out. A case follows up to 10 redirects.',
  '--next': 'Make one case of each request.',
  '--parallel': 'Make one case of each request.',
  '--config': 'Write the options of the file into the line.',
  '--netrc': 'Write the login into the line, as -u name:password.',
  '--netrc-file': 'Write the login into the line, as -u name:password.',
  '--proxy-user': 'Use a proxy that needs no login.',
  '--digest': 'Leave it out. A case sends -u as Basic.',
  '--ntlm': 'Leave it out. A case sends -u as Basic.',
  '--anyauth': 'Leave it out. A case sends -u as Basic.',
  '--http2': 'Leave it out. A case uses HTTP/1.1.',
  '--http3': 'Leave it out. A case uses HTTP/1.1.',
  '--http1.0': 'Leave it out. A case uses HTTP/1.1.',
  '--ipv4': 'Leave it out, or name the address with --resolve.',
  '--ipv6': 'Leave it out, or name the address with --resolve.',
  '--connect-to': 'Name the address with --resolve host:port:address.',
  '--unix-socket': 'Let the server listen on 127.0.0.1.',
  '--capath': 'Put the certificates into one file, and name it with --cacert.',
  '--pass': 'Use a key without a password.',
  '--location-trusted': 'Use --location. A case sends credentials to the first server only.',
}

const known = [...Object.keys(valued), ...Object.keys(flags), ...ignoredValued, ...ignoredFlags]

const takesValue = (option: string) =>
  Object.hasOwn(valued, option) || ignoredValued.includes(option)

class CurlReader {
  readonly #variables = new CurlVariables()
  readonly #headers: Header[] = []
  /** Headers that curl must not add, in lower case. */
  readonly #removed = new Set<string>()
  readonly #data: CurlData[] = []
  readonly #parameters: CurlData[] = []
  readonly #parts: CurlPart[] = []
  readonly #files: Record<string, string> = {}
  readonly #resolve: (readonly [string, string])[] = []
  readonly #notes: string[] = []
  #proxy: string | undefined
  #method: string | undefined
  #url: string | undefined
  #file: string | undefined
  #isUpload = false
  #isHead = false
  #isJson = false
  #asQuery = false
  #follows = false
  #isInsecure = false
  #isLiteral = false
  #timeoutMs: number | undefined

  textOf(word: ShellWord): string {
    return word
      .map(one => (typeof one === 'string' ? one : this.#variables.shell(one.variable)))
      .join('')
  }

  read(words: readonly string[]): RefusedCurl | undefined {
    const pending = [...words]
    for (let word = pending.shift(); word !== undefined; word = pending.shift()) {
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
      const shown = `-${word.charAt(at)}`
      const option = short[word.charAt(at)] ?? shown
      const attached = word.slice(at + 1)
      if (takesValue(option) && attached !== '') pending.unshift(attached)
      const refused = this.#apply(option, shown, pending)
      if (refused || takesValue(option)) return refused
    }
    return undefined
  }

  #apply(option: string, shown: string, pending: string[]): RefusedCurl | undefined {
    if (!known.includes(option)) return unknownOption(option, shown)
    if (!takesValue(option)) {
      flags[option]?.(this)
      return undefined
    }
    const value = pending.shift()
    if (value === undefined) {
      return { refused: `the option ${shown} has no value`, hint: 'Write it after the option.' }
    }
    return valued[option]?.(this, value)
  }

  setMethod(method: string): RefusedCurl | undefined {
    this.#method = method.toUpperCase()
    if (httpMethods.some(one => one === this.#method)) return undefined
    const list = httpMethods.join(', ')
    return { refused: `the method ${method} is not supported`, hint: `Use one of ${list}.` }
  }

  asHead(): void {
    this.#isHead = true
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

  withoutGlobs(): void {
    this.#isLiteral = true
  }

  /** Responses are decompressed in any case. */
  compressed(): void {
    this.#headers.push(['Accept-Encoding', 'gzip, deflate, br'])
  }

  url(text: string): RefusedCurl | undefined {
    if (this.#url !== undefined) return { refused: 'the line has two urls', hint: oneCommand }
    // curl takes a text without a scheme for http.
    const whole =
      /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || text.startsWith('{{') ? text : `http://${text}`
    if (!/^(?:https?:\/\/|\{\{)/i.test(whole)) {
      return { refused: 'the url is not http or https', hint: 'A case sends HTTP requests only.' }
    }
    const [, scheme = '', login, rest = ''] = /^([a-z]+:\/\/)([^/?#@]*)@(.*)$/is.exec(whole) ?? []
    this.#url = login === undefined ? whole : `${scheme}${rest}`
    if (login !== undefined) this.#login(decoded(login.includes(':') ? login : `${login}:`))
    return undefined
  }

  header(line: string): RefusedCurl | undefined {
    if (line.startsWith('@')) {
      return { refused: '-H reads headers from a file', hint: 'Write each header: -H name:value.' }
    }
    const at = line.indexOf(':')
    if (at < 0) {
      const name = /^([^\s;]+);$/.exec(line)?.[1]
      // `Name;` is an empty header.
      if (name !== undefined) this.#headers.push([name, ''])
      return undefined
    }
    const name = line.slice(0, at).trim()
    const value = line.slice(at + 1).trim()
    // `Name:` removes a header that curl would add.
    if (value === '') this.#removed.add(name.toLowerCase())
    else this.#headers.push([name, this.#variables.header(name, value)])
    return undefined
  }

  referer(text: string): RefusedCurl | undefined {
    if (!text.endsWith(';auto')) return this.header(`Referer: ${text}`)
    return { refused: '-e with ;auto is not supported', hint: 'Write the referer itself.' }
  }

  user(login: string): RefusedCurl | undefined {
    if (login.includes(':') || hasReference(login)) return this.#login(login)
    return {
      refused: '-u has no password, so curl would ask for it',
      hint: 'Write -u name:password, or -u "name:$PASSWORD" for a variable.',
    }
  }

  #login(login: string): undefined {
    const reference = this.#variables.hidden('Authorization', 'Authorization header', login, true)
    this.#headers.push(['Authorization', reference])
  }

  cookie(text: string): RefusedCurl | undefined {
    if (text.includes('=') || hasReference(text)) return this.header(`Cookie: ${text}`)
    return { refused: '-b reads cookies from a file', hint: 'Write them: -b name=value.' }
  }

  data(text: string, isStripped = false): RefusedCurl | undefined {
    if (!text.startsWith('@')) return this.text(text)
    if (isStripped) {
      this.#notes.push('curl -d removes line breaks from a file; the case sends it as it is')
    }
    return this.#fromFile(text.slice(1))
  }

  text(text: string): undefined {
    this.#data.push({ text })
  }

  encoded(text: string): RefusedCurl | undefined {
    const data = encodedData(text)
    if ('refused' in data) return data
    this.#data.push(data)
    return undefined
  }

  parameter(text: string): RefusedCurl | undefined {
    const data = text.startsWith('+') ? { text: text.slice(1) } : encodedData(text)
    if ('refused' in data) return data
    this.#parameters.push(data)
    return undefined
  }

  json(text: string): RefusedCurl | undefined {
    this.#isJson = true
    return this.data(text)
  }

  upload(path: string): RefusedCurl | undefined {
    this.#isUpload = true
    return this.#fromFile(path)
  }

  #fromFile(path: string): RefusedCurl | undefined {
    if (path === '-')
      return { refused: 'the body comes from stdin', hint: 'Name a file: -d @file.' }
    if (this.#file !== undefined) return severalBodies
    this.#file = path
    return undefined
  }

  part(text: string): RefusedCurl | undefined {
    const part = formPart(text)
    if ('refused' in part) return part
    const { name, value, isFile } = part
    this.#parts.push({ ...part, value: isFile ? value : this.#variables.field(name, value) })
    return undefined
  }

  partText(text: string): RefusedCurl | undefined {
    const at = text.indexOf('=')
    if (at <= 0) {
      return { refused: '--form-string must look like name=value', hint: 'Write both.' }
    }
    const name = text.slice(0, at)
    const value = this.#variables.field(name, text.slice(at + 1))
    this.#parts.push({ name, value, isFile: false, filename: undefined, type: undefined })
    return undefined
  }

  maxTime(text: string): RefusedCurl | undefined {
    const seconds = Number(text)
    if (!(seconds > 0)) {
      return { refused: '--max-time must be a number of seconds', hint: 'Write a number above 0.' }
    }
    this.#timeoutMs = Math.ceil(seconds * 1000)
    return undefined
  }

  file(key: string, path: string): undefined {
    this.#files[key] = path
  }

  certificate(text: string): RefusedCurl | undefined {
    const read = certificateFile(text)
    return 'refused' in read ? read : this.file('cert', read.path)
  }

  resolve(text: string): RefusedCurl | undefined {
    const pair = resolvedHost(text)
    if ('refused' in pair) return pair
    this.#resolve.push(pair)
    return undefined
  }

  proxy(text: string): RefusedCurl | undefined {
    const read = proxyAddress(text)
    if ('refused' in read) return read
    this.#proxy = read.proxy
    return undefined
  }

  request(): CurlRequest | RefusedCurl {
    const wrong = this.#flaw()
    if (wrong !== undefined) return wrong
    const variables = this.#variables
    const added = [...this.#parameters, ...(this.#asQuery ? this.#data : [])]
    const address = withData(this.#address, added, variables)
    if ('refused' in address) return address
    const headers = this.#allHeaders()
    const body = this.#body(headers)
    if (body && 'refused' in body) return body
    const { url, query } = address
    const connection = {
      insecure: this.#isInsecure,
      files: this.#files,
      resolve: this.#resolve,
      proxy: this.#proxy,
    }
    return {
      ...{ method: this.#methodFor(body), url, query, headers, body, connection },
      followsRedirects: this.#follows,
      timeoutMs: this.#timeoutMs,
      variables: variables.used(url, [query, headers, body, connection]),
      notes: this.#notes,
    }
  }

  /** A file that is sent to a folder keeps its name. */
  get #address(): string {
    const url = this.#url ?? ''
    const name = this.#file?.slice(this.#file.lastIndexOf('/') + 1) ?? ''
    const folder = /^[^?#]*\/(?=[?#]|$)/
    return this.#isUpload ? url.replace(folder, path => path + encodeURIComponent(name)) : url
  }

  #flaw(): RefusedCurl | undefined {
    const url = this.#url
    if (url === undefined) return { refused: 'the line has no url', hint: oneCommand }
    const isPattern = /\{[^{}]*\}|\[[^\]:]*\]/.test(url.replace(/\{\{[^{}]*\}\}/g, ''))
    if (isPattern && !this.#isLiteral) {
      return {
        refused: 'the url is a pattern for several requests',
        hint: 'Make one case of each request, or add -g if the brackets belong to the url.',
      }
    }
    if (this.#bodies.length > 1) return severalBodies
    return this.#asQuery && this.#bodies.some(kind => kind !== 'data')
      ? { refused: '-G needs its data in the line', hint: 'Write it with -d name=value.' }
      : undefined
  }

  get #bodies(): readonly string[] {
    return [
      ...(this.#data.length > 0 ? ['data'] : []),
      ...(this.#file === undefined ? [] : ['file']),
      ...(this.#parts.length > 0 ? ['parts'] : []),
    ]
  }

  get #hasBody(): boolean {
    return this.#bodies.length > 0 && !this.#asQuery
  }

  #methodFor(body: CurlBody | undefined): HttpMethod {
    const method = this.#method ?? (this.#isHead ? 'HEAD' : this.#isUpload ? 'PUT' : undefined)
    return (method ?? (body ? 'POST' : 'GET')) as HttpMethod
  }

  /** With those that curl adds to a body. A multipart body brings its own. */
  #allHeaders(): readonly Header[] {
    const lacks = (name: string) =>
      !this.#removed.has(name) && !this.#headers.some(([one]) => one.toLowerCase() === name)
    const hasType = this.#hasBody && this.#parts.length === 0 && !this.#isUpload
    // curl adds the boundary to this header, and a case writes all of it.
    const isReplaced = ([name, value]: Header) =>
      this.#parts.length > 0 &&
      name.toLowerCase() === 'content-type' &&
      /^multipart\/form-data\b/i.test(value)
    return [
      ...this.#headers.filter(header => !isReplaced(header)),
      ...(hasType && lacks('content-type')
        ? [['Content-Type', this.#isJson ? jsonType : formType] as const]
        : []),
      ...(this.#isJson && lacks('accept') ? [['Accept', jsonType] as const] : []),
    ]
  }

  #body(headers: readonly Header[]): CurlBody | RefusedCurl | undefined {
    if (!this.#hasBody) return undefined
    if (this.#file !== undefined) return { file: this.#file }
    if (this.#parts.length > 0) return { parts: this.#parts }
    const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
    return dataBody(this.#data, { type, isJoined: this.#isJson }, this.#variables)
  }
}

const formType = 'application/x-www-form-urlencoded'
const jsonType = 'application/json'

const severalBodies: RefusedCurl = {
  refused: 'the line has several kinds of body',
  hint: 'Use either data, one file or a form.',
}

function unknownOption(option: string, shown: string): RefusedCurl {
  const meant = nearest(option, known)
  const guess = meant === undefined ? 'Leave it out.' : `Did you mean ${meant}? Or leave it out.`
  const name = shown === option ? option : `${shown} (${option})`
  return { refused: `no case can do what ${name} does`, hint: withoutCounterpart[option] ?? guess }
}

function decoded(login: string): string {
  try {
    return decodeURIComponent(login)
  } catch {
    return login
  }
}
