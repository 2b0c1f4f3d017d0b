/** The authority for one change of issue memory: caller, policy and turn. */
import type { ChangeAuthority, HarnessPolicy } from '../../harness/harness.ts'
import {
  mutationPolicyDigest,
  reminderLinesDefault,
} from '../../kernel/authority/mutation-policy.ts'
import { isGoverned, lastInForce, stepRefusal } from '../../kernel/governance/policy-standing.ts'
import { isJsonObject } from '../../kernel/json.ts'
import { MutationReady } from '../../kernel/turn/mutation-ready.ts'
import { unresolvedRefs } from '../gate/resolve-refs.ts'
import type { Project } from '../open.ts'
import { type Asking, authorityOf, effectiveMode } from './authority.ts'

/**
 * Reads policy and registry from `project`, each once. `claimsBefore` are the claims of an earlier
 * passage: work that removes the claim of governance does not escape it.
 */
export function changeAuthorityOf(
  project: Project,
  asking: Asking,
  claimsBefore: readonly string[] = [],
): ChangeAuthority {
  return {
    policy: () => policyOf(project, asking.reason),
    authority: (joinWitness, knownRefs) =>
      authorityOf(project, {
        ...asking,
        ...(joinWitness !== undefined && { joinWitness, knownRefs }),
      }),
    refusalUnder: async ({ mutationPolicyDigest: digest }) =>
      (await project.isGoverned()) ? stepRefusal(digest, await project.policyLog()) : undefined,
    async admit(turn, knownRefs) {
      const { sha256 } = project
      const registryClaims = [...new Set([...claimsBefore, ...(await project.claims())])]
      const policyInForce = isGoverned({ registryClaims })
        ? (lastInForce('policy', await project.policyLog())?.digest ?? null)
        : undefined
      // The turn names the policy that it is bound to. The project decides which policy is in force.
      const activeMutationPolicyDigest = mutationPolicyDigest(await project.policy(), sha256)
      const asked = isJsonObject(turn) ? { ...turn, activeMutationPolicyDigest } : turn
      const unresolved = await unresolvedRefs(turn, project, knownRefs)
      const kit = { sha256, registryClaims, policyInForce, unresolvedRefs: unresolved }
      return MutationReady.gate(asked, kit)
    },
  }
}

async function policyOf(project: Project, reason = ''): Promise<HarnessPolicy> {
  const policy = await project.policy()
  return {
    mutationMode: effectiveMode(policy, project),
    mutationPolicyDigest: mutationPolicyDigest(policy, project.sha256),
    isGoverned: await project.isGoverned(),
    requireAgentEvidence: policy.requireAgentEvidence,
    observabilityMode: policy.observabilityMode ?? 'dashboard',
    reminderLines: policy.reminderLines ?? reminderLinesDefault,
    reason,
  }
}
