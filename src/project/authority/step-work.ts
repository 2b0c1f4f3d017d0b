/** The work of a step, which runs these commands too: what it must not do, whatever the policy. */
import { Fault } from '../../fault.ts'
import { type IssueRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import type { OperationContext } from '../context.ts'

/** Told to every command that a step runs. */
export const isStepWork = ({ env }: Pick<OperationContext, 'env'>): boolean =>
  Boolean(env['PREMATH_STEP_ID'])

/**
 * Why the work of a step may not do what is for people: a policy may lend it the right to change
 * issues, and none lets it say what shows that its work is done.
 */
export function stepWorkRefusal(
  what: string,
  context: Pick<OperationContext, 'env'>,
): IssueRefusal | undefined {
  if (!isStepWork(context)) return undefined
  const remedy = 'Leave it to a person, outside of a step. A step closes its issue by itself.'
  return refuse('mutation_not_granted', `the work of a step may not ${what}`, remedy)
}

/** One that it began would be verified by whatever the work says, and close any issue. */
export function mustBeginOutside(context: Pick<OperationContext, 'env'>): void {
  if (!isStepWork(context)) return
  throw new Fault('usage', 'the work of a step may not begin another step', {
    hint: 'Leave it to whoever began this one: a loop takes the next issue by itself.',
  })
}
