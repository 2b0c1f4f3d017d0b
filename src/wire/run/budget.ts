import { z } from 'zod'

const Count = z.int().nonnegative()

/** Of a run. What has no limit is only counted. */
export const Budget = z.strictObject({
  steps: Count.describe('How many were begun.'),
  failures: Count,
  milliseconds: Count.describe('How long runs went on, all resumes counted.'),
  maxSteps: z.int().positive().optional(),
  maxMinutes: z.int().positive().optional(),
  maxFailures: z.int().positive().optional(),
})
