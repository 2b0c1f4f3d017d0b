/** Fills the values that are known to a case into its texts. */
import { nearest } from '../../text/nearest.ts'
import { unlimitedMeter } from '../lang/meter.ts'
import { printText } from '../lang/print-value.ts'
import type { SpecError } from '../lang/spec-error.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import {
  hasTemplate,
  namedIn,
  type Template,
  type TemplateSpace,
  templatesIn,
  untouchedKeys,
} from './template.ts'

type Mapping = ReadonlyMap<string, SpecValue>

/** The values of each space by their first name. A space that is absent stays as written. */
export type TemplateValues = Readonly<Partial<Record<TemplateSpace, Mapping>>>

/**
 * Fills a whole case. The keys in `later` stay as written, for a harness that fills them itself:
 * a text must be filled once and with everything, or an inserted value would be filled again.
 */
export function fillCase(
  value: Mapping,
  values: TemplateValues,
  later: readonly string[] = [],
): Mapping | SpecError {
  if (!hasTemplate(value)) return value
  const filler = new Filler(values)
  const isLeft = (key: string) => untouchedKeys.includes(key) || later.includes(key)
  const filled = new Map(
    [...value].map(([key, one]) => [key, isLeft(key) ? one : filler.fill(one, key)]),
  )
  return filler.error ?? filled
}

/** Fills one value of a case; `path` is its place in the case. */
export function fillValue(
  value: SpecValue,
  path: string,
  values: TemplateValues,
): { readonly value: SpecValue } | SpecError {
  const filler = new Filler(values)
  const filled = filler.fill(value, path)
  return filler.error ?? { value: filled }
}

/** The value at a path of keys and indices; `undefined` if there is none. */
export function valueAt(value: SpecValue, path: readonly string[]): SpecValue | undefined {
  let found: SpecValue | undefined = value
  for (const key of path) {
    if (isMapping(found)) found = found.get(key)
    else if (isList(found) && /^\d{1,9}$/.test(key)) found = found[Number(key)]
    else return undefined
  }
  return found
}

const missing: Readonly<Record<TemplateSpace, string>> = {
  chain: 'the chain exports no such value',
  var: 'the run has no such variable',
  steps: 'no earlier step has such a value',
}

class Filler {
  readonly #values: TemplateValues
  error: SpecError | undefined

  constructor(values: TemplateValues) {
    this.#values = values
  }

  fill(value: SpecValue, path: string): SpecValue {
    if (typeof value === 'string') return this.#text(value, path)
    if (isList(value)) return value.map((item, at) => this.fill(item, `${path}[${at}]`))
    if (!isMapping(value) || path === 'harness.chain') return value
    return new Map([...value].map(([key, one]) => [key, this.fill(one, `${path}.${key}`)]))
  }

  /** Left to right, so that inserted text is never filled again. */
  #text(text: string, path: string): string {
    let filled = ''
    let rest = text
    for (const template of templatesIn(text)) {
      const at = rest.indexOf(template.text)
      const values = this.#values[template.space]
      const shown = values ? this.#shown(template, values, path) : template.text
      filled += rest.slice(0, at) + shown
      rest = rest.slice(at + template.text.length)
    }
    return filled + rest
  }

  #shown({ text, space, inner }: Template, values: Mapping, path: string): string {
    const { name, path: keys } = namedIn(inner, values.keys())
    const found = values.get(name)
    const value = found === undefined ? undefined : valueAt(found, keys)
    if (value === undefined) {
      const meant = found === undefined ? nearest(name, [...values.keys()]) : undefined
      const hint = meant === undefined ? {} : { hint: `Did you mean ${meant}?` }
      this.error ??= { category: 'schema', message: `${text}: ${missing[space]}`, path, ...hint }
      return ''
    }
    const printed = value === null ? '' : printText(value, unlimitedMeter())
    return typeof printed === 'string' ? printed : ''
  }
}
