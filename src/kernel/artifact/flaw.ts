/** Checks a value against its shape. */
import {
  filledPattern,
  type ListShape,
  type RecordShape,
  type Shape,
  type TextShape,
  type ValueOf,
} from '../../wire/shape.ts'
import { clip } from '../text/clean.ts'
import { nearest } from '../text/nearest.ts'

/** The first thing that is wrong with a value, and where. */
export class Flaw {
  readonly why: string
  /** Such as `rules[0].ruleId`; blank for the value as a whole. */
  readonly at: string
  /** The value is of a later version: a newer premath wrote it. */
  readonly isNewer: boolean

  constructor(why: string, at = '', isNewer = false) {
    this.why = why
    this.at = at
    this.isNewer = isNewer
  }

  /** The same flaw in the value that holds this one: `step` is a member or an index in brackets. */
  under(step: string): Flaw {
    const isJoined = this.at === '' || this.at.startsWith('[')
    const at = isJoined ? `${step}${this.at}` : `${step}.${this.at}`
    return new Flaw(this.why, at, this.isNewer)
  }

  toString(): string {
    return `${this.at === '' ? 'it' : this.at} ${this.why}`
  }
}

/** The value with the type of its shape, or its first flaw. Numbers have to be plain. */
export const shaped = <const S extends Shape>(shape: S, value: unknown): ValueOf<S> | Flaw =>
  // The compiler cannot see that a value without a flaw has the type.
  flawIn(shape, value) ?? (value as never)

