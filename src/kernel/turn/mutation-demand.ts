/**
 * What a mutation needs beyond a turn without failure classes. These are asked at the door only:
 * as classes they would refuse turns that the earlier implementation accepts.
 */
import { evalViolations, redTeamViolations } from './governance-gate.ts'
import { documentOf, textList } from './policy-document.ts'
import { short } from './read-row.ts'
import type { Turn } from './turn.ts'

export interface Demand {
  readonly message: string
  readonly requirement: string
}

/** Patterns under which work runs somewhere else than in this turn. */
const splittingPatterns: readonly string[] = ['parallel', 'orchestrator_workers']

/** Kinds of mutation that change the rules themselves. */
const policyKinds: readonly string[] = ['policy', 'governance_policy']

export function unmetDemands(turn: Turn): readonly Demand[] {
  return [...splitDemands(turn), ...policyDemands(turn), ...transferDemands(turn)]
}

function splitDemands(turn: Turn): readonly Demand[] {
  const pattern = turn.callSpec.executionPattern ?? ''
  const unmet: Demand[] = []
  if (splittingPatterns.includes(pattern) && !documentOf(turn, 'decompositionPolicyDigest')) {
    unmet.push({
      message: `a turn of pattern ${pattern} must bring the decomposition policy it was bound to`,
      requirement: 'decomposition_document',
    })
  }
  if (turn.handoff && !documentOf(turn, 'handoffContractDigest')) {
    unmet.push({
      message: 'a turn that hands over must bring the handoff contract it was bound to',
      requirement: 'handoff_document',
    })
  }
  return unmet
}

function policyDemands(turn: Turn): readonly Demand[] {
  if (!policyKinds.includes(turn.claims.mutation?.kind ?? '')) return []
  const gates = [
    ['eval_gate', turn.callSpec.evalGatePolicyDigest, evalViolations],
    ['redteam_gate', turn.callSpec.redTeamPolicyDigest, redTeamViolations],
  ] as const
  return gates.flatMap(([requirement, bound, find]) => {
    if (bound === undefined) {
      return [{ message: 'a change of policy needs this gate bound in the call spec', requirement }]
    }
    return find(turn).map(({ at, message }) => ({ message: `${at}: ${message}`, requirement }))
  })
}

function transferDemands(turn: Turn): readonly Demand[] {
  const { mutation } = turn.claims
  if (mutation?.kind !== 'transfer' && mutation?.handoffTarget === undefined) return []
  const contract = documentOf(turn, 'handoffContractDigest')
  const target = mutation.handoffTarget
  const role = turn.callSpec.orchestrationRole
  const roles = textList(contract, 'roles').value
  const unmet: Demand[] = []
  if (target === undefined || !textList(contract, 'targets').value?.includes(target)) {
    const message = `the handoff contract does not list ${short(target ?? 'a target')}`
    unmet.push({ message, requirement: 'transfer_target' })
  }
  if (role === undefined || (roles && !roles.includes(role))) {
    const message = `the handoff contract does not let ${role ?? 'a turn without role'} transfer`
    unmet.push({ message, requirement: 'transfer_role' })
  }
  return unmet
}
