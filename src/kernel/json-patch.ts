/** Changes of a JSON value: the operations `add`, `remove` and `replace` of JSON Patch (RFC 6902). */
import { Fault } from '../fault.ts'
import { EmptyObject, isJsonObject, type Json, quoted } from './json.ts'

export type JsonChange =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }

/** The value after all changes, one after the other. The value itself stays as it is. */
export const changed = (value: Json, changes: readonly JsonChange[]): Json =>
  changes.reduce(applied, value)

function applied(value: Json, change: JsonChange): Json {
  const names = namesIn(change.path)
  if (names.length > 0) return changedBelow(value, names, change)
  if (change.op === 'remove') throw bad(change, 'the whole document cannot be removed')
  return change.value
}

/** The names in a JSON Pointer (RFC 6901). */
function namesIn(path: string): readonly string[] {
  if (path === '') return []
  const [before, ...names] = path.split('/')
  if (before !== '') throw new Fault('invalid_input', `the path ${quoted(path)} must begin with /`)
  return names.map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function changedBelow(value: Json, names: readonly string[], change: JsonChange): Json {
  const [name = '', ...rest] = names
  if (Array.isArray(value)) return changedList(value, name, rest, change)
  if (isJsonObject(value)) return changedObject(value, name, rest, change)
  throw bad(change, `${quoted(name)} is in no object or list`)
}

function changedObject(
  object: Readonly<Record<string, Json>>,
  name: string,
  rest: readonly string[],
  change: JsonChange,
): Json {
  const member = object[name]
  if (member === undefined && (rest.length > 0 || change.op !== 'add')) {
    throw bad(change, `there is no member ${quoted(name)}`)
  }
  const copy = Object.assign(new EmptyObject(), object)
  if (member !== undefined && rest.length > 0) copy[name] = changedBelow(member, rest, change)
  else if (change.op === 'remove') delete copy[name]
  else copy[name] = change.value
  return copy
}

function changedList(
  list: readonly Json[],
  name: string,
  rest: readonly string[],
  change: JsonChange,
): Json {
  const isAdded = rest.length === 0 && change.op === 'add'
  const at = isAdded && name === '-' ? list.length : Number(name)
  const end = isAdded ? list.length : list.length - 1
  if (!/^(?:-|0|[1-9][0-9]*)$/.test(name) || !(at <= end)) {
    throw bad(change, `there is no item ${quoted(name)}`)
  }
  const item = list[at]
  if (item !== undefined && rest.length > 0) {
    return list.with(at, changedBelow(item, rest, change))
  }
  if (change.op === 'add') return list.toSpliced(at, 0, change.value)
  return change.op === 'remove' ? list.toSpliced(at, 1) : list.with(at, change.value)
}

const bad = ({ op, path }: JsonChange, why: string) =>
  new Fault('invalid_input', `cannot ${op} ${quoted(path)}: ${why}`)
