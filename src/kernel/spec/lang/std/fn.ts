/** `std.fn`: functions of functions. */
import { builtin, higherOrder, type Namespace } from '../builtin.ts'

export const fn = {
  identity: builtin({ takes: ['any'], means: 'The value itself.', apply: value => value }),
  always: builtin({
    takes: ['any', 'any'],
    means: 'The first, whatever the second is.',
    apply: value => value,
  }),
  compose: higherOrder({
    takes: ['function', 'function', 'any'],
    means: '(f, g, x) f(g(x)).',
    *steps(outer, inner, value) {
      return yield { callee: outer, given: [yield { callee: inner, given: [value] }] }
    },
  }),
  pipe: higherOrder({
    takes: ['function', 'function', 'any'],
    means: '(f, g, x) g(f(x)).',
    *steps(first, second, value) {
      return yield { callee: second, given: [yield { callee: first, given: [value] }] }
    },
  }),
} satisfies Namespace
