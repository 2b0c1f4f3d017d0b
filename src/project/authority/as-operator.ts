/** For what only a person may do: no instruction lists it, and no step lends it to its work. */
import { AgentGrant } from '../../kernel/authority/agent-grant.ts'
import type { OperatorGrant } from '../../kernel/authority/operator-grant.ts'
import { type IssueRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import type { OperationContext } from '../context.ts'
import type { Acting } from '../open-issues.ts'
import { stepWorkRefusal } from './step-work.ts'

export function asOperator(
  acting: Acting,
  what: string,
  context: OperationContext,
): OperatorGrant | IssueRefusal {
  const inStep = stepWorkRefusal(what, context)
  if (inStep) return inStep
  if ('failureClass' in acting) return acting
  if (AgentGrant.isIssued(acting)) {
    const remedy = 'Leave it to a person, without --instruction and PREMATH_INSTRUCTION_ID.'
    return refuse('mutation_not_granted', 'no instruction allows this', remedy)
  }
  return acting.granted ? acting : refuse('mutation_not_granted', acting.message, acting.remedy)
}
