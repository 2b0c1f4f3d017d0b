/** Finds members that a shape does not name, also where the shape allows more. */
import { flawIn, isObject, variantOf } from '../src/kernel/artifact/flaw.ts'
import type { RecordShape, Shape } from '../src/wire/shape.ts'

/** The paths of all members of the value that the shape does not name. */
export function unknownMembers(shape: Shape, value: unknown, at = ''): readonly string[] {
  switch (shape.is) {
    case 'list':
      return Array.isArray(value)
        ? value.flatMap((one, place) => unknownMembers(shape.of, one, `${at}[${place}]`))
        : []
    case 'map':
      return isObject(value)
        ? Object.entries(value).flatMap(([key, one]) =>
            unknownMembers(shape.of, one, `${at}[${key}]`),
          )
        : []
    case 'nullable':
      return value === null ? [] : unknownMembers(shape.of, value, at)
    case 'union':
      return fewest(
        shape.of.filter(one => !flawIn(one, value)).map(one => unknownMembers(one, value, at)),
      )
    case 'variant': {
      const chosen = variantOf(shape, value)
      return 'members' in chosen ? unknownMembers(chosen, value, at) : []
    }
    case 'record':
      return isObject(value) && !isFree(shape) ? ofRecord(shape, value, at) : []
    default:
      return []
  }
}

export const fewest = (lists: readonly (readonly string[])[]): readonly string[] =>
  lists.toSorted((a, b) => a.length - b.length)[0] ?? []

const ofRecord = (
  { members }: RecordShape,
  value: Readonly<Record<string, unknown>>,
  at: string,
): readonly string[] =>
  Object.entries(value).flatMap(([name, one]) => {
    const member = Object.hasOwn(members, name) ? members[name] : undefined
    const place = at === '' ? name : `${at}.${name}`
    return member ? unknownMembers(member, one, place) : [place]
  })

/** An open record without members of its own holds the document of somebody else. */
const isFree = ({ members, isOpen }: RecordShape) => isOpen && Object.keys(members).length === 0

/** The paths at which a shape takes any value, or any members. */
export function freePlaces(shape: Shape, at: string): readonly string[] {
  switch (shape.is) {
    case 'any':
      return [at]
    case 'list':
      return freePlaces(shape.of, `${at}[]`)
    case 'map':
    case 'nullable':
      return freePlaces(shape.of, at)
    case 'union':
    case 'variant':
      return [...new Set(shape.of.flatMap(one => freePlaces(one, at)))]
    case 'record':
      return isFree(shape)
        ? [at]
        : Object.entries(shape.members).flatMap(([name, one]) => freePlaces(one, `${at}.${name}`))
    default:
      return []
  }
}
