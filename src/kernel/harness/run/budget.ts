/**
 * The budget of a run and its use. The session stores it, so that a resumed run continues with the
 * rest.
 */
import type { Session } from '../../../wire/harness/session.ts'
import { type Budget, BudgetUsed } from '../../../wire/run/budget.ts'
import { Flaw } from '../../artifact/flaw.ts'
import { readAs } from '../../artifact/read.ts'
import type { Json } from '../../json.ts'
import { badArtifact } from '../artifact.ts'
import { sessionNoun } from '../session.ts'

/** An absent limit means unlimited. */
export type BudgetLimits = Pick<Budget, 'maxSteps' | 'maxMinutes' | 'maxFailures'>

export const newBudget = (limits: BudgetLimits): Budget => ({
  ...limits,
  steps: 0,
  failures: 0,
  milliseconds: 0,
})

export const isBounded = ({ maxSteps, maxMinutes, maxFailures }: BudgetLimits): boolean =>
  maxSteps !== undefined || maxMinutes !== undefined || maxFailures !== undefined

/** Returns which limit is reached, or `undefined` if a step may start. */
export function exhaustedReason(budget: Budget): string | undefined {
  const { maxSteps, maxMinutes, maxFailures, steps, failures, milliseconds } = budget
  if (maxSteps !== undefined && steps >= maxSteps) return `${steps} of ${maxSteps} steps are used`
  if (maxFailures !== undefined && failures >= maxFailures) {
    return `${failures} of ${maxFailures} failures are used`
  }
  if (maxMinutes !== undefined && milliseconds >= maxMinutes * 60_000) {
    return `${maxMinutes} ${maxMinutes === 1 ? 'minute has' : 'minutes have'} passed`
  }
  return undefined
}

/**
 * The use of an earlier run. An unreadable budget is a fault, so that it never counts as unused.
 */
export function recordedUse({ premathBudget }: Session, path: string): BudgetUsed | undefined {
  if (premathBudget === undefined) return undefined
  const used = readAs(BudgetUsed, premathBudget as Json)
  if (used instanceof Flaw) {
    throw badArtifact(
      { noun: sessionNoun, path },
      `the use of its budget cannot be read: premathBudget: ${used}`,
      'Pass --new-budget to start a new budget.',
    )
  }
  const { steps, failures, milliseconds } = used
  return { steps, failures, milliseconds }
}

/** Returns the session with this budget, or without one. */
export function withRecordedUse(session: Session, budget: Budget | undefined): Session {
  const known = Object.entries(budget ?? {}).filter(([, value]) => value !== undefined)
  return { ...session, premathBudget: budget && Object.fromEntries(known) }
}
