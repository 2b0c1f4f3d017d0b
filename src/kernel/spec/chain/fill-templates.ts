/** Fills the exports of a chain into the texts of a case. */
import { unlimitedMeter } from '../lang/meter.ts'
import { printText } from '../lang/print-value.ts'
import type { SpecError } from '../lang/spec-error.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { type ChainTemplate, templatesIn, untouchedKeys } from './template.ts'

/** Exported values by step and name. */
export type ChainState = ReadonlyMap<string, ReadonlyMap<string, SpecValue>>

type Mapping = ReadonlyMap<string, SpecValue>

/** Returns the same mapping if it contains no template. */
export function fillTemplates(value: Mapping, state: ChainState): Mapping | SpecError {
  if (state.size === 0) return value
  const filler = new Filler(state)
  const filled = new Map(
    [...value].map(([key, one]) => [
      key,
      untouchedKeys.includes(key) ? one : filler.fill(one, key),
    ]),
  )
  return filler.error ?? filled
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

class Filler {
  readonly #state: ChainState
  readonly #stepIds: readonly string[]
  error: SpecError | undefined

  constructor(state: ChainState) {
    this.#state = state
    this.#stepIds = [...state.keys()]
  }

  fill(value: SpecValue, path: string): SpecValue {
    if (typeof value === 'string') return this.#text(value, path)
    if (isList(value)) return value.map((item, at) => this.fill(item, `${path}[${at}]`))
    if (!isMapping(value) || path === 'harness.chain') return value
    return new Map([...value].map(([key, one]) => [key, this.fill(one, `${path}.${key}`)]))
  }

  /** Left to right, so that inserted text is never expanded again. */
  #text(text: string, path: string): string {
    let filled = ''
    let rest = text
    for (const template of templatesIn(text, this.#stepIds)) {
      const at = rest.indexOf(template.text)
      filled += rest.slice(0, at) + this.#rendered(template, path)
      rest = rest.slice(at + template.text.length)
    }
    return filled + rest
  }

  #rendered({ text, step, name, path: keys }: ChainTemplate, path: string): string {
    const exported = this.#state.get(step)?.get(name)
    const value = exported === undefined ? undefined : valueAt(exported, keys)
    if (value === undefined) {
      const message = `${text}: the chain exports no such value`
      this.error ??= { category: 'schema', message, path }
      return ''
    }
    const printed = value === null ? '' : printText(value, unlimitedMeter())
    return typeof printed === 'string' ? printed : ''
  }
}
