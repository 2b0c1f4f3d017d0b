/** Values that a request of a scenario keeps for later ones. */
import type { Keys } from '../case/key-shape.ts'
import { mappingIn } from '../case/requires.ts'
import type { SpecError } from '../lang/spec-error.ts'
import { isMapping, type SpecValue } from '../lang/value.ts'
import { valueAt } from '../template/fill-templates.ts'
import { responseTargets } from './http-result.ts'
import { textOf } from './http-text.ts'

export const captureKeys: Keys = {
  from: { is: { oneOf: responseTargets }, describe: 'A target of the request.', required: true },
  path: { is: 'name', describe: 'A path into the value, such as `items.0.id`.' },
  regex: { is: 'name', describe: 'A pattern. Its first group is kept, or the whole match.' },
  default: { is: 'any', describe: 'The value if there is none; otherwise the case fails.' },
}

export interface CaptureRule {
  readonly name: string
  readonly from: string
  readonly path: readonly string[] | undefined
  readonly regex: string | undefined
  readonly fallback: SpecValue | undefined
  /** The path of its mapping in the case. */
  readonly at: string
}

export function capturesOf(
  request: ReadonlyMap<string, SpecValue>,
  at: string,
): readonly CaptureRule[] {
  return [...mappingIn(request, 'capture')].flatMap(([name, one]) => {
    if (!isMapping(one)) return []
    const path = one.get('path')
    const regex = one.get('regex')
    return [
      {
        name,
        from: textOf(one.get('from')),
        path: typeof path === 'string' ? path.trim().split('.') : undefined,
        regex: typeof regex === 'string' ? regex : undefined,
        fallback: one.get('default'),
        at: `${at}.capture.${name}`,
      },
    ]
  })
}

/** The first group of a match, or the whole match; `undefined` if nothing matches. */
export type FirstGroup = (pattern: string, text: string) => string | undefined | SpecError

export function captured(
  { name, from, path, regex, fallback, at }: CaptureRule,
  subject: SpecValue,
  firstGroup: FirstGroup,
): { readonly value: SpecValue } | SpecError {
  const found = path === undefined ? subject : valueAt(subject, path)
  const isMatched = regex !== undefined && found !== undefined
  const matched = isMatched ? firstGroup(regex, textOf(found)) : undefined
  if (typeof matched === 'object') return { ...matched, path: at }
  const value = regex === undefined ? found : matched
  if (value !== undefined) return { value }
  if (fallback !== undefined) return { value: fallback }
  const where = path === undefined ? from : `${from} at ${path.join('.')}`
  const why = isMatched ? `does not match ${regex}` : 'has no value'
  const message = `capture ${name}: ${where} ${why}`
  return { category: 'assertion', message, path: at, hint: 'Add default if it may be missing.' }
}
