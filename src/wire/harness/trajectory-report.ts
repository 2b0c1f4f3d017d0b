import { count, list, optional, positive, record, text } from '../shape.ts'

/** What a report over the trajectory says where not all of the file could be read. */
export const trajectoryReport = {
  badLineCount: optional(count),
  badLines: optional(
    list(record({ line: positive, why: text })),
    'Lines that are no rows, the first of them.',
  ),
  tornTail: optional(
    record({ line: positive, bytes: positive }),
    'A last line that was never finished.',
  ),
}
