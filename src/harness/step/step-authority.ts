/** The authority for a change by a step: its own closed turn, or the caller's authority. */

import { AgentGrant } from '../../kernel/authority/agent-grant.ts'
import { type GrantRefusal, OperatorGrant } from '../../kernel/authority/operator-grant.ts'
import { continueCommand } from '../../kernel/harness/lease-handoff.ts'
import { type IssueRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import { parseJson } from '../../kernel/json.ts'
import { refRefusal } from '../../kernel/turn/join-witness.ts'
import type { MutationReady, Refusal } from '../../kernel/turn/mutation-ready.ts'
import type { Authority } from '../../store/issue-store.ts'
import type { StepJournal, StepOutcome } from '../../wire/harness/step-journal.ts'
import { readTextIfPresent } from '../../world/read-text.ts'
import { type ChangeAuthority, fromRoot, type Harness } from '../harness.ts'
import { StepFolder } from './step-folder.ts'

/**
 * A close needs the turn. A release needs none, and no fresh authority: the claim granted it. Every
 * other change is checked again, because the work may have changed policy, registry or instruction.
 */
export async function stepAuthority(
  harness: Harness,
  passage: ChangeAuthority,
  journal: StepJournal,
  { change, joinWitness = '' }: StepOutcome,
): Promise<Authority> {
  const starter = harness.authority()
  const known = knownRefs(harness, journal)
  if (AgentGrant.isIssued(starter)) {
    const needsTurn = change === 'close' || change === 'block'
    return needsTurn ? await agentNow(passage, starter, joinWitness, known, journal) : starter
  }
  if (change === 'release' || change === 'keep') return starter
  const now = await passage.authority()
  // A caller without authority must not use a turn that another process left.
  if (change !== 'close' || !OperatorGrant.isIssued(now)) return now
  const admitted = await admittedTurn(harness, passage, journal)
  if (typeof admitted === 'string') return noTurn(admitted, journal)
  if (admitted.ready) return admitted
  const unresolved = refRefusal(admitted)
  if (unresolved) return unresolved
  const [first] = [...admitted.findings.map(({ failureClass }) => failureClass)]
  const open = `the step's turn is not closed: ${first ?? 'it lacks evidence for a change'}`
  return noTurn(open, journal)
}

/** The turn is read from its file, because after a crash there is no other copy. */
async function admittedTurn(
  harness: Harness,
  passage: ChangeAuthority,
  journal: StepJournal,
): Promise<MutationReady | Refusal | string> {
  const path = new StepFolder(harness, journal.stepId).file('turn.json')
  const turn = await readTextIfPresent(harness.disk, path)
  if (turn === undefined) return `${path} is missing`
  return await passage.admit(parseJson(turn), knownRefs(harness, journal))
}

/** The journal names them. A removed worktree takes its session with it. */
const knownRefs = (harness: Harness, { sessionPath, stepId }: StepJournal) => [
  fromRoot(harness, sessionPath),
  stepId,
]

const otherPolicyClasses = ['mutation.policy_digest_mismatch', 'governance.policy_package_mismatch']

/**
 * Returns a refusal if a person may close the issue now, but the turn is bound to a policy that has
 * been replaced since. No later start could close it with that turn.
 */
export async function replacedPolicy(
  harness: Harness,
  passage: ChangeAuthority,
  journal: StepJournal,
): Promise<IssueRefusal | undefined> {
  if (!OperatorGrant.isIssued(await passage.authority())) return undefined
  const admitted = await admittedTurn(harness, passage, journal)
  if (typeof admitted === 'string' || admitted.ready) return undefined
  const classes = admitted.findings.map(({ failureClass }) => failureClass)
  if (!classes.some(name => otherPolicyClasses.includes(name))) return undefined
  const remedy = 'Verify it again under the new policy.'
  return refuse('close_proof_stale', 'the policy has changed since it was verified', remedy)
}

async function agentNow(
  passage: ChangeAuthority,
  { instruction }: AgentGrant,
  joinWitness: string,
  known: readonly string[],
  journal: StepJournal,
): Promise<Authority> {
  const now = await passage.authority(joinWitness, known)
  if (!AgentGrant.isIssued(now)) return now
  if (now.instruction.instructionDigest === instruction.instructionDigest) return now
  const why = `${instruction.instructionId} has changed since the step started`
  return refuse('instruction_witness_invalid', why, runAgain(journal))
}

const noTurn = (message: string, journal: StepJournal): GrantRefusal => ({
  granted: false,
  message,
  remedy: runAgain(journal),
})

const runAgain = ({ issueId, workerId }: StepJournal) =>
  `Run the step again: ${continueCommand(issueId, workerId)}.`
