/** A value as its file lists it: members in the order of the shape, then those it does not name. */
import type { Member, RecordShape, Shape } from '../../wire/shape.ts'
import { prettyAsOrdered } from '../canonical.ts'
import type { JsonObject } from '../json.ts'
import { isObject } from './flaw.ts'

export function documentOf(shape: RecordShape, value: object): JsonObject {
  return recordOf(shape, value as Readonly<Record<string, unknown>>) as JsonObject
}

/** The document as a file of its own. A number that a newer tool wrote keeps its spelling. */
export const printDocument = (shape: RecordShape, value: object): string =>
  `${prettyAsOrdered(documentOf(shape, value))}\n`

function recordOf({ members }: RecordShape, value: Readonly<Record<string, unknown>>) {
  const known = Object.entries(members)
    .filter(([name, member]) => isWritten(member, value[name]))
    .map(([name, member]) => [name, inOrder(member, value[name])] as const)
  const others = Object.entries(value).filter(([name]) => !Object.hasOwn(members, name))
  return Object.fromEntries([...known, ...others])
}

function isWritten({ omitsEmpty }: Member, value: unknown): boolean {
  if (value === undefined) return false
  return !(omitsEmpty && (value === '' || (Array.isArray(value) && value.length === 0)))
}

function inOrder(shape: Shape, value: unknown): unknown {
  if (shape.is === 'record' && isObject(value)) return recordOf(shape, value)
  if (shape.is === 'list' && Array.isArray(value)) return value.map(one => inOrder(shape.of, one))
  return value
}
