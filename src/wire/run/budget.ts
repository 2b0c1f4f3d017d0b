import { about, count, openRecord, optional, positive, record, type ValueOf } from '../shape.ts'

const used = {
  steps: about(count, 'How many were begun.'),
  failures: count,
  milliseconds: about(count, 'How long runs went on, all resumes counted.'),
}

/** The limits of a run and how much of each is used. An absent limit means unlimited. */
export const Budget = record({
  ...used,
  maxSteps: optional(positive),
  maxMinutes: optional(positive),
  maxFailures: optional(positive),
})
export type Budget = ValueOf<typeof Budget>

/** The part of a stored budget that a resumed run goes on with. */
export const BudgetUsed = openRecord(used)
export type BudgetUsed = ValueOf<typeof BudgetUsed>
