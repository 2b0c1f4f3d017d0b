/** `std.type`: what kind of JSON a value is. */
import { builtin, type Namespace } from '../builtin.ts'
import { numberOf } from '../float.ts'
import { type Item, isDict, isItems } from '../item.ts'

export type JsonType = 'null' | 'bool' | 'number' | 'string' | 'list' | 'dict'

const aliases: Readonly<Record<string, string>> = {
  boolean: 'bool',
  array: 'list',
  object: 'dict',
}

/** One of the six names; `undefined` for a function. */
export function jsonTypeOf(item: Item): JsonType | undefined {
  if (item === null) return 'null'
  if (isItems(item)) return 'list'
  if (isDict(item)) return 'dict'
  if (typeof item === 'boolean') return 'bool'
  if (typeof item === 'string') return 'string'
  return numberOf(item) === undefined ? undefined : 'number'
}

/** How a type is called here, by any of the names it may be asked for. */
export function jsonTypeNamed(name: string): string {
  const plain = name.trim().toLowerCase()
  return Object.hasOwn(aliases, plain) ? (aliases[plain] as string) : plain
}

const is = (type: JsonType, means: string) =>
  builtin(['any'], means, (item: Item) => jsonTypeOf(item) === type)

export const type = {
  json_type: builtin(
    ['any', 'text'],
    'Whether the value is of this type: null, bool, number, string, list or dict.',
    (item, name) => jsonTypeOf(item) === jsonTypeNamed(name),
    { subjectFirst: true },
  ),
  is_null: is('null', 'Whether it is null.'),
  is_bool: is('bool', 'Whether it is true or false.'),
  is_boolean: is('bool', 'As `is_bool`.'),
  is_number: is('number', 'Whether it is a number.'),
  is_integer: builtin(
    ['any'],
    'Whether it is a number written without a fraction: 1 is, 1.0 is not.',
    item => Number.isInteger(item),
  ),
  is_string: is('string', 'Whether it is text.'),
  is_list: is('list', 'Whether it is a list.'),
  is_array: is('list', 'As `is_list`.'),
  is_dict: is('dict', 'Whether it is a mapping.'),
  is_object: is('dict', 'As `is_dict`.'),
} satisfies Namespace
