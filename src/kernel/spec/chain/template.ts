/** Finds `{{chain.step.export.path}}` templates in the texts of a case. */
import { nearest } from '../../text/nearest.ts'
import type { ShapeProblem } from '../case/check-shape.ts'
import type { RawCase } from '../document/raw-case.ts'
import type { SpecValue } from '../lang/value.ts'
import { type Chain, chainOf } from './chain.ts'

export interface ChainTemplate {
  /** The whole template with its braces. */
  readonly text: string
  readonly step: string
  readonly name: string
  /** Keys and indices into the exported value. */
  readonly path: readonly string[]
}

const pattern = /\{\{\s*chain\.([^{}]*?)\s*\}\}/g

/** In text order. For an unknown step, the part before the first dot is its name. */
export function templatesIn(text: string, stepIds: readonly string[]): readonly ChainTemplate[] {
  if (!text.includes('{{')) return []
  return [...text.matchAll(pattern)].map(([whole, inner = '']) => {
    // A step id may contain dots: the longest match wins.
    const fitting = stepIds.filter(id => inner === id || inner.startsWith(`${id}.`))
    const step = fitting.sort((a, b) => b.length - a.length)[0] ?? inner.split('.')[0] ?? ''
    const [name = '', ...path] = inner.slice(step.length + 1).split('.')
    return { text: whole, step, name, path }
  })
}

/** Keys that are never filled: those that name, describe or judge the case. */
export const untouchedKeys: readonly string[] = [
  'assert',
  'definitions',
  'expect',
  'id',
  'purpose',
  'tags',
  'title',
  'type',
]

export function checkTemplates(raw: Pick<RawCase, 'value'>): ShapeProblem[] {
  const chain = chainOf(raw)
  return [...raw.value].flatMap(([key, value]) =>
    untouchedKeys.includes(key) ? [] : checkTexts(value, key, chain),
  )
}

function checkTexts(value: SpecValue, path: string, chain: Chain | undefined): ShapeProblem[] {
  if (typeof value === 'string') return checkText(value, path, chain)
  if (Array.isArray(value)) {
    const items = value as readonly SpecValue[]
    return items.flatMap((item, index) => checkTexts(item, `${path}[${index}]`, chain))
  }
  if (!(value instanceof Map) || path === 'harness.chain') return []
  return [...value].flatMap(([key, one]) => checkTexts(one, `${path}.${key}`, chain))
}

function checkText(text: string, path: string, chain: Chain | undefined): ShapeProblem[] {
  const steps = chain?.steps ?? []
  const ids = steps.map(({ id }) => id)
  return templatesIn(text, ids).flatMap(({ text: whole, step, name }) => {
    const found = steps.find(({ id }) => id === step)
    if (!found) {
      const reason = chain
        ? `no step is named ${JSON.stringify(step)}`
        : 'the case has no harness.chain'
      return [unknown(path, `${whole}: ${reason}`, nearest(step, ids))]
    }
    const names = found.exports.map(one => one.name)
    if (names.includes(name)) return []
    const message = `${whole}: the step ${step} ${name ? `does not export ${name}` : 'is named without an export'}`
    return [unknown(path, message, nearest(name, names))]
  })
}

const unknown = (path: string, message: string, meant: string | undefined): ShapeProblem => ({
  path,
  code: 'chain.template',
  message,
  ...(meant !== undefined && { hint: `Did you mean ${meant}?` }),
})