export function flawIn(shape: Shape, value: unknown): Flaw | undefined {
  if (value === undefined) return new Flaw('is missing')
  switch (shape.is) {
    case 'list':
      return Array.isArray(value) ? listFlaw(shape, value) : new Flaw('must be a list')
    case 'map':
      return isObject(value) ? mapFlaw(shape.of, value) : new Flaw('must be an object')
    case 'record':
      return isObject(value) ? recordFlaw(shape, value) : new Flaw('must be an object')
    case 'nullable':
      return value === null ? undefined : flawIn(shape.of, value)
    case 'union': {
      const flaws = shape.of.map(one => flawIn(one, value))
      return flaws.includes(undefined) ? undefined : flaws[0]
    }
    case 'variant': {
      const chosen = variantOf(shape, value)
      return chosen instanceof Flaw ? chosen : flawIn(chosen, value)
    }
    default: {
      const why = scalarFlaw(shape, value)
      return why === undefined ? undefined : new Flaw(why)
    }
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** How a flaw of a newer document is mended: editing it would take away what it says. */
export const newerHint = 'Update premath: an older one cannot know what the document means.'

/**
 * For a value with a flaw: the flaw of `schema` or of its kind, where the version is later than ours.
 * It explains the others, because a later version has other members.
 */
export function newerFlaw(
  { members }: RecordShape,
  value: Readonly<Record<string, unknown>>,
): Flaw | undefined {
  for (const [name, member] of Object.entries(members)) {
    if (member.is !== 'literal') continue
    const [ours, theirs] = [versionIn(name, member.value), versionIn(name, value[name])]
    if (ours === undefined || theirs === undefined) continue
    if (ours.of !== theirs.of || theirs.version <= ours.version) continue
    return new Flaw(
      `is ${value[name]}, written by a newer premath; this one reads ${member.value}`,
      name,
      true,
    )
  }
  return undefined
}

/** `1` of a `schema`, and `premath.trust` with `1` of `premath.trust.v1`. */
function versionIn(name: string, value: unknown): { of: string; version: number } | undefined {
  if (name === 'schema' && typeof value === 'string') return undefined
  const [, of = '', version] = /^(?:(.+)\.v)?(\d{1,9})$/.exec(String(value)) ?? []
  if (version === undefined || (of === '') !== (name === 'schema')) return undefined
  return { of, version: Number(version) }
}

function listFlaw(shape: ListShape, value: readonly unknown[]): Flaw | undefined {
  for (const [place, one] of value.entries()) {
    const flaw = flawIn(shape.of, one)
    if (flaw) return flaw.under(`[${place}]`)
  }
  return lengthFlaw(shape, value)
}

export function lengthFlaw(
  { least = 0, most = Number.POSITIVE_INFINITY }: ListShape,
  { length }: readonly unknown[],
): Flaw | undefined {
  if (length > most) return new Flaw(`must have at most ${most} entries`)
  if (length >= least) return undefined
  return new Flaw(least === 1 ? 'must not be empty' : `must have at least ${least} entries`)
}

function mapFlaw(shape: Shape, value: Readonly<Record<string, unknown>>): Flaw | undefined {
  for (const [key, one] of Object.entries(value)) {
    if (textFlaw(filled, key) !== undefined) return new Flaw('has a blank key')
    const flaw = flawIn(shape, one)
    if (flaw) return flaw.under(`[${JSON.stringify(key)}]`)
  }
  return undefined
}

const filled = { is: 'text', pattern: filledPattern } as const

function recordFlaw(
  shape: RecordShape,
  value: Readonly<Record<string, unknown>>,
): Flaw | undefined {
  const flaw = memberFlaw(shape, value)
  return flaw && (newerFlaw(shape, value) ?? flaw)
}

function memberFlaw(
  { members, isOpen }: RecordShape,
  value: Readonly<Record<string, unknown>>,
): Flaw | undefined {
  for (const [name, member] of Object.entries(members)) {
    const isLeftOut = value[name] === undefined && member.isOptional
    const flaw = isLeftOut ? undefined : flawIn(member, value[name])
    if (flaw) return flaw.under(name)
  }
  const unknown = Object.keys(value).find(name => !Object.hasOwn(members, name))
  return unknown === undefined || isOpen ? undefined : unknownMember(unknown, members)
}

export function unknownMember(name: string, members: object): Flaw {
  const meant = nearest(name, Object.keys(members))
  const hint = meant ? `; did you mean ${meant}?` : ''
  return new Flaw(`has an unknown member ${JSON.stringify(name)}${hint}`)
}

/** The record that a value has to fit, by the member that names it. */
export function variantOf(
  { by, of }: Extract<Shape, { is: 'variant' }>,
  value: unknown,
): RecordShape | Flaw {
  if (!isObject(value)) return new Flaw('must be an object')
  const { [by]: name } = value
  const names = of.flatMap(one => namesOf(one, by))
  const shape = of.find(one => namesOf(one, by).includes(name))
  return shape ?? new Flaw(`must be one of ${names.join(', ')}${not(name)}`, by)
}

function namesOf({ members }: RecordShape, by: string): readonly unknown[] {
  const member = members[by]
  if (member?.is === 'word') return member.words
  return member?.is === 'literal' ? [member.value] : []
}

/** Shows the value that was found instead, unless it holds others. */
function not(value: unknown): string {
  if (typeof value === 'string') return `, not ${JSON.stringify(clip(value, shownCharsMax))}`
  return typeof value === 'object' || value === undefined ? '' : `, not ${value}`
}

const shownCharsMax = 60

/** Why a value that holds no others does not fit. */
export function scalarFlaw(shape: Shape, value: unknown): string | undefined {
  switch (shape.is) {
    case 'flag':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'text':
      return typeof value === 'string' ? textFlaw(shape, value) : 'must be text'
    case 'whole':
      return wholeFlaw(shape, value)
    case 'number':
      return numberFlaw(shape, value)
    case 'literal':
      return value === shape.value
        ? undefined
        : `must be ${JSON.stringify(shape.value)}${not(value)}`
    case 'word':
      return shape.words.some(one => one === value)
        ? undefined
        : `must be one of ${shape.words.join(', ')}${not(value)}`
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
  if (format === 'date-time') return `must be an RFC 3339 time${not(value)}`
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

function wholeFlaw(
  { least, most }: { readonly least?: number; readonly most?: number },
  value: unknown,
): string | undefined {
  const number = Number.isSafeInteger(value) ? Number(value) : Number.NaN
  if (number >= (least ?? number) && number <= (most ?? number)) return undefined
  const from = least === undefined ? '' : ` from ${least}`
  return `must be a whole number${from}${most === undefined ? '' : ` to ${most}`}`
}

function numberFlaw(
  { least, above }: { readonly least?: number; readonly above?: number },
  value: unknown,
): string | undefined {
  if (typeof value !== 'number') return 'must be a number'
  if (least !== undefined && value < least) return `must be ${least} or more`
  return above !== undefined && value <= above ? `must be more than ${above}` : undefined
}
