/** Finds a member that the shape of a document does not name: a misspelt rule must not read as off. */
import type { RecordShape } from '../wire/shape.ts'
import type { Flaw } from './artifact/flaw.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { nearest } from './text/nearest.ts'

/** The flaw of a document in words. A misspelt member comes first: it explains a missing one. */
export function flawMessage(flaw: Flaw, document: Json, shape: RecordShape): string {
  // A document of another kind has other members.
  const isOfKind = isJsonObject(document) && shape.members[flaw.at]?.is !== 'literal'
  return (isOfKind ? unknownKeyMessage(document, shape) : undefined) ?? String(flaw)
}

/** A complaint about the first member that the shape does not name, at any depth. */
export function unknownKeyMessage(document: JsonObject, shape: RecordShape): string | undefined {
  const unknown = unknownKeyIn(document, shape)
  return unknown && messageOf(unknown)
}

/** A member that the shape does not name. */
export interface UnknownKey {
  readonly name: string
  /** The names of the records around it, from the outside in. */
  readonly above: readonly string[]
  /** The member that its author most likely meant, such as `harness.requireAgentEvidence`. */
  readonly meant: string | undefined
}

/** The first one, at any depth. */
export const unknownKeyIn = (document: JsonObject, shape: RecordShape): UnknownKey | undefined =>
  strayIn(document, pathsIn(shape), '')

/** Such as `harness.requireAgentEvidence`. */
const pathsIn = ({ members }: RecordShape, above = ''): readonly string[] =>
  Object.entries(members).flatMap(([name, member]) => {
    const path = `${above}${name}`
    return member.is === 'record' ? [path, ...pathsIn(member, `${path}.`)] : [path]
  })

function strayIn(
  document: JsonObject,
  members: readonly string[],
  above: string,
): UnknownKey | undefined {
  for (const [name, value] of Object.entries(document)) {
    const path = `${above}${name}`
    // A dot in a name does not lead to a member below.
    if (name.includes('.') || !members.includes(path)) return unknown(name, above, members)
    const isDeeper = members.some(member => member.startsWith(`${path}.`))
    const stray = isDeeper && isJsonObject(value) ? strayIn(value, members, `${path}.`) : undefined
    if (stray !== undefined) return stray
  }
  return undefined
}

const unknown = (name: string, above: string, members: readonly string[]): UnknownKey => ({
  name,
  above: above.split('.').slice(0, -1),
  meant: meantBy(name, above, members),
})

function messageOf({ name, above, meant }: UnknownKey): string {
  const where = above.length === 0 ? 'it' : above.join('.')
  const remedy =
    meant === undefined
      ? ''
      : meant === name
        ? '; it belongs to the whole document'
        : `; did you mean ${meant}?`
  return `${where} knows no ${JSON.stringify(name)}${remedy}`
}

/** Misspelt here, or put in the wrong place. */
function meantBy(name: string, above: string, members: readonly string[]): string | undefined {
  const here = members.filter(member => member === `${above}${lastOf(member)}`)
  for (const candidates of [here, members]) {
    const found = nearest(name, candidates.map(lastOf))
    if (found !== undefined) return candidates.find(member => lastOf(member) === found)
  }
  return undefined
}

const lastOf = (path: string) => path.slice(path.lastIndexOf('.') + 1)
