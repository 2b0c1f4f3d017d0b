/**
 * Demands of a mutation beyond a turn without failure classes. They apply to mutations only: as
 * classes they would refuse turns that the earlier implementation accepts.
 */
import { executionPatterns } from '../../wire/turn/turn-evidence.ts'
import { evalViolations, redTeamViolations } from './checks/governance-gate.ts'
import { short } from './evidence/read-row.ts'
import { documentOf, textList } from './policy-document.ts'
import type { Turn } from './turn.ts'

export interface Demand {
  readonly message: string
  readonly requirement: string
}

/** Patterns in which work runs outside this turn. */
const splittingPatterns: readonly string[] = ['parallel', 'orchestrator_workers']

/** Tools that start another agent, as hosts call them. */
const spawningTool =
  /^(?:task|agent|sub[-_.]?agents?|(?:agents?|task)[-_.](?:spawn|start|run|create)|(?:spawn|start|launch|dispatch|delegate)(?:[-_.](?:to[-_.])?(?:sub[-_.]?)?(?:agents?|task))?)$/i

/** A change of policy has stricter demands, however it is spelled. */
const changesPolicy = (turn: Turn) => /policy|governance/i.test(mutationWords(turn))
const transfers = (turn: Turn) =>
  turn.claims.mutation?.handoffTarget !== undefined || /transfer|handoff/i.test(mutationWords(turn))
const mutationWords = ({ claims: { mutation } }: Turn) => `${mutation?.kind} ${mutation?.action}`

export function unmetDemands(turn: Turn): readonly Demand[] {
  return [...splitDemands(turn), ...policyDemands(turn), ...transferDemands(turn)]
}

function splitDemands(turn: Turn): readonly Demand[] {
  const pattern = turn.callSpec.executionPattern ?? ''
  const unmet: Demand[] = []
  if (pattern !== '' && !executionPatterns.some(known => known === pattern)) {
    unmet.push({
      message: `the execution pattern ${short(pattern)} is unknown; there are ${executionPatterns.join(', ')}`,
      requirement: 'execution_pattern',
    })
  }
  const policy = documentOf(turn, 'decompositionPolicyDigest')
  const spawned = turn.requests.filter(({ toolName }) => spawningTool.test(toolName ?? '')).length
  if (!policy && splittingPatterns.includes(pattern)) {
    unmet.push({
      message: `a turn of pattern ${pattern} must bring the decomposition policy it was bound to`,
      requirement: 'decomposition_document',
    })
  } else if (!policy && spawned > 0) {
    unmet.push({
      message: `a turn that starts ${spawned} agents must bring the decomposition policy it was bound to, whatever pattern it declares`,
      requirement: 'decomposition_document',
    })
  }
  const { maxFanOut } = policy ?? {}
  if (typeof maxFanOut === 'number' && spawned > maxFanOut) {
    unmet.push({
      message: `the turn starts ${spawned} agents, and its policy allows ${maxFanOut}`,
      requirement: 'fan_out',
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
  if (!changesPolicy(turn)) return []
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
  if (!transfers(turn)) return []
  const contract = documentOf(turn, 'handoffContractDigest')
  const target = turn.claims.mutation?.handoffTarget
  const role = turn.callSpec.orchestrationRole
  const roles = textList(contract, 'roles').value
  const unmet: Demand[] = []
  if (target === undefined || !textList(contract, 'targets').value?.includes(target)) {
    const message = `the handoff contract does not list ${short(target ?? 'a target')}`
    unmet.push({ message, requirement: 'transfer_target' })
  }
  if (turn.handoff && turn.handoff.target !== target) {
    const message = `the packet goes to ${short(turn.handoff.target ?? 'nobody')}, not to the target`
    unmet.push({ message, requirement: 'transfer_packet' })
  }
  if (role === undefined || (roles && !roles.includes(role))) {
    const message = `the handoff contract does not let ${role ?? 'a turn without role'} transfer`
    unmet.push({ message, requirement: 'transfer_role' })
  }
  return unmet
}
