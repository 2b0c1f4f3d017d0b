/**
 * Reads a registry: a YAML file at a fixed place in the contract root. One problem makes the whole
 * registry unusable. Keys that premath does not know belong to other tools.
 */
import { checkKeys, kindOf, type ShapeProblem } from './case/check-shape.ts'
import type { CaseValue, Keys } from './case/key-shape.ts'
import type { ContractPath } from './contract-path.ts'
import { type Problem, placeName } from './document/raw-case.ts'
import { readYamlFile } from './document/yaml-file.ts'
import type { SpecError } from './lang/spec-error.ts'
import { isMapping } from './lang/value.ts'

interface RegistryShape {
  readonly path: ContractPath
  readonly keys: Keys
  /** Problems of a registry that fits the tables. */
  problems(value: CaseValue): readonly ShapeProblem[]
}

const problemsShown = 5

export function readRegistry(
  text: string,
  { path, keys, problems }: RegistryShape,
): CaseValue | SpecError {
  const read = readYamlFile(text, path)
  if ('length' in read) return refused(read)
  const { value, placeOf } = read
  if (!isMapping(value)) {
    const message = `a registry must be a mapping, but is ${kindOf(value)}`
    return refused([{ place: placeOf(''), code: 'registry.type', message }])
  }
  const shape = checkKeys(value, keys, '').filter(({ code }) => code !== 'case.unknown_key')
  const found = shape.length > 0 ? shape : problems(value)
  if (found.length === 0) return value
  return refused(found.map(({ path: at, ...one }) => ({ place: placeOf(at), ...one })))
}

function refused(problems: readonly Problem[]): SpecError {
  const shown = problems.slice(0, problemsShown)
  const more = problems.length - shown.length
  const lines = shown.map(({ place, message }) => `${placeName(place)}: ${message}`)
  const message = [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
  const hint = shown.find(one => one.hint !== undefined)?.hint
  return { category: 'schema', message, ...(hint !== undefined && { hint }) }
}
