/** Cross-origin requests: the headers that a browser would send, and what the answer allows. */
import type { Keys } from '../case/key-shape.ts'
import { textsIn } from '../case/requires.ts'
import type { SpecError } from '../lang/spec-error.ts'
import type { SpecValue } from '../lang/value.ts'

type Mapping = ReadonlyMap<string, SpecValue>

export const corsKeys: Keys = {
  origin: { is: 'name', describe: 'The origin of the page, sent as Origin.' },
  preflight: {
    is: 'flag',
    describe: 'Send a preflight request; default false. The method must be OPTIONS.',
  },
  request_method: {
    is: 'name',
    describe: 'The method that the preflight asks for, sent as Access-Control-Request-Method.',
  },
  request_headers: {
    is: { list: 'name' },
    describe: 'The headers that the preflight asks for, sent as Access-Control-Request-Headers.',
  },
}

interface CorsRequest {
  readonly cors: Mapping
  /** In upper case. */
  readonly method: string
  /** The path of the request in the case: `request` or `requests[0]`. */
  readonly path: string
}

/** The headers to add where the request sets none of that name. */
export function corsHeaders({
  cors,
  method,
  path,
}: CorsRequest): ReadonlyMap<string, string> | SpecError {
  const isPreflight = cors.get('preflight') === true
  const asked = textIn(cors, 'request_method')
  const names = textsIn(cors, 'request_headers').map(name => name.trim())
  const refused = (key: string, message: string, hint: string): SpecError => ({
    category: 'schema',
    message: `${path}.cors.${key} ${message}`,
    path: `${path}.cors.${key}`,
    hint,
  })
  if (isPreflight && method !== 'OPTIONS') {
    return refused('preflight', `requires ${path}.method OPTIONS`, 'Write method: OPTIONS.')
  }
  if (isPreflight && asked === '') {
    return refused('request_method', 'is required for a preflight', 'Name the method to ask for.')
  }
  const [early] = isPreflight ? [] : ['request_method', 'request_headers'].filter(k => cors.has(k))
  if (early !== undefined) {
    return refused(early, 'belongs to a preflight', 'Add preflight: true, or remove it.')
  }
  const headers = new Map<string, string>()
  const origin = textIn(cors, 'origin')
  if (origin !== '') headers.set('Origin', origin)
  if (isPreflight) headers.set('Access-Control-Request-Method', asked.toUpperCase())
  if (names.length > 0) headers.set('Access-Control-Request-Headers', names.join(', '))
  return headers
}

function textIn(value: Mapping, key: string): string {
  const found = value.get(key)
  return typeof found === 'string' ? found.trim() : ''
}

/** Values by lower-case name, in the order in which they arrived. */
export type HeaderLists = ReadonlyMap<string, readonly string[]>

/** The answer's CORS headers in one shape, whatever their spelling. */
export function corsJson(headers: HeaderLists): SpecValue {
  const all = (name: string) => headers.get(`access-control-${name}`) ?? []
  const last = (name: string) => all(name).at(-1)?.trim()
  const credentials = last('allow-credentials')?.toLowerCase()
  const maxAge = last('max-age') ?? ''
  const vary = listed(headers.get('vary') ?? [])
  return new Map<string, SpecValue>([
    ['allow_origin', last('allow-origin') ?? null],
    ['allow_methods', listed(all('allow-methods'))],
    ['allow_headers', listed(all('allow-headers'))],
    ['expose_headers', listed(all('expose-headers'))],
    ['allow_credentials', credentials === 'true' ? true : credentials === 'false' ? false : null],
    ['max_age', /^-?\d{1,15}$/.test(maxAge) ? Number(maxAge) : null],
    ['vary_origin', vary.some(name => name.toLowerCase() === 'origin')],
  ])
}

const listed = (values: readonly string[]): readonly string[] =>
  values
    .flatMap(value => value.split(','))
    .map(item => item.trim())
    .filter(item => item !== '')
