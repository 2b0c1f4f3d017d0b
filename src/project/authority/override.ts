/**
 * Asks before a change that no proof backs. This guards against accidents: a process with the same
 * user id can open a terminal of its own, and remove the variables of its agent.
 */
import {
  type MutationPolicy,
  mutationPolicyPath,
  readMutationPolicy,
} from '../../kernel/authority/mutation-policy.ts'
import type { OverrideActor } from '../../kernel/authority/override-actor.ts'
import { policyOf } from '../../kernel/governance/governed-document.ts'
import { lastInForce } from '../../kernel/governance/policy-standing.ts'
import { type IssueRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import { jsonIn } from '../../kernel/json.ts'
import { visible } from '../../kernel/text/visible.ts'
import type { Project } from '../open.ts'
import { agentRefusal, instructionIn, stepWorkRefusal } from './authority.ts'
import { textOnTarget } from './on-target.ts'

interface OverrideAsked {
  /** Completes "may not …": `close an issue by force`. */
  readonly what: string
  /** Ends with a question mark. */
  readonly question: string
}

/** Returns who confirmed it, or why nobody could. */
export async function askOverride(
  { what, question }: OverrideAsked,
  project: Project,
): Promise<OverrideActor | IssueRefusal> {
  const refused = callerRefusal(what, project)
  if (refused) return refused
  const uid = project.userId()
  const ask = project.confirmer()
  if (ask === undefined) {
    return (await mayScriptsOverride(project)) ? { actor: 'script', uid } : needsTerminal(what)
  }
  const answer = await ask(visible(`${question} [y/N] `))
  if (/^y(es)?$/i.test(answer ?? '')) return { actor: 'terminal', uid }
  const remedy = 'Run it again, and answer y.'
  return refuse('override_declined', 'nobody confirmed it at the terminal', remedy)
}

/**
 * Returns who starts a run that is the instruction for its steps, or why nobody may. The command is
 * the confirmation, so nobody is asked.
 */
export async function runStarter(project: Project): Promise<OverrideActor | IssueRefusal> {
  const refused = callerRefusal('start a run without an instruction', project)
  if (refused) return refused
  const uid = project.userId()
  if (project.isAtTerminal()) return { actor: 'terminal', uid }
  if (await mayScriptsOverride(project)) return { actor: 'script', uid }
  const why =
    'the policy asks for an instruction, and a run is one only if somebody starts it at a terminal'
  return refuse('mutation_not_granted', why, `${terminalRemedy} Or pass --instruction.`)
}

/** Refuses the work of a step, an instruction, and an agent that the environment names. */
function callerRefusal(what: string, project: Project): IssueRefusal | undefined {
  const isInstructed = instructionIn({}, project) !== undefined
  const remedy = 'Leave it to a person, in a shell of their own.'
  return (
    stepWorkRefusal(what, project) ??
    (isInstructed
      ? refuse('mutation_not_granted', `an instruction may not ${what}`, remedy)
      : agentRefusal(what, project))
  )
}

const needsTerminal = (what: string): IssueRefusal =>
  refuse(
    'override_needs_terminal',
    `without a terminal nobody can be asked whether to ${what}`,
    terminalRemedy,
  )

const terminalRemedy =
  'Run it at a terminal; over ssh, with ssh -t. For CI and scripts, commit "override": "script" in .premath/policy.json on the target branch.'

/**
 * Read from the commit of the target branch, because work can edit the file. Without git, or before
 * the first commit, the policy counts that was put in force with premath policy set.
 */
async function mayScriptsOverride(project: Project): Promise<boolean> {
  const policy = (await policyOnTarget(project)) ?? (await policyInForce(project))
  return policy?.override === 'script'
}

/** `undefined` where there is no target; a target without the file has the default policy. */
async function policyOnTarget(project: Project): Promise<Partial<MutationPolicy> | undefined> {
  const text = await textOnTarget(mutationPolicyPath, project)
  if (text === undefined) return undefined
  const policy = text === null ? {} : readMutationPolicy(jsonIn(text) ?? null)
  // A policy that cannot be read lets nobody override.
  return typeof policy === 'string' ? {} : policy
}

async function policyInForce(project: Project): Promise<MutationPolicy | undefined> {
  const last = lastInForce('policy', await project.policyLog())
  return last && policyOf(last)
}
