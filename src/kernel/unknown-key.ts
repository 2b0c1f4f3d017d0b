/** What a document says and its kind does not know: a misspelt rule must not read as off. */
import { isJsonObject, type JsonObject } from './json.ts'
import { nearest } from './text/nearest.ts'

/**
 * In words, the first member that is not among `members`, at whatever depth: paths such as
 * `harness.requireAgentEvidence`. What lies below a member that names nothing below it is free.
 */
export function strayMember(
  document: JsonObject,
  members: readonly string[],
  above = '',
): string | undefined {
  for (const [name, value] of Object.entries(document)) {
    const path = `${above}${name}`
    // A dot in a name is no way down.
    if (name.includes('.') || !members.includes(path)) return complaint(name, above, members)
    const isDeeper = members.some(member => member.startsWith(`${path}.`))
    const stray =
      isDeeper && isJsonObject(value) ? strayMember(value, members, `${path}.`) : undefined
    if (stray !== undefined) return stray
  }
  return undefined
}

function complaint(name: string, above: string, members: readonly string[]): string {
  const where = above === '' ? 'it' : above.slice(0, -1)
  const meant = meantBy(name, above, members)
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
