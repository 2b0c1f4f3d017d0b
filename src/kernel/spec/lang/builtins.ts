/** All builtins by full and short name. A new namespace is one line here. */
import { Builtin, type Namespace } from './builtin.ts'
import { collection } from './std/collection.ts'
import { core } from './std/core.ts'
import { fn } from './std/fn.ts'
import { json } from './std/json.ts'
import { logic } from './std/logic.ts'
import { math } from './std/math.ts'
import { nothing } from './std/null.ts'
import { object } from './std/object.ts'
import { schema } from './std/schema.ts'
import { set } from './std/set.ts'
import { string } from './std/string.ts'
import { type } from './std/type.ts'

export const namespaces: Readonly<Record<string, Namespace>> = {
  'std.core': core,
  'std.logic': logic,
  'std.math': math,
  'std.type': type,
  'std.string': string,
  'std.collection': collection,
  'std.object': object,
  'std.set': set,
  'std.fn': fn,
  'std.null': nothing,
  'std.json': json,
  'std.schema': schema,
}

export const builtins: readonly Builtin[] = Object.entries(namespaces).flatMap(
  ([namespace, entries]) =>
    Object.entries(entries).map(([member, entry]) => new Builtin(namespace, member, entry)),
)

const byName = new Map(builtins.map(one => [one.name, one]))
const byShort = new Map(builtins.map(one => [one.short, one]))

/** By a full name, such as `std.math.add`. */
export const builtinNamed = (name: string): Builtin | undefined => byName.get(name)

/** By a short name, such as `add` or `json_parse`. */
export const builtinCalled = (short: string): Builtin | undefined => byShort.get(short)
