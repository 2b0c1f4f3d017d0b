/** The checks that instruction policies require of the verification of a step. */
import { Fault } from '../../fault.ts'
import { AgentGrant } from '../../kernel/authority/agent-grant.ts'
import { OperatorGrant } from '../../kernel/authority/operator-grant.ts'
import { checksOf } from '../../kernel/governance/governed-document.ts'
import { lastInForce } from '../../kernel/governance/policy-standing.ts'
import { type Checks, checksPath } from '../../kernel/instruction/checks.ts'
import { policyNamed, type RegisteredPolicy } from '../../kernel/instruction/instruction-policy.ts'
import { isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import { type RequiredCheck, requiredBy } from '../../kernel/instruction/run-instruction.ts'
import {
  type Asking,
  type Authority,
  effectiveMode,
  instructionIn,
} from '../authority/authority.ts'
import type { Project } from '../open.ts'
import { fromFiles, openChecks, type ReadsDocument } from './checks-file.ts'
import { instructionPolicies } from './instruction-policies.ts'

/**
 * A function of the authority of the step: the policy of its instruction counts, and every policy
 * for a run that is the instruction itself. Commands are read now, before any work can change them.
 */
export async function requiredChecks(
  asking: Asking,
  project: Project,
): Promise<(authority: Authority) => readonly RequiredCheck[]> {
  const isLinked =
    instructionIn(asking, project) !== undefined ||
    effectiveMode(await project.policy(), project) === 'instruction-linked'
  if (!isLinked) return () => []
  const commands = await checkCommands(project)
  const registry = await instructionPolicies(project.root, project)
  const named = (digest: string | null) => {
    const policy = policyNamed(digest ?? '', registry)
    return isRefused(policy) ? [] : [policy]
  }
  return authority => {
    if (AgentGrant.isIssued(authority)) {
      return mustHaveCommands(named(authority.instruction.policyDigest), commands)
    }
    const isRun = OperatorGrant.isIssued(authority) && authority.mode === 'instruction-linked'
    if (!isRun || isRefused(registry)) return []
    return mustHaveCommands([...registry.values()], commands)
  }
}

/** The policies that bind a run, and the checks that they require. */
export async function policiesOfRun(project: Project): Promise<{
  readonly policies: readonly RegisteredPolicy[]
  readonly checks: readonly RequiredCheck[]
}> {
  const registry = await instructionPolicies(project.root, project)
  // A policy that cannot be read may require a check.
  if (isRefused(registry)) {
    throw new Fault('invalid_input', `the run has no instruction: ${registry.message}`, {
      hint: `Nothing was claimed. Fix ${registry.files.join(' or ')}, or remove it.`,
      detail: { failureClass: registry.failureClass },
    })
  }
  const policies = [...registry.values()]
  return { policies, checks: mustHaveCommands(policies, await checkCommands(project)) }
}

/** In a governed project only the checks count that were put in force. */
export async function checkCommands(
  project: Project,
  read: ReadsDocument = fromFiles(project),
): Promise<Checks> {
  if (!(await project.isGoverned())) return await openChecks(project, read)
  const last = lastInForce('checks', await project.policyLog())
  return last === undefined ? new Map() : checksOf(last)
}

function mustHaveCommands(
  policies: readonly RegisteredPolicy[],
  commands: Checks,
): readonly RequiredCheck[] {
  const required = requiredBy(policies, commands)
  if (!('checkId' in required)) return required
  const { checkId, policyId } = required
  throw new Fault('usage', `${policyId} requires the check ${checkId}, which has no command`, {
    hint: `Nothing was claimed. Say in ${checksPath} which command the check is.`,
    detail: { checkId, policyId },
  })
}
