/** Admission of changes by agents: under an instruction, or by a turn that the gate let through. */
import { agentAdmission } from '../kernel/authority/agent-admission.ts'
import { AgentGrant } from '../kernel/authority/agent-grant.ts'
import { targetOf } from '../kernel/authority/change-target.ts'
import { scopeRefusal } from '../kernel/authority/mutation-scope.ts'
import { withWriteWitness } from '../kernel/authority/write-witness.ts'
import type { IssueChange, IssueChanged } from '../kernel/issues/issue-change.ts'
import { type IssueRefusal, isRefusal, refuse } from '../kernel/issues/issue-refusal.ts'
import { timestampOf } from '../kernel/timestamp.ts'
import { MutationReady } from '../kernel/turn/mutation-ready.ts'
import type { InstructionUses } from './admission.ts'
import type { Authority } from './issue-store.ts'

export function agentRefusal(authority: Authority, change: IssueChange): IssueRefusal | undefined {
  if (MutationReady.isIssued(authority)) return scopeRefusal(authority, change)
  return AgentGrant.isIssued(authority) ? undefined : refusalOf(authority, targetOf(change))
}

/** An instruction lists single changes, so none covers a replacement of all rows. */
export function agentRefusalToReplace(authority: Authority): IssueRefusal | undefined {
  if (MutationReady.isIssued(authority)) return undefined
  if (!AgentGrant.isIssued(authority)) return refusalOf(authority)
  return refuse(
    'instruction_scope_exceeded',
    'an instruction allows one change',
    'Have a person do it.',
  )
}

function refusalOf(authority: Authority, issueId?: string): IssueRefusal {
  if ('failureClass' in authority) return authority
  if (!('remedy' in authority)) {
    return refuse('mutation_not_granted', 'nobody vouches for it', 'Ask the gate.')
  }
  const { message, remedy } = authority
  const own = issueId === undefined ? undefined : authority.remedyFor?.(issueId)
  return refuse('mutation_not_granted', message, own ?? remedy)
}

interface AskedChange {
  readonly change: IssueChange
  readonly now: bigint
  readonly uses: InstructionUses
}

/** The entry and the turn that the change would use up; `undefined` without an instruction. */
export async function admittedByAgent(
  authority: Authority,
  { change, now, uses }: AskedChange,
): Promise<ReturnType<typeof agentAdmission> | undefined> {
  if (!AgentGrant.isIssued(authority)) return undefined
  const { instruction, turn } = authority
  const used = await uses.usedOf(instruction.instructionDigest, turn?.witnessDigest)
  return agentAdmission(authority, change, now, used)
}

/** Uses up an entry of the agent's instruction, and records the agent in the rows. */
export async function vouchedByAgent(
  authority: Authority,
  decided: IssueChanged,
  asked: AskedChange,
): Promise<IssueChanged | IssueRefusal> {
  const admitted = await admittedByAgent(authority, asked)
  if (admitted === undefined || !AgentGrant.isIssued(authority)) return decided
  if (isRefusal(admitted)) return admitted
  const { change, now, uses } = asked
  const { instructionDigest } = authority.instruction
  const { action } = change
  const { entry, turn } = admitted
  if (entry !== undefined) {
    const issueId = decided.issue?.id ?? ''
    await uses.add(instructionDigest, { entry, action, issueId, turn, at: timestampOf(now) })
  }
  return withWriteWitness(decided, authority, { action, now })
}
