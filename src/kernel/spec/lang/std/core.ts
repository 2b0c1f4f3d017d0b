/** `std.core`: what an expression is about. */
import { builtin, type Namespace } from '../builtin.ts'

export const core = {
  subject: builtin(
    [],
    'The subject of the assertion, inside library functions too.',
    run => run.subject,
  ),
} satisfies Namespace
