/** How much a run may do, and how much of that is gone. Kept in the session: a resume goes on. */
import { isJsonObject, type Json, type JsonObject, numberOf } from '../../json.ts'
import { badArtifact } from '../artifact.ts'
import { type Session, sessionNoun } from '../session.ts'

/** What is absent is not bounded. */
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

/** Why nothing more may begin, in words; `undefined` while something may. */
export function spentWhy(budget: BudgetUse): string | undefined {
  const { maxSteps, maxMinutes, maxFailures, steps, failures, milliseconds } = budget
  if (maxSteps !== undefined && steps >= maxSteps) return `${steps} of ${maxSteps} steps are used`
  if (maxFailures !== undefined && failures >= maxFailures) {
    return `${failures} of ${maxFailures} failures have happened`
  }
  if (maxMinutes !== undefined && milliseconds >= maxMinutes * 60_000) {
    return `${maxMinutes} ${maxMinutes === 1 ? 'minute has' : 'minutes have'} passed`
  }
  return undefined
}

const member = 'premathBudget'
const counts = ['steps', 'failures', 'milliseconds'] as const

/** What an earlier run used up. One that cannot be read must not look like one that is unspent. */
export function useIn({ others }: Session, path: string): BudgetUse | undefined {
  const kept = others[member]
  if (kept === undefined) return undefined
  const numbers = isJsonObject(kept) ? counts.map(name => wholeIn(kept[name])) : []
  const [steps, failures, milliseconds] = numbers
  if (steps === undefined || failures === undefined || milliseconds === undefined) {
    throw badArtifact(
      { noun: sessionNoun, path },
      'nobody can tell from it how much of its budget is used',
      'Give --new-budget to begin a new one.',
    )
  }
  return { steps, failures, milliseconds }
}

function wholeIn(value: Json | undefined): number | undefined {
  const number = numberOf(value)
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** The session with what is used up; without it where nothing is to be kept. */
export function withUse(session: Session, use: BudgetUse | undefined): Session {
  const { [member]: _before, ...rest } = session.others
  if (!use) return { ...session, others: rest }
  const known = Object.entries(use).filter(([, value]) => value !== undefined)
  return { ...session, others: { ...rest, [member]: Object.fromEntries(known) as JsonObject } }
}
