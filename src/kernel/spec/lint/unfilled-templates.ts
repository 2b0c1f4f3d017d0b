/** Warns about templates in assertions, which are never filled. */
import { chainOf } from '../chain/chain.ts'
import { type ChainTemplate, templatesIn } from '../chain/template.ts'
import type { RawCase } from '../document/raw-case.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { type LintedCase, placeOf, type Warning } from './linted-case.ts'

export function unfilledTemplates({ raw, leaves }: LintedCase): readonly Warning[] {
  const ids = stepIds(raw)
  return leaves.flatMap(leaf =>
    ownTemplates(leaf.source, ids).map(({ text, step, name, path }) => ({
      path: placeOf(leaf),
      code: 'lint.template',
      message: `${text} is not filled in here: an assertion takes it as the text it is`,
      hint: `Look at it as ${JSON.stringify(['state', step, name, ...path])} in target: chain_json, with get_in.`,
    })),
  )
}

/** Steps and exports named by templates in assertions. */
export const namedInVain = (raw: RawCase): readonly ChainTemplate[] =>
  ownTemplates(raw.value.get('assert') ?? null, stepIds(raw))

const stepIds = (raw: RawCase) => (chainOf(raw)?.steps ?? []).map(({ id }) => id)

/** Only templates of the case's own steps: tools may print braces. */
const ownTemplates = (value: SpecValue, ids: readonly string[]) =>
  textsWithin(value)
    .flatMap(text => templatesIn(text, ids))
    .filter(({ step }) => ids.includes(step))

export function textsWithin(value: SpecValue): readonly string[] {
  if (typeof value === 'string') return [value]
  if (isList(value)) return value.flatMap(textsWithin)
  return isMapping(value) ? [...value.values()].flatMap(textsWithin) : []
}
