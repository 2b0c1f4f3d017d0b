/** Checks what can be known of templates before anything runs. */
import { nearest } from '../../text/nearest.ts'
import type { ShapeProblem } from '../case/check-shape.ts'
import { type Chain, chainOf } from '../chain/chain.ts'
import type { RawCase } from '../document/raw-case.ts'
import type { SpecError } from '../lang/spec-error.ts'
import { namedIn, type PlacedTemplate, templatesOf } from './template.ts'

/** Steps and exports are written in the case itself. */
export function checkTemplates(raw: Pick<RawCase, 'value'>): ShapeProblem[] {
  const found = templatesOf(raw.value).filter(({ space }) => space === 'chain')
  if (found.length === 0) return []
  const chain = chainOf(raw)
  return found.flatMap(one => checkExport(one, chain))
}

function checkExport(
  { text, inner, path }: PlacedTemplate,
  chain: Chain | undefined,
): ShapeProblem[] {
  const steps = chain?.steps ?? []
  const ids = steps.map(({ id }) => id)
  const { name: step, path: keys } = namedIn(inner, ids)
  const found = steps.find(({ id }) => id === step)
  if (!found) {
    const reason = chain
      ? `no step is named ${JSON.stringify(step)}`
      : 'the case has no harness.chain'
    return [unknown(path, `${text}: ${reason}`, nearest(step, ids))]
  }
  const [name = ''] = keys
  const names = found.exports.map(one => one.name)
  if (names.includes(name)) return []
  const message = `${text}: the step ${step} ${name ? `does not export ${name}` : 'is named without an export'}`
  return [unknown(path, message, nearest(name, names))]
}

const unknown = (path: string, message: string, meant: string | undefined): ShapeProblem => ({
  path,
  code: 'chain.template',
  message,
  ...(meant !== undefined && { hint: `Did you mean ${meant}?` }),
})

const unsetHint = (name: string) =>
  `Pass --var ${name}=<value>, or --secret ${name} to take it from the environment.`

/** Variables belong to a run, so that only a run can miss one. */
export function unknownVariables(
  { value }: Pick<RawCase, 'value'>,
  names: readonly string[],
): readonly SpecError[] {
  return templatesOf(value).flatMap(({ text, space, inner, path }) => {
    if (space !== 'var' || names.includes(inner)) return []
    const meant = nearest(inner, names)
    const message = `${text}: the run has no variable ${inner}`
    const hint = meant ? `Did you mean ${meant}?` : unsetHint(inner)
    return [{ category: 'schema', message, path, hint }]
  })
}
