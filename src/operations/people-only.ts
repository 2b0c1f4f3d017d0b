/** Refuses agents the commands that decide how their work is judged. */
import { type Answer, refusedAnswer } from '../answer.ts'
import type { IssueRefusal } from '../kernel/issues/issue-refusal.ts'
import {
  agentIn,
  instructionIn,
  isStepWork,
  stepWorkRefusal,
} from '../project/authority/authority.ts'
import type { OperationContext } from '../project/context.ts'

export const isAgent = (context: OperationContext) =>
  instructionIn({}, context) !== undefined || isStepWork(context) || agentIn(context) !== undefined

export function notForAgents(
  action: string,
  what: 'policy' | 'configuration' | 'set-up' | 'list of trusted keys' | 'list of instructions',
): Answer<unknown> {
  const failureClass = 'mutation_not_granted'
  const diagnostic = `no agent, instruction or step may change the ${what}`
  const remedy =
    'Let a person run it, without PREMATH_INSTRUCTION_ID, outside of a step and of an agent.'
  return refusedAnswer({ action }, { failureClasses: [failureClass], diagnostic, remedy })
}

/** Refuses the work of a step what would count as proof or as a record of a step. */
export function notForWork(
  action: string,
  what: string,
  context: OperationContext,
): Answer<unknown> | undefined {
  const refusal = stepWorkRefusal(what, context)
  if (!refusal) return undefined
  return refusedAnswer({ action }, refusedIn(refusal))
}

/** The refusal as an answer gives it. */
export const refusedIn = ({ failureClass, diagnostic, remedy }: IssueRefusal) => ({
  failureClasses: [failureClass],
  diagnostic,
  remedy,
})
