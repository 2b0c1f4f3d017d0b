/**
 * Reads a document that people edit and other tools write, by its shape. It accepts more than the
 * published JSON Schema and returns the normal form: text is trimmed, blank text counts as absent,
 * any RFC 3339 time will do, and sets are sorted. Members that an open record does not name stay on
 * the value.
 */
import {
  filledPattern,
  type ListShape,
  type Member,
  type RecordShape,
  type Shape,
  type TextShape,
  type ValueOf,
} from '../../wire/shape.ts'
import { isJsonObject, type Json, JsonNumber, type JsonObject } from '../json.ts'
import { cleanRefs, trim } from '../text/clean.ts'
import { instantOf, isCanonicalTimestamp } from '../timestamp.ts'
import { Flaw, lengthFlaw, newerFlaw, scalarFlaw, unknownMember, variantOf } from './flaw.ts'

interface ReadOptions {
  /** Policies refuse `null`, because its author meant something by it. */
  readonly nullIsAbsent?: boolean
}

export const readAs = <const S extends Shape>(
  shape: S,
  value: Json | undefined,
  options: ReadOptions = {},
): ValueOf<S> | Flaw => read(shape, value, options) as never

function read(shape: Shape, value: Json | undefined, options: ReadOptions): unknown {
  switch (shape.is) {
    case 'record':
      return isJsonObject(value) ? readRecord(shape, value, options) : new Flaw('must be an object')
    case 'list':
      return Array.isArray(value) ? readList(shape, value, options) : new Flaw('must be a list')
    case 'map':
      return isJsonObject(value) ? readMap(shape.of, value, options) : new Flaw('must be an object')
    case 'nullable':
      return value === null ? null : read(shape.of, value, options)
    case 'union': {
      const found = shape.of.map(one => read(one, value, options))
      return found.find(one => !(one instanceof Flaw)) ?? found[0]
    }
    case 'variant': {
      const chosen = variantOf(shape, value)
      return chosen instanceof Flaw ? chosen : read(chosen, value, options)
    }
    case 'any':
      return value
    case 'text':
      return typeof value === 'string' ? readText(shape, value) : new Flaw('must be text')
    default: {
      const plain = plainOf(value)
      const why = scalarFlaw(shape, plain)
      return why === undefined ? plain : new Flaw(why)
    }
  }
}

function plainOf(value: Json | undefined): unknown {
  if (typeof value === 'string') return trim(value)
  return value instanceof JsonNumber ? Number(value) : value
}

function readRecord(shape: RecordShape, value: JsonObject, options: ReadOptions): unknown {
  const found = readMembers(shape, value, options)
  return found instanceof Flaw ? (newerFlaw(shape, value) ?? found) : found
}

function readMembers(shape: RecordShape, value: JsonObject, options: ReadOptions): unknown {
  const made: Record<string, unknown> = {}
  let known = 0
  for (const { name, member } of membersOf(shape)) {
    const given = value[name]
    if (given !== undefined) known++
    const found = readMember(member, given, options)
    if (found instanceof Flaw) return found.under(name)
    if (found !== undefined) made[name] = found
  }
  const names = Object.keys(value)
  if (known === names.length) return made
  for (const name of names) {
    if (Object.hasOwn(shape.members, name)) continue
    if (!shape.isOpen) return unknownMember(name, shape.members)
    // Assigning to `__proto__` would not make a member.
    Object.defineProperty(made, name, { ...asMember, value: value[name] })
  }
  return made
}

const asMember = { enumerable: true, configurable: true, writable: true } as const

interface NamedMember {
  readonly name: string
  readonly member: Member
}

const listings = new WeakMap<RecordShape, readonly NamedMember[]>()

/** A log may have hundreds of thousands of rows of one shape. */
function membersOf(shape: RecordShape): readonly NamedMember[] {
  const known = listings.get(shape)
  if (known) return known
  const made = Object.entries(shape.members).map(([name, member]) => ({ name, member }))
  listings.set(shape, made)
  return made
}

function readMember(member: Member, value: Json | undefined, options: ReadOptions): unknown {
  if (member.isUntouched) return value
  const isNothing = value === null && options.nullIsAbsent && member.is !== 'nullable'
  if (value === undefined || isNothing) return absent(member, 'is missing')
  const found = member.isUnchecked ? readUnchecked(member, value) : read(member, value, options)
  return found === blank ? absent(member, 'must not be blank') : found
}

const absent = ({ whenAbsent, isOptional }: Member, why: string): unknown =>
  whenAbsent === undefined && !isOptional ? new Flaw(why) : whenAbsent

/** A text with nothing in it. */
const blank = Symbol('blank')

function readText(shape: TextShape, value: string): unknown {
  if (shape.pattern === filledPattern) return trim(value) || blank
  if (shape.format === 'date-time') return readTime(shape, trim(value))
  const why = scalarFlaw(shape, value)
  return why === undefined ? value : new Flaw(why)
}

function readTime(shape: TextShape, time: string): unknown {
  if (time === '') return blank
  if (isCanonicalTimestamp(time) || instantOf(time) !== undefined) return time
  return new Flaw(scalarFlaw(shape, time) ?? 'must be an RFC 3339 time')
}

function readUnchecked(shape: Shape, value: Json): unknown {
  if (shape.is === 'list') return areTexts(value) ? value : new Flaw('must be a list of text')
  return typeof value === 'string' ? value : new Flaw('must be text')
}

const areTexts = (value: Json): value is readonly string[] =>
  Array.isArray(value) && value.every(one => typeof one === 'string')

function readList(shape: ListShape, value: readonly Json[], options: ReadOptions): unknown {
  if (shape.isSet) return areTexts(value) ? cleanRefs(value) : new Flaw('must be a list of text')
  const made: unknown[] = []
  for (const one of value) {
    const found = readEntry(shape.of, one, options)
    if (found instanceof Flaw) return found.under(`[${made.length}]`)
    made.push(found)
  }
  return lengthFlaw(shape, made) ?? made
}

function readMap(shape: Shape, value: JsonObject, options: ReadOptions): unknown {
  const made: [string, unknown][] = []
  for (const [key, one] of Object.entries(value)) {
    const found = readEntry(shape, one, options)
    if (found instanceof Flaw) return found.under(`[${JSON.stringify(key)}]`)
    made.push([key, found])
  }
  return Object.fromEntries(made)
}

function readEntry(shape: Shape, value: Json, options: ReadOptions): unknown {
  const found = read(shape, value, options)
  return found === blank ? new Flaw('must not be blank') : found
}
