/** `std.schema`: whether a value has a shape, and what is wrong with it. */
import { builtin, type Namespace } from '../builtin.ts'
import { shapeErrors } from '../shape.ts'
import { Failure } from '../spec-error.ts'

export const schema = {
  match: builtin({
    takes: ['any', 'any'],
    short: 'schema_match',
    means: '(value, shape) Whether the value has the shape.',
    apply: (value, shape, run) => {
      const errors = shapeErrors(value, shape, run)
      return errors instanceof Failure ? errors : errors.length === 0
    },
  }),
  errors: builtin({
    takes: ['any', 'any'],
    short: 'schema_errors',
    means: '(value, shape) What is wrong with the value, each with its place from `$` on.',
    apply: (value, shape, run) => shapeErrors(value, shape, run),
  }),
} satisfies Namespace
