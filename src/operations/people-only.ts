/** Refuses agents the commands that decide how their work is judged. */
import { type Answer, refusedAnswer } from '../answer.ts'
import { instructionIn, isStepWork } from '../project/authority/authority.ts'
import type { OperationContext } from '../project/context.ts'

export const isAgent = (context: OperationContext) =>
  instructionIn({}, context) !== undefined || isStepWork(context)

export function notForAgents(
  action: string,
  what: 'policy' | 'configuration' | 'set-up',
): Answer<unknown> {
  const failureClass = 'mutation_not_granted'
  const diagnostic = `neither an instruction nor a step may change the ${what}`
  const remedy = 'Let a person run it, without PREMATH_INSTRUCTION_ID and outside of a step.'
  return refusedAnswer({ action }, { failureClasses: [failureClass], diagnostic, remedy })
}
