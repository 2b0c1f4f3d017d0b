/** Checks a value against its shape. */
import {
  filledPattern,
  type RecordShape,
  type Shape,
  type TextShape,
  type ValueOf,
} from '../../wire/shape.ts'
import { nearest } from '../text/nearest.ts'

/** The first thing that is wrong with a value, and where. */
export class Flaw {
  /** Such as `rules[0].ruleId`; blank for the value as a whole. */
  readonly at: string
  readonly why: string

  constructor(at: string, why: string) {
    this.at = at
    this.why = why
  }

  toString(): string {
    return this.at === '' ? `it ${this.why}` : `${this.at} ${this.why}`
  }
}

/** The value with the type of its shape, or its first flaw. Numbers have to be plain. */
export const shaped = <const S extends Shape>(shape: S, value: unknown): ValueOf<S> | Flaw =>
  // The compiler cannot see that a value without a flaw has the type.
  flawIn(shape, value) ?? (value as never)

export function flawIn(shape: Shape, value: unknown, at = ''): Flaw | undefined {
  if (value === undefined) return new Flaw(at, 'is missing')
  switch (shape.is) {
    case 'list':
      return Array.isArray(value)
        ? (lengthFlaw(shape, value, at) ??
            first(value.entries(), ([place, one]) => flawIn(shape.of, one, `${at}[${place}]`)))
        : new Flaw(at, 'must be a list')
    case 'map':
      return isObject(value) ? mapFlaw(shape.of, value, at) : new Flaw(at, 'must be an object')
    case 'record':
      return isObject(value) ? recordFlaw(shape, value, at) : new Flaw(at, 'must be an object')
    case 'nullable':
      return value === null ? undefined : flawIn(shape.of, value, at)
    case 'union':
      return unionFlaw(shape.of, value, at)
    case 'variant':
      return variantFlaw(shape, value, at)
    default: {
      const why = scalarFlaw(shape, value)
      return why === undefined ? undefined : new Flaw(at, why)
    }
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const below = (at: string, name: string) => (at === '' ? name : `${at}.${name}`)

function mapFlaw(
  shape: Shape,
  value: Readonly<Record<string, unknown>>,
  at: string,
): Flaw | undefined {
  return first(Object.entries(value), ([key, one]) =>
    textFlaw(filled, key) === undefined
      ? flawIn(shape, one, `${at}[${JSON.stringify(key)}]`)
      : new Flaw(at, 'has a blank key'),
  )
}

const filled = { is: 'text', pattern: filledPattern } as const

function recordFlaw(
  { members, isOpen }: RecordShape,
  value: Readonly<Record<string, unknown>>,
  at: string,
): Flaw | undefined {
  const flaw = first(Object.entries(members), ([name, member]) =>
    value[name] === undefined && member.isOptional
      ? undefined
      : flawIn(member, value[name], below(at, name)),
  )
  if (flaw || isOpen) return flaw
  const unknown = Object.keys(value).find(name => !Object.hasOwn(members, name))
  return unknown === undefined ? undefined : new Flaw(at, unknownMember(unknown, members))
}

export function unknownMember(name: string, members: object): string {
  const meant = nearest(name, Object.keys(members))
  return `has an unknown member ${JSON.stringify(name)}${meant ? `; did you mean ${meant}?` : ''}`
}

function unionFlaw(shapes: readonly Shape[], value: unknown, at: string): Flaw | undefined {
  const flaws = shapes.map(shape => flawIn(shape, value, at))
  return flaws.includes(undefined) ? undefined : flaws[0]
}

function variantFlaw(
  { by, of }: Extract<Shape, { is: 'variant' }>,
  value: unknown,
  at: string,
): Flaw | undefined {
  if (!isObject(value)) return new Flaw(at, 'must be an object')
  const shape = of.find(one => namesOf(one, by).includes(value[by]))
  if (shape) return flawIn(shape, value, at)
  return new Flaw(below(at, by), `must be one of ${of.flatMap(one => namesOf(one, by)).join(', ')}`)
}

function namesOf({ members }: RecordShape, by: string): readonly unknown[] {
  const member = members[by]
  if (member?.is === 'word') return member.words
  return member?.is === 'literal' ? [member.value] : []
}

function lengthFlaw(
  {
    least = 0,
    most = Number.POSITIVE_INFINITY,
  }: { readonly least?: number; readonly most?: number },
  { length }: readonly unknown[],
  at: string,
): Flaw | undefined {
  if (length > most) return new Flaw(at, `must have at most ${most} entries`)
  if (length >= least) return undefined
  return new Flaw(at, least === 1 ? 'must not be empty' : `must have at least ${least} entries`)
}

/** Why a value that holds no others does not fit. */
export function scalarFlaw(shape: Shape, value: unknown): string | undefined {
  switch (shape.is) {
    case 'flag':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'text':
      return typeof value === 'string' ? textFlaw(shape, value) : 'must be text'
    case 'whole':
      return Number.isSafeInteger(value) && Number(value) >= (shape.least ?? Number(value))
        ? undefined
        : `must be a whole number${shape.least === undefined ? '' : ` from ${shape.least}`}`
    case 'number':
      return numberFlaw(shape, value)
    case 'literal':
      return value === shape.value ? undefined : `must be ${JSON.stringify(shape.value)}`
    case 'word':
      return shape.words.some(one => one === value)
        ? undefined
        : `must be one of ${shape.words.join(', ')}`
    case 'nothing':
      return 'must be absent'
    default:
      return undefined
  }
}

function textFlaw(
  { pattern, format, leastChars = 0 }: TextShape,
  value: string,
): string | undefined {
  if (value.length < leastChars) return 'must not be blank'
  if (pattern === undefined || patternOf(pattern).test(value)) return undefined
  if (format === 'date-time') return 'must be an RFC 3339 time'
  return pattern === filledPattern ? 'must not be blank' : `must match ${pattern}`
}

const patterns = new Map<string, RegExp>()

/** A witness may have thousands of texts to match. */
function patternOf(source: string): RegExp {
  const known = patterns.get(source)
  if (known) return known
  const made = new RegExp(source, 'u')
  patterns.set(source, made)
  return made
}

function numberFlaw(
  { least, above }: { readonly least?: number; readonly above?: number },
  value: unknown,
): string | undefined {
  if (typeof value !== 'number') return 'must be a number'
  if (least !== undefined && value < least) return `must be ${least} or more`
  return above !== undefined && value <= above ? `must be more than ${above}` : undefined
}

function first<T>(items: Iterable<T>, flawOf: (item: T) => Flaw | undefined): Flaw | undefined {
  for (const item of items) {
    const flaw = flawOf(item)
    if (flaw) return flaw
  }
  return undefined
}
