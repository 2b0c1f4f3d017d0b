/** Finds mistakes in the service and the authorization of an `api.http` case. */
import type { ShapeProblem } from '../case/check-shape.ts'
import { mappingIn } from '../case/requires.ts'
import type { SpecError } from '../lang/spec-error.ts'
import type { SpecValue } from '../lang/value.ts'
import type { HttpSetting } from './http-request.ts'
import { oauthIn, oauthPath, oauthProfile } from './oauth.ts'
import { requestPlace } from './request-url.ts'
import { scenarioIn, scenarioPath, setupIn, teardownIn } from './scenario.ts'

type Mapping = ReadonlyMap<string, SpecValue>

/** With a root, `file:` addresses are checked too. */
export function harnessFlaws(
  value: Mapping,
  { mode }: HttpSetting,
  root: string | undefined,
): readonly ShapeProblem[] {
  const scenario = scenarioIn(value)
  const oauth = oauthIn(value)
  const addresses = [
    [
      mappingIn(mappingIn(scenario, 'setup'), 'ready_probe'),
      'url',
      `${scenarioPath}.setup.ready_probe`,
    ],
    [oauth ?? new Map(), 'token_url', oauthPath],
  ] as const
  return [
    ...[setupIn(scenario), teardownIn(scenario), oauth && oauthProfile(oauth)].flatMap(flawOf),
    ...addresses.flatMap(([owner, key, path]) => {
      const url = owner.get(key)
      // An address that starts with a template is checked when the template is filled.
      if (typeof url !== 'string' || url.trim() === '' || url.trim().startsWith('{{')) return []
      const place = requestPlace(url.trim(), mode, root)
      if (!('refused' in place)) return []
      const at = `${path}.${key}`
      return [{ path: at, code: 'case.value', message: `${at} ${place.refused}`, hint: place.hint }]
    }),
  ]
}

function flawOf(read: object | SpecError | undefined): readonly ShapeProblem[] {
  if (read === undefined || !('category' in read)) return []
  const { path = '', message, hint } = read
  return [{ path, code: 'case.value', message, ...(hint !== undefined && { hint }) }]
}
