/** Compares one member of two versions of a JSON or TOML file. */
import { parse, TomlError } from 'smol-toml'
import { canonicalJson } from '../canonical.ts'
import { isJsonObject, type Json, jsonIn } from '../json.ts'

interface Versions {
  readonly path: string
  /** Blank for a file that is not there. */
  readonly before: string
  readonly after: string
}

/**
 * True if the member differs, or a text cannot be read. The member of a member is named with a dot:
 * `tool.pytest`.
 */
export function isMemberChanged({ path, before, after }: Versions, member: string): boolean {
  const read = /\.toml$/i.test(path) ? tomlIn : jsonIn
  const [old, now] = [before, after].map(text => {
    const value = text === '' ? {} : read(text)
    return isJsonObject(value) ? canonicalJson(memberOf(value, member)) : undefined
  })
  return old === undefined || old !== now
}

const memberOf = (value: Json, member: string): Json =>
  member
    .split('.')
    .reduce<Json>((found, name) => (isJsonObject(found) ? (found[name] ?? null) : null), value)

function tomlIn(text: string): Json | undefined {
  try {
    return jsonIn(JSON.stringify(parse(text)))
  } catch (error) {
    if (error instanceof TomlError) return undefined
    throw error
  }
}
