/** What `premath repl --json` prints for each entry. */
import { any, count, list, literal, record, text, union } from '../shape.ts'

export const ReplAnswer = union([
  record({ result: literal('accepted'), steps: count, value: any, valueText: text }),
  record({
    error: record({ code: text, message: text, hint: text }),
    failureClasses: list(text),
    result: literal('rejected'),
    steps: count,
  }),
])
