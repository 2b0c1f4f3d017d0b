/** The answer of every command that is refused or fails. */
import { about, openRecord, optional, record, text, whole } from '../shape.ts'

export const ErrorAnswer = openRecord({
  error: record({
    code: about(text, 'A failure class or a fault code.'),
    message: text,
    hint: optional(text, 'The next step.'),
    detail: optional(openRecord({}), 'Values for programs.'),
  }),
  exitCode: about({ ...whole, least: 1, most: 5 }, 'As the command line exits.'),
})
