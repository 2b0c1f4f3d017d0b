/** `std.fn`: functions of functions. */
import { builtin, higherOrder, type Namespace } from '../builtin.ts'

export const fn = {
  identity: builtin(['any'], 'The value, unchanged.', value => value),
  always: builtin(['any', 'any'], '(a, b) a, for any b.', value => value),
  compose: higherOrder(
    ['function', 'function', 'any'],
    '(f, g, x) The result of f(g(x)).',
    function* (outer, inner, value) {
      return yield { callee: outer, given: [yield { callee: inner, given: [value] }] }
    },
  ),
  pipe: higherOrder(
    ['function', 'function', 'any'],
    '(f, g, x) The result of g(f(x)).',
    function* (first, second, value) {
      return yield { callee: second, given: [yield { callee: first, given: [value] }] }
    },
  ),
} satisfies Namespace
