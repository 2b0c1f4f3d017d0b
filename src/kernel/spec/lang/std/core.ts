/** `std.core`: the subject. */
import { builtin, type Namespace } from '../builtin.ts'

export const core = {
  subject: builtin(
    [],
    'The subject of the assertion. Also works inside library functions.',
    run => run.subject,
  ),
} satisfies Namespace
