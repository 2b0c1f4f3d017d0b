/** Members of documents about instructions: a value, or the refusal that names the member. */

import { type Json, JsonNumber, type JsonObject } from '../json.ts'
import { trim } from '../text/clean.ts'
import type { InstructionClass } from './instruction-classes.ts'
import { allRead, type InstructionRefusal, refused } from './instruction-refusal.ts'

/** Where a member stands, and the class of one that is not as it must be. */
export interface Member {
  readonly at: string
  readonly failureClass: InstructionClass
}

/** Text that means something, without the blanks around it. */
export function textOf(value: Json | undefined, { at, failureClass }: Member) {
  const text = typeof value === 'string' ? trim(value) : ''
  return text === '' ? refused(failureClass, `${at} is missing, blank or not text`) : text
}

/** The same, where blanks around it are a mistake: the text is an identity. */
export function exactTextOf(value: Json | undefined, member: Member) {
  const text = textOf(value, member)
  if (typeof text !== 'string' || text === value) return text
  return refused(member.failureClass, `${member.at} has blanks around it`)
}

/** Distinct names, trimmed, in their order. */
export function namesOf(value: Json | undefined, member: Member) {
  const { at, failureClass } = member
  const names = textsOf(value, member)
  if (!Array.isArray(names)) return names
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  return twice === undefined ? names : refused(failureClass, `${at} has ${shown(twice)} twice`)
}

/** Text that means something, trimmed, in its order. */
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

/** Whether it is written as a whole number: `1.0` is none. */
export function isWhole(value: Json | undefined): boolean {
  if (typeof value === 'number') return Number.isInteger(value)
  return value instanceof JsonNumber && /^-?\d+$/.test(value.text)
}

/** An explicit null is there: whoever wrote it meant something by it. */
export const isGiven = (object: JsonObject, name: string): boolean => object[name] !== undefined

const shownCharsMax = 200

/** What a file holds, in a message: quoted, and not endless. */
export const shown = (text: string): string => JSON.stringify(text.slice(0, shownCharsMax))
