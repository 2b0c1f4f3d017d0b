import { z } from 'zod'

const Count = z.int().nonnegative()

/** What a report over the trajectory says where not all of the file could be read. */
export const trajectoryReport = {
  badLineCount: Count.optional(),
  badLines: z
    .array(z.strictObject({ line: z.int().positive(), why: z.string() }))
    .optional()
    .describe('Lines that are no rows, the first of them.'),
  tornTail: z
    .strictObject({ line: z.int().positive(), bytes: z.int().positive() })
    .optional()
    .describe('A last line that was never finished.'),
}
