import { canonicalJson, prettyJson } from '../canonical.ts'
import type { Json } from '../json.ts'

/** How every surface prints a result: keys sorted at every depth, two spaces, a final newline. */
export function printJson(value: unknown): string {
  return `${prettyJson(value as Json)}\n`
}

/** The same on one line, for results that come one after another. */
export function printJsonLine(value: unknown): string {
  return `${canonicalJson(value as Json)}\n`
}
