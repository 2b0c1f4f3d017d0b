/** The authority for a change by a step: its own closed turn, or the caller's authority. */

import { AgentGrant } from '../../kernel/authority/agent-grant.ts'
import { type GrantRefusal, OperatorGrant } from '../../kernel/authority/operator-grant.ts'
import type { StepJournal, StepOutcome } from '../../kernel/harness/step/step-journal.ts'
import { refuse } from '../../kernel/issues/issue-refusal.ts'
import { parseJson } from '../../kernel/json.ts'
import type { Authority } from '../../store/issue-store.ts'
import type { Harness } from '../harness.ts'
import { textAt } from '../text-at.ts'
import { StepFolder } from './step-folder.ts'

/**
 * A close needs the turn. It is read from its file, because after a crash there is no other copy. A
 * release needs no turn. The authority of an agent is checked again, because its work may have
 * changed the policy or the instruction.
 */
export async function stepAuthority(
  harness: Harness,
  journal: StepJournal,
  { change, joinWitness = '' }: StepOutcome,
): Promise<Authority> {
  const starter = harness.authority()
  if (AgentGrant.isIssued(starter)) {
    const needsTurn = change === 'close' || change === 'block'
    return needsTurn ? await agentNow(harness, starter, joinWitness) : starter
  }
  // A caller without authority must not use a turn that another process left.
  if (change !== 'close' || !OperatorGrant.isIssued(starter)) return starter
  const path = new StepFolder(harness, journal.stepId).file('turn.json')
  const turn = await textAt(harness.disk, path)
  if (turn === undefined) return noTurn(`${path} is gone`)
  const admitted = await harness.gate.admit(parseJson(turn))
  if (admitted.ready) return admitted
  const [first] = [...admitted.findings.map(({ failureClass }) => failureClass)]
  return noTurn(`the step's turn is open: ${first ?? 'it lacks what a change needs'}`)
}

async function agentNow(
  harness: Harness,
  { instruction }: AgentGrant,
  joinWitness: string,
): Promise<Authority> {
  const now = await harness.authorityNow(joinWitness)
  if (!AgentGrant.isIssued(now)) return now
  if (now.instruction.instructionDigest === instruction.instructionDigest) return now
  const why = `${instruction.instructionId} is not the instruction that the step began under`
  return refuse('instruction_witness_invalid', why, 'Run the step again: premath harness-step.')
}

const noTurn = (message: string): GrantRefusal => ({
  granted: false,
  message,
  remedy: 'Run the step again: premath harness-step.',
})
