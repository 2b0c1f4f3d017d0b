/** `std.type`: the JSON type of a value. */
import { builtin, type Namespace } from '../builtin.ts'
import { isNumber } from '../float.ts'
import { isInteger } from '../integer.ts'
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
  return isNumber(item) ? 'number' : undefined
}

/** Resolves an alias to the name of the type. */
export function jsonTypeNamed(name: string): string {
  const plain = name.trim().toLowerCase()
  return Object.hasOwn(aliases, plain) ? (aliases[plain] as string) : plain
}

const is = (type: JsonType, means: string) =>
  builtin(['any'], means, (item: Item) => jsonTypeOf(item) === type)

export const type = {
  json_type: builtin(
    ['any', 'text'],
    '(value, type) True if the value has this type: null, bool, number, string, list or dict.',
    (item, name) => jsonTypeOf(item) === jsonTypeNamed(name),
    { subjectFirst: true },
  ),
  is_null: is('null', 'True if the value is null.'),
  is_bool: is('bool', 'True if the value is true or false.'),
  is_boolean: is('bool', 'The same as `is_bool`.'),
  is_number: is('number', 'True if the value is a number.'),
  is_integer: builtin(
    ['any'],
    'True if the value is a number without a fraction: true for 1, false for 1.0.',
    isInteger,
  ),
  is_string: is('string', 'True if the value is text.'),
  is_list: is('list', 'True if the value is a list.'),
  is_array: is('list', 'The same as `is_list`.'),
  is_dict: is('dict', 'True if the value is a mapping.'),
  is_object: is('dict', 'The same as `is_dict`.'),
} satisfies Namespace
