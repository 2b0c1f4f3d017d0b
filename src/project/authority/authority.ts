/**
 * The entry to this folder: identifies the caller and applies the project's policy. A person acts
 * by hand, an agent under an accepted instruction. Commands run by the work of a step use a surface
 * of their own.
 */
import { Fault } from '../../fault.ts'
import type { AgentGrant } from '../../kernel/authority/agent-grant.ts'
import { agentOf } from '../../kernel/authority/known-agents.ts'
import type { MutationPolicy } from '../../kernel/authority/mutation-policy.ts'
import {
  type GrantRefusal,
  OperatorGrant,
  stricter,
} from '../../kernel/authority/operator-grant.ts'
import { type IssueRefusal, isRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import type { MutationMode } from '../../wire/policy/mutation-policy.ts'
import type { OperationContext } from '../context.ts'
import type { Project } from '../open.ts'

/** A person, or an agent under an instruction; or why the policy refuses both. */
export type Authority = OperatorGrant | GrantRefusal | AgentGrant | IssueRefusal

interface AgentInput {
  readonly instruction?: string | undefined
  readonly joinWitness?: string | undefined
}

type RunStart = { readonly instructionId: string } | IssueRefusal

/** The command's input about the caller. */
export interface Asking extends AgentInput {
  /** Why a person overrides the policy. */
  readonly reason?: string | undefined
  /** The instruction that a run is for its steps, or why this caller may not start one. */
  readonly run?: RunStart | undefined
  /** Refs that the journal of a step vouches for. */
  readonly knownRefs?: readonly string[] | undefined
}

/**
 * The authority of the caller under the policy in force. The store refuses a refused authority.
 */
export async function authorityOf(project: Project, asking: Asking): Promise<Authority> {
  // No policy and no instruction lets work change issues: it asks the harness.
  if (isStepWork(project)) return workMayNot('change issues')
  const policy = await project.policy()
  const instructionId = instructionIn(asking, project)
  if (instructionId === undefined) {
    const isDemanded = effectiveMode(policy, project) === 'instruction-linked'
    const run = isDemanded ? asking.run : undefined
    if (run && isRefusal(run)) return run
    return operatorUnder(policy, asking.reason, project, run?.instructionId)
  }
  // Most changes are made by people, so the code for agents is loaded when one acts.
  const { agentAuthority } = await import('./agent-authority.ts')
  return await agentAuthority(instructionId, asking, project)
}

/** The instruction that the command runs under; `undefined` where a person acts. */
export const instructionIn = (
  { instruction }: AgentInput,
  { env }: Pick<OperationContext, 'env'>,
): string | undefined => instruction ?? (env['PREMATH_INSTRUCTION_ID'] || undefined)

/** The instruction that rows and records name: the caller's, or that of the run. */
export function recordedInstruction(
  asking: Asking,
  context: Pick<OperationContext, 'env'>,
): string | undefined {
  const { run } = asking
  const own = run && !isRefusal(run) ? run.instructionId : undefined
  return instructionIn(asking, context) ?? own
}

export function operatorUnder(
  policy: MutationPolicy,
  reason: string | undefined,
  context: OperationContext,
  runInstruction?: string,
): OperatorGrant | GrantRefusal {
  const inStep = stepWorkRefusal('change the project', context)
  if (inStep) return { granted: false, message: inStep.diagnostic, remedy: inStep.remedy }
  const mode = effectiveMode(policy, context)
  // Finding the terminal is slow, so it is asked where it matters.
  const isRecorded = mode === 'operator' || mode === 'human-override'
  const isAtTerminal = isRecorded && context.isAtTerminal()
  // A name from the environment would let anybody sign an override as somebody else.
  const operator = isRecorded
    ? `${isAtTerminal ? 'terminal' : 'script'} (uid ${context.userId()})`
    : operatorIn(context.env)
  const { surface } = context
  const request = { operator, surface, mode, reason, isAtTerminal, runInstruction }
  return OperatorGrant.grant(request)
}

/** Uses the stricter mode: setting a step's variable never permits what people may not do. */
export const effectiveMode = (
  { modes }: Pick<MutationPolicy, 'modes'>,
  context: Pick<OperationContext, 'env' | 'surface'>,
): MutationMode => {
  const mode = modes[context.surface]
  return isStepWork(context) ? stricter(mode, modes.work) : mode
}

/** The name of the operator. */
export const operatorIn = (env: OperationContext['env']) =>
  env['PREMATH_OPERATOR'] || env['USER'] || env['LOGNAME'] || env['USERNAME'] || 'operator'

/** Who speaks or claims, for readers. The worker speaks for the work of its step. */
export const callerIn = (context: Pick<OperationContext, 'env'>): string =>
  (isStepWork(context) && context.env['PREMATH_WORKER_ID']) || operatorIn(context.env)

/** Every command that a step runs has this variable. */
export const isStepWork = ({ env }: Pick<OperationContext, 'env'>): boolean =>
  Boolean(env['PREMATH_STEP_ID'])

/** Refuses the work of a step what is for people. No policy lets work choose how it is verified. */
export function stepWorkRefusal(
  what: string,
  context: Pick<OperationContext, 'env'>,
): IssueRefusal | undefined {
  if (!isStepWork(context)) return undefined
  return workMayNot(what)
}

export const workMayNot = (what: string): IssueRefusal =>
  refuse(
    'mutation_not_granted',
    `the work of a step may not ${what}`,
    'Leave it to a person, outside of a step. Work may ask the harness, which takes it after the step: premath issue discover, premath issue comment, premath dep add.',
  )

/** The agent that asks; `undefined` for a person. Only programs of agents connect over MCP. */
export const agentIn = ({
  env,
  surface,
}: Pick<OperationContext, 'env' | 'surface'>): string | undefined =>
  agentOf(env) ?? (surface === 'mcp' ? 'an agent' : undefined)

/** Refuses an agent with a shell outside of steps what decides how work is judged. */
export function agentRefusal(
  what: string,
  context: Pick<OperationContext, 'env' | 'surface'>,
): IssueRefusal | undefined {
  const agent = agentIn(context)
  if (agent === undefined) return undefined
  const remedy = 'Let a person run it, in a terminal that no agent started.'
  return refuse('mutation_not_granted', `${agent} may not ${what}`, remedy)
}

/** A step inside a step would be verified by a command of the work's choice, and close any issue. */
export function mustNotNest(context: Pick<OperationContext, 'env'>): void {
  if (!isStepWork(context)) return
  throw new Fault('usage', 'the work of a step may not begin another step', {
    hint: 'Leave it to whoever began this one: a loop takes the next issue by itself.',
  })
}

/** For a change that only a person may make. */
export function asOperator(
  authority: Authority,
  what: string,
  context: OperationContext,
): OperatorGrant | IssueRefusal {
  const inStep = stepWorkRefusal(what, context)
  if (inStep) return inStep
  if ('failureClass' in authority) return authority
  if (OperatorGrant.isIssued(authority)) return authority
  if ('granted' in authority) {
    return refuse('mutation_not_granted', authority.message, authority.remedy)
  }
  const remedy = 'Leave it to a person, without --instruction and PREMATH_INSTRUCTION_ID.'
  return refuse('mutation_not_granted', 'no instruction allows this', remedy)
}
