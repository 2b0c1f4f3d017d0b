/** Reads members of instruction documents: a value, or a refusal that names the member. */
import type { Members, RecordOf, Shape } from '../../wire/shape.ts'
import { isJsonObject, type Json, JsonNumber, type JsonObject } from '../json.ts'
import { trim } from '../text/clean.ts'
import { instantOf } from '../timestamp.ts'
import type { InstructionClass } from './instruction-classes.ts'
import { allRead, type InstructionRefusal, refused } from './instruction-refusal.ts'

/** The location of a member, and the class to report if it is invalid. */
export interface Member {
  readonly at: string
  readonly failureClass: InstructionClass
}

/** Trimmed text that is not blank. */
export function textOf(value: Json | undefined, { at, failureClass }: Member) {
  const text = typeof value === 'string' ? trim(value) : ''
  return text === '' ? refused(failureClass, `${at} is missing, blank or not text`) : text
}

/** The same, but surrounding blanks are an error, because the text is an identity. */
export function exactTextOf(value: Json | undefined, member: Member) {
  const text = textOf(value, member)
  if (typeof text !== 'string' || text === value) return text
  return refused(member.failureClass, `${member.at} has blanks around it`)
}

/** Distinct trimmed names, in order. */
export function namesOf(value: Json | undefined, member: Member) {
  const { at, failureClass } = member
  const names = textsOf(value, member)
  if (!Array.isArray(names)) return names
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  return twice === undefined ? names : refused(failureClass, `${at} has ${shown(twice)} twice`)
}

/** Trimmed texts that are not blank, in order. */
export function textsOf(
  value: Json | undefined,
  { at, failureClass }: Member,
): readonly string[] | InstructionRefusal {
  if (!Array.isArray(value)) return refused(failureClass, `${at} is not a list`)
  const texts = (value as readonly Json[]).map((item, place) =>
    textOf(item, { at: `${at}[${place}]`, failureClass }),
  )
  return allRead(texts)
}

/** One of the words of a shape. */
export function wordOf<const Word extends string>(
  value: Json | undefined,
  words: readonly Word[],
  member: Member,
) {
  const text = textOf(value, member)
  const found = words.find(one => one === text)
  return found ?? refused(member.failureClass, `${member.at} is none of ${words.join(', ')}`)
}

/** Reads the members of an object by their shapes. An absent optional member stays absent. */
export function membersOf<const M extends Members>(
  members: M,
  object: JsonObject,
  { at, failureClass }: Member,
): RecordOf<M> | InstructionRefusal {
  const read = Object.entries(members).flatMap(([name, shape]) => {
    const place = { at: at === '' ? name : `${at}.${name}`, failureClass }
    if (shape.isOptional && !isGiven(object, name)) {
      return shape.whenAbsent === undefined ? [] : [[name, shape.whenAbsent]]
    }
    return [[name, fieldOf(shape, object[name], place)]]
  })
  return allRead(Object.fromEntries(read)) as never
}

function fieldOf(shape: Shape, value: Json | undefined, member: Member): unknown {
  const bad = (why: string) => refused(member.failureClass, `${member.at} ${why}`)
  switch (shape.is) {
    case 'record':
      return isJsonObject(value) ? membersOf(shape.members, value, member) : bad('is not an object')
    case 'list':
      return Array.isArray(value) ? entriesOf(shape.of, value, member) : bad('is not a list')
    case 'word':
      return wordOf(value, shape.words, member)
    case 'flag':
      return typeof value === 'boolean' ? value : bad('is not true or false')
    case 'nullable':
      return value === null ? null : fieldOf(shape.of, value, member)
    case 'whole':
      return Number.isSafeInteger(value) && Number(value) >= (shape.least ?? Number(value))
        ? value
        : bad(`is not a whole number${shape.least === undefined ? '' : ` from ${shape.least}`}`)
    default: {
      const text = textOf(value, member)
      const isTime = shape.is === 'text' && shape.format === 'date-time'
      return isTime && typeof text === 'string' && instantOf(text) === undefined
        ? bad('is not an RFC 3339 time')
        : text
    }
  }
}

const entriesOf = (shape: Shape, values: readonly Json[], { at, failureClass }: Member) =>
  allRead(values.map((one, place) => fieldOf(shape, one, { at: `${at}[${place}]`, failureClass })))

/** True if it is written as an integer: `1.0` is not. */
export function isWhole(value: Json | undefined): boolean {
  if (typeof value === 'number') return Number.isInteger(value)
  return value instanceof JsonNumber && /^-?\d+$/.test(value.text)
}

/** An explicit null counts as present. */
export const isGiven = (object: JsonObject, name: string): boolean => object[name] !== undefined

const shownCharsMax = 200

/** Quotes and shortens text for a message. */
export const shown = (text: string): string => JSON.stringify(text.slice(0, shownCharsMax))
