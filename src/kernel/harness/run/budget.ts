/**
 * The budget of a run and its use. The session stores it, so that a resumed run continues with the
 * rest.
 */
import { isJsonObject, type Json, type JsonObject, numberOf } from '../../json.ts'
import { badArtifact } from '../artifact.ts'
import { type Session, sessionNoun } from '../session.ts'

/** An absent limit means unlimited. */
export interface BudgetLimits {
  readonly maxSteps?: number | undefined
  readonly maxMinutes?: number | undefined
  readonly maxFailures?: number | undefined
}

export interface BudgetUse extends BudgetLimits {
  readonly steps: number
  readonly failures: number
  readonly milliseconds: number
}

export const unspent = (limits: BudgetLimits): BudgetUse => ({
  ...limits,
  steps: 0,
  failures: 0,
  milliseconds: 0,
})

export const isBounded = ({ maxSteps, maxMinutes, maxFailures }: BudgetLimits): boolean =>
  maxSteps !== undefined || maxMinutes !== undefined || maxFailures !== undefined

/** Returns which limit is reached, or `undefined` if a step may start. */
export function spentWhy(budget: BudgetUse): string | undefined {
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

const member = 'premathBudget'
const counts = ['steps', 'failures', 'milliseconds'] as const

/**
 * The use of an earlier run. An unreadable budget is a fault, so that it never counts as unused.
 */
export function useIn({ others }: Session, path: string): BudgetUse | undefined {
  const kept = others[member]
  if (kept === undefined) return undefined
  const numbers = isJsonObject(kept) ? counts.map(name => wholeIn(kept[name])) : []
  const [steps, failures, milliseconds] = numbers
  if (steps === undefined || failures === undefined || milliseconds === undefined) {
    throw badArtifact(
      { noun: sessionNoun, path },
      'its budget cannot be read',
      'Pass --new-budget to start a new budget.',
    )
  }
  return { steps, failures, milliseconds }
}

function wholeIn(value: Json | undefined): number | undefined {
  const number = numberOf(value)
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** Returns the session with this use, or without a budget. */
export function withUse(session: Session, use: BudgetUse | undefined): Session {
  const { [member]: _before, ...rest } = session.others
  if (!use) return { ...session, others: rest }
  const known = Object.entries(use).filter(([, value]) => value !== undefined)
  return { ...session, others: { ...rest, [member]: Object.fromEntries(known) as JsonObject } }
}
