import { about, count, optional, positive, record } from '../shape.ts'

/** Of a run. What has no limit is only counted. */
export const Budget = record({
  steps: about(count, 'How many were begun.'),
  failures: count,
  milliseconds: about(count, 'How long runs went on, all resumes counted.'),
  maxSteps: optional(positive),
  maxMinutes: optional(positive),
  maxFailures: optional(positive),
})
