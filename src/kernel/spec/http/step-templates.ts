/** The templates of a request: `{{steps.<id>.<field>}}` names the result of an earlier one. */
import { nearest } from '../../text/nearest.ts'
import type { ShapeProblem } from '../case/check-shape.ts'
import type { SpecError } from '../lang/spec-error.ts'
import type { SpecValue } from '../lang/value.ts'
import { fillValue, type TemplateValues } from '../template/fill-templates.ts'
import { hasTemplate, namedIn, type PlacedTemplate, templatesAt } from '../template/template.ts'
import type { WrittenRequest } from './http-request.ts'

/** Keys of a request that are not sent. */
const untouchedKeys: readonly string[] = ['id', 'when', 'assert', 'capture', 'retry']

const sentKeys = ({ value }: WrittenRequest) =>
  [...value].filter(([key]) => !untouchedKeys.includes(key))

/** Only an earlier request has a result. A case with one request has no steps. */
export function stepTemplateFlaws(requests: readonly WrittenRequest[]): readonly ShapeProblem[] {
  const ids = requests.flatMap(({ id }) => (id === undefined ? [] : [id]))
  return requests.flatMap((request, index) =>
    request.id === undefined
      ? []
      : sentKeys(request)
          .flatMap(([key, one]) => templatesAt(one, `${request.at}.${key}`))
          .filter(({ space }) => space === 'steps')
          .flatMap(template => flawOf(template, ids.slice(0, index))),
  )
}

function flawOf(
  { text, inner, path }: PlacedTemplate,
  earlier: readonly string[],
): readonly ShapeProblem[] {
  const { name, path: keys } = namedIn(inner, earlier)
  const isKnown = earlier.includes(name)
  if (isKnown && keys.length > 0) return []
  const why = isKnown
    ? 'names a step without a field'
    : `no request before this one has the id ${JSON.stringify(name)}`
  const meant = isKnown ? undefined : nearest(name, earlier)
  const hint = meant === undefined ? {} : { hint: `Did you mean ${meant}?` }
  return [{ path, code: 'case.template', message: `${text}: ${why}`, ...hint }]
}

/** Without values for `steps`, their templates stay. */
export function filledRequest(
  request: WrittenRequest,
  values: TemplateValues,
): WrittenRequest | SpecError {
  const sent = sentKeys(request)
  if (!sent.some(([, one]) => hasTemplate(one))) return request
  const filled = new Map<string, SpecValue>(request.value)
  for (const [key, one] of sent) {
    const found = fillValue(one, `${request.at}.${key}`, values)
    if ('category' in found) return found
    filled.set(key, found.value)
  }
  return { ...request, value: filled }
}
