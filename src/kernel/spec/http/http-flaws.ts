/**
 * Finds mistakes that span several keys of an `api.http` case. Runs when a case is read, and again
 * after its templates are filled.
 */
import { checkAssert } from '../case/assert-shape.ts'
import type { ShapeProblem } from '../case/check-shape.ts'
import { mappingIn } from '../case/requires.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { corsHeaders } from './cors.ts'
import { harnessFlaws } from './harness-flaws.ts'
import { headerFlaw } from './header-text.ts'
import { connectionFlaws } from './http-connection.ts'
import {
  type HttpSetting,
  headersIn,
  httpSetting,
  methodOf,
  type WrittenRequest,
  writtenRequests,
} from './http-request.ts'
import { responseTargets } from './http-result.ts'
import { bodyFlaws } from './request-body.ts'
import { requestPlace } from './request-url.ts'
import { stepTemplateFlaws } from './step-templates.ts'

type Mapping = ReadonlyMap<string, SpecValue>

/** With a root, `file:` addresses are checked too. */
export function httpFlaws(value: Mapping, root?: string): readonly ShapeProblem[] {
  const requests = writtenRequests(value)
  return [
    ...countFlaws(value),
    ...connectionFlaws(mappingIn(mappingIn(value, 'harness'), 'api_http')),
    ...duplicateIds(requests),
    ...requests.flatMap(request => requestFlaws(request, httpSetting(value), root)),
    ...requests.flatMap(stepFlaws),
    ...stepTemplateFlaws(requests),
    ...harnessFlaws(value, httpSetting(value), root),
  ]
}

export const requestFlaws = (
  request: WrittenRequest,
  setting: HttpSetting,
  root: string | undefined,
): readonly ShapeProblem[] => [
  ...urlFlaws(request, setting, root),
  ...bodyFlaws(request.value, request.at),
  ...headerFlaws(request),
  ...corsFlaws(request),
]

const flaw = (path: string, message: string, hint?: string): ShapeProblem => ({
  path,
  code: 'case.value',
  message,
  ...(hint !== undefined && { hint }),
})

function countFlaws(value: Mapping): readonly ShapeProblem[] {
  const given = ['request', 'requests'].filter(key => value.has(key))
  if (given.length === 1) return []
  const reason = given.length === 0 ? 'has neither' : 'has both'
  return [
    flaw('', `api.http requires one of request and requests, but ${reason}`, 'Write one request.'),
  ]
}

function duplicateIds(requests: readonly WrittenRequest[]): readonly ShapeProblem[] {
  const known = new Set<string>()
  return requests.flatMap(({ id, at }) => {
    if (id === undefined || !known.has(id)) {
      if (id !== undefined) known.add(id)
      return []
    }
    return [flaw(`${at}.id`, `${at}.id is used twice: ${id}`, 'Rename one of the two requests.')]
  })
}

/** An address that starts with a template is checked when the template is filled. */
function urlFlaws(
  { at, value: request }: WrittenRequest,
  { mode }: HttpSetting,
  root: string | undefined,
): readonly ShapeProblem[] {
  const url = request.get('url')
  if (typeof url !== 'string' || url.trim() === '' || url.trim().startsWith('{{')) return []
  const place = requestPlace(url.trim(), mode, root)
  if (!('refused' in place)) return []
  return [flaw(`${at}.url`, `${at}.url ${place.refused}`, place.hint)]
}

/** Assertions and captures of a request among several. */
function stepFlaws({ at, value }: WrittenRequest): readonly ShapeProblem[] {
  const retry = mappingIn(value, 'retry')
  const asserts = [
    [value.get('assert'), `${at}.assert`],
    [retry.get('until'), `${at}.retry.until`],
  ] as const
  const targets = { type: 'api.http', targets: responseTargets, joined: undefined }
  const hasNothingToWaitFor = value.has('retry') && !retry.has('until') && !value.has('assert')
  return [
    ...asserts.flatMap(([given, path]) => (isList(given) ? checkAssert(given, targets, path) : [])),
    ...(hasNothingToWaitFor
      ? [flaw(`${at}.retry`, `${at}.retry has nothing to wait for`, 'Add until or assert.')]
      : []),
    ...[...mappingIn(value, 'capture').keys()].flatMap(name => captureFlaw(name, at)),
  ]
}

function captureFlaw(name: string, at: string): readonly ShapeProblem[] {
  const path = `${at}.capture.${name}`
  if (/^[\w-]+$/.test(name)) return []
  return [flaw(path, `${path} must have a name of letters, digits, _ and -`, 'Rename it.')]
}

function headerFlaws({ at, value }: WrittenRequest): readonly ShapeProblem[] {
  if (!isMapping(value.get('headers'))) return []
  return headersIn(value).flatMap(([name, one]) => {
    const why = headerFlaw(name, one)
    if (why === undefined) return []
    const hint = 'Use letters, digits and - in names, and no line breaks in values.'
    return [flaw(`${at}.headers`, `${at}.headers ${why}`, hint)]
  })
}

function corsFlaws({ at, value }: WrittenRequest): readonly ShapeProblem[] {
  const cors = value.get('cors')
  if (!isMapping(cors)) return []
  const headers = corsHeaders({ cors, method: methodOf(value), path: at })
  if (!('category' in headers)) return []
  const { path = at, message, hint } = headers
  return [flaw(path, message, hint)]
}
