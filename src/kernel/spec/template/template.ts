/** Finds templates such as `{{chain.step.export.path}}` in the texts of a case. */
import { isList, isMapping, type SpecValue } from '../lang/value.ts'

/**
 * What a template can name: exports of the chain, variables of the run, and the requests of a
 * scenario that were answered before. Anything else in double braces stays as written.
 */
export type TemplateSpace = 'chain' | 'var' | 'steps'

export interface Template {
  /** The whole template with its braces. */
  readonly text: string
  readonly space: TemplateSpace
  /** The dotted path after the name of the space. */
  readonly inner: string
}

const pattern = /\{\{\s*(chain|var|steps)\.([^{}]*?)\s*\}\}/g

/** True if a text in this value may hold a template. */
export function hasTemplate(value: SpecValue): boolean {
  if (typeof value === 'string') return value.includes('{{')
  if (isList(value)) return value.some(hasTemplate)
  if (!isMapping(value)) return false
  for (const one of value.values()) if (hasTemplate(one)) return true
  return false
}

/** In text order. */
export function templatesIn(text: string): readonly Template[] {
  if (!text.includes('{{')) return []
  return [...text.matchAll(pattern)].map(([whole, space, inner = '']) => ({
    text: whole,
    space: space as TemplateSpace,
    inner,
  }))
}

/**
 * The first name in a dotted path, and the keys after it. A known name may contain dots: the
 * longest match wins.
 */
export function namedIn(
  inner: string,
  known: Iterable<string>,
): { readonly name: string; readonly path: readonly string[] } {
  const fitting = [...known].filter(name => inner === name || inner.startsWith(`${name}.`))
  const name = fitting.sort((a, b) => b.length - a.length)[0] ?? inner.split('.')[0] ?? ''
  const rest = inner.slice(name.length + 1)
  return { name, path: rest === '' ? [] : rest.split('.') }
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

/** A template with the path of its text in the case. */
export interface PlacedTemplate extends Template {
  readonly path: string
}

/** The templates that are filled when the case runs. */
export const templatesOf = (value: ReadonlyMap<string, SpecValue>): readonly PlacedTemplate[] =>
  [...value].flatMap(([key, one]) => (untouchedKeys.includes(key) ? [] : templatesAt(one, key)))

export function templatesAt(value: SpecValue, path: string): readonly PlacedTemplate[] {
  return hasTemplate(value) ? placedIn(value, path) : []
}

function placedIn(value: SpecValue, path: string): readonly PlacedTemplate[] {
  if (typeof value === 'string') return templatesIn(value).map(one => ({ ...one, path }))
  if (isList(value)) return value.flatMap((item, at) => placedIn(item, `${path}[${at}]`))
  if (!isMapping(value) || path === 'harness.chain') return []
  return [...value].flatMap(([key, one]) => placedIn(one, `${path}.${key}`))
}
