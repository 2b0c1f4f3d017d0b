/** Headers as the subjects of assertions. */
import { byCodePoint } from '../../canonical.ts'
import type { SpecValue } from '../lang/value.ts'
import type { HeaderLists } from './cors.ts'
import type { Header } from './http-text.ts'

/** One `Name: value` line per header, sorted by name. Repeated headers keep their order. */
export const headersText = (headers: readonly Header[]): string =>
  headers
    .toSorted(([a], [b]) => byCodePoint(a, b))
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

/** By lower-case name, every value in order. */
export function headerLists(headers: readonly Header[]): HeaderLists {
  const byName = new Map<string, string[]>()
  for (const [name, value] of headers) {
    const known = byName.get(name.toLowerCase())
    if (known) known.push(value)
    else byName.set(name.toLowerCase(), [value])
  }
  return byName
}

/** By name as received. The last of repeated headers wins. */
export const headersMapping = (headers: readonly Header[]): SpecValue => new Map(headers)

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Why a header cannot be sent, to follow its place. */
export function headerFlaw(name: string, value: string): string | undefined {
  if (!token.test(name)) return `has an invalid header name: ${JSON.stringify(name)}`
  // The characters that HTTP allows in a value, and no line break: it would start another header.
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    return 'contains a character that a header cannot have'
  }
  return undefined
}
