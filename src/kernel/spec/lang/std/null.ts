/** `std.null`: what to take when there is nothing, which is null or the empty text. */
import { builtin, type Namespace } from '../builtin.ts'
import type { Item } from '../item.ts'

export const isNothing = (item: Item) => item === null || item === ''

export const nothing = {
  coalesce: builtin(
    ['any', 'any'],
    'The first that is neither null nor the empty text; null when there is none.',
    (a, b) => (!isNothing(a) ? a : isNothing(b) ? null : b),
    { lazy: 'coalesce' },
  ),
  default_to: builtin(
    ['any', 'any'],
    '(default, value) The value, or the default when it is null or the empty text. It is no value that could be handed on.',
    (otherwise, value) => (isNothing(value) ? otherwise : value),
    { operatorOnly: true },
  ),
} satisfies Namespace
