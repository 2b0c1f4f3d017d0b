/** `std.null`: defaults for null and empty text. */
import { builtin, type Namespace } from '../builtin.ts'
import type { Item } from '../item.ts'

export const isNothing = (item: Item) => item === null || item === ''

export const nothing = {
  coalesce: builtin(
    ['any', 'any'],
    'The first argument that is neither null nor empty text; null if there is none.',
    (a, b) => (!isNothing(a) ? a : isNothing(b) ? null : b),
    { lazy: 'coalesce' },
  ),
  default_to: builtin(
    ['any', 'any'],
    '(default, value) The value, or the default if the value is null or empty text. An operator only: it cannot be used as a function value.',
    (otherwise, value) => (isNothing(value) ? otherwise : value),
    { operatorOnly: true },
  ),
} satisfies Namespace
