/** Checks a value against its shape and returns every problem with its path. */
import { nearest } from '../../text/nearest.ts'
import { contractPath } from '../contract-path.ts'
import type { Problem } from '../document/raw-case.ts'
import { numberOf } from '../lang/float.ts'
import { isScalarItem } from '../lang/item.ts'
import type { SpecValue } from '../lang/value.ts'
import { type KeyShape, type Keys, shapeName, type ValueShape } from './key-shape.ts'

/** A problem with a path in the case instead of a place in the document. */
export interface ShapeProblem extends Omit<Problem, 'place'> {
  readonly path: string
  /** True if the problem is the key, not its value. */
  readonly atKey?: boolean
}

/** The message for an unknown key. */
type UnknownKey = (name: string, path: string) => string

const unknownKey: UnknownKey = (name, path) =>
  path === '' ? `unknown key: ${name}` : `unknown key in ${path}: ${name}`

export function checkKeys(
  value: ReadonlyMap<string, SpecValue>,
  keys: Keys,
  path: string,
  unknown: UnknownKey = unknownKey,
): ShapeProblem[] {
  const problems: ShapeProblem[] = []
  for (const [name, shape] of Object.entries(keys)) {
    const found = value.get(name)
    const at = joined(path, name)
    if (shape.missing && isBlank(found)) {
      problems.push({ path: at, code: 'case.missing_key', ...shape.missing })
    } else if (found !== undefined) {
      problems.push(...checkValue(found, shape.is, at))
    } else if (shape.required) {
      problems.push(missing(name, shape, path))
    }
  }
  for (const name of value.keys()) {
    if (!Object.hasOwn(keys, name)) problems.push(strange(name, keys, path, unknown))
  }
  return problems
}

const isBlank = (value: SpecValue | undefined) =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

function missing(name: string, { describe }: KeyShape, path: string): ShapeProblem {
  return {
    path,
    code: 'case.missing_key',
    message: `missing required key: ${joined(path, name)}`,
    hint: `Add ${name} to ${path === '' ? 'the case' : path}: ${lowerFirst(describe)}`,
  }
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

function strange(name: string, keys: Keys, path: string, unknown: UnknownKey): ShapeProblem {
  const known = Object.keys(keys)
  const meant = nearest(name, known)
  return {
    path: joined(path, name),
    atKey: true,
    code: 'case.unknown_key',
    message: unknown(name, path),
    hint: meant ? `Did you mean ${meant}?` : `Use one of ${known.sort().join(', ')}.`,
  }
}

const joined = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)

export function checkValue(value: SpecValue, shape: ValueShape, path: string): ShapeProblem[] {
  if (typeof shape === 'string') {
    if (!checks[shape](value)) return [wrong(value, shape, path)]
    return shape === 'path' ? pathProblems(String(value), path) : []
  }
  if ('either' in shape) return checkEither(value, shape.either, path)
  if ('oneOf' in shape) return checkOneOf(value, shape, path)
  if ('whole' in shape) {
    const number = numberOf(value) ?? Number.NaN
    const { min, max = number } = shape.whole
    const fits = Number.isSafeInteger(number) && number >= min && number <= max
    if (fits) return []
    const hint = number > max && { hint: `Write ${max} or less, or leave it out.` }
    return [{ ...wrong(value, shape, path), ...hint }]
  }
  if ('list' in shape) {
    if (!Array.isArray(value) || value.length < (shape.atLeast ?? 0)) {
      return [wrong(value, shape, path)]
    }
    const items = value as readonly SpecValue[]
    return items.flatMap((item, index) => checkValue(item, shape.list, `${path}[${index}]`))
  }
  if (!(value instanceof Map)) return [wrong(value, shape, path)]
  if ('mapping' in shape) return checkKeys(value, shape.mapping, path)
  return [...value].flatMap(([name, one]) => checkValue(one, shape.mappingOf, joined(path, name)))
}

/** Prefers problems inside the intended alternative to a message that no alternative fits. */
function checkEither(
  value: SpecValue,
  shapes: readonly ValueShape[],
  path: string,
): ShapeProblem[] {
  const found = shapes.map(shape => checkValue(value, shape, path))
  if (found.some(problems => problems.length === 0)) return []
  const isInside = (one: ShapeProblem) => one.path !== path || one.code !== 'case.type'
  const meant = found.find(problems => problems.some(isInside))
  return meant ?? [wrong(value, { either: shapes }, path)]
}

function checkOneOf(
  value: SpecValue,
  { oneOf: values, anyCase }: Extract<ValueShape, { oneOf: readonly string[] }>,
  path: string,
): ShapeProblem[] {
  const isSame = (one: string) =>
    one === value || (anyCase && one.toLowerCase() === String(value).trim().toLowerCase())
  if (typeof value === 'string' && values.some(isSame)) return []
  const meant = typeof value === 'string' ? nearest(value, values) : undefined
  return [
    {
      path,
      code: 'case.value',
      message: `${path} must be one of ${values.join(', ')}`,
      ...(meant !== undefined && { hint: `Did you mean ${meant}?` }),
    },
  ]
}

const checks: Readonly<Record<ValueShape & string, (value: SpecValue) => boolean>> = {
  any: () => true,
  text: value => typeof value === 'string',
  name: value => typeof value === 'string' && value.trim() !== '',
  path: value => typeof value === 'string' && value.trim() !== '',
  flag: value => typeof value === 'boolean',
  null: value => value === null,
  scalar: isScalarItem,
}

function pathProblems(text: string, path: string): ShapeProblem[] {
  const read = contractPath(text)
  if ('path' in read) return []
  const hint = contractHint
  return [{ path, code: 'case.path', message: `${path} ${read.refused}`, hint }]
}

export const contractHint = 'Name a file below the contract root, such as /docs/rows.txt.'

function wrong(value: SpecValue, shape: ValueShape, path: string): ShapeProblem {
  const message = `${path} must be ${shapeName(shape)}, but is ${kindOf(value)}`
  const hint = takesText(shape) ? quotesHint(value) : undefined
  return { path, code: 'case.type', message, ...(hint !== undefined && { hint }) }
}

function quotesHint(value: SpecValue): string | undefined {
  if (value === null) return 'Put a text that starts with # in quotes: YAML reads it as a comment.'
  const isWord = typeof value === 'boolean' || numberOf(value) !== undefined
  return isWord ? 'To write it as text, put it in quotes.' : undefined
}

const takesText = (shape: ValueShape): boolean =>
  shape === 'text' ||
  shape === 'name' ||
  shape === 'path' ||
  (typeof shape === 'object' && 'either' in shape && shape.either.some(takesText))

/** Names the kind of a value, to follow "is" in a message. */
export function kindOf(value: SpecValue): string {
  if (value === null) return 'null'
  if (value instanceof Map) return value.size > 0 ? 'a mapping' : 'an empty mapping'
  if (Array.isArray(value)) return value.length > 0 ? 'a list' : 'an empty list'
  if (typeof value === 'string') return value.trim() === '' ? 'blank' : 'text'
  return numberOf(value) === undefined ? String(value) : `the number ${value}`
}
