/** The arguments of a host function as JSON. */
import { EmptyObject, type Json, type JsonObject } from '../../json.ts'
import { jsonOfValue } from '../json-value.ts'
import type { Meter } from '../meter.ts'
import { shown } from '../print.ts'
import { Failure, Hash, Sym, type Value } from '../value.ts'

/**
 * `(issue.ready :limit 3)`: keywords and values in turn, or one hash map. A keyword of several words,
 * as in `:depends-on`, is the member `dependsOn`.
 */
export function hostArguments(
  action: string,
  args: readonly Value[],
  meter: Meter,
): JsonObject | Failure {
  const [first] = args
  if (args.length === 1 && first instanceof Hash) return jsonOfValue(first, meter) as JsonObject
  const object: Record<string, Json> = new EmptyObject()
  for (let at = 0; at < args.length; at += 2) {
    const name = memberName(args[at] as Value)
    const value = args[at + 1]
    if (name === undefined || value === undefined) return badArguments(action, args[at] as Value)
    const json = jsonOfValue(value, meter)
    if (json instanceof Failure) return json
    object[name] = json
  }
  return object
}

function memberName(value: Value): string | undefined {
  const written = value instanceof Sym ? value.name.replace(/^:/, '') : value
  if (typeof written !== 'string' || written === '') return undefined
  return written.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

const badArguments = (action: string, value: Value) =>
  new Failure(
    `${action} takes names with values, and ${shown(value)} is none`,
    `Write (${action} :name value), or pass one hash map.`,
  )
