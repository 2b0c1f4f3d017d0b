/** Reads the state view before an attempt, and keeps it in the folder of the step. */
import { Fault } from '../../fault.ts'
import { documentOf } from '../../kernel/artifact/print.ts'
import { digestOf } from '../../kernel/canonical.ts'
import { type GivenLines, reminderQueue } from '../../kernel/harness/step/reminder-queue.ts'
import { type SeenState, seenState } from '../../kernel/harness/step/state-view.ts'
import { stepIdOf } from '../../kernel/harness/step/step-id.ts'
import { stepContext } from '../../kernel/harness/step/step-turn.ts'
import { ReminderQueue } from '../../wire/harness/reminder-queue.ts'
import { StateView } from '../../wire/harness/state-view.ts'
import type { RunRequest } from '../../wire/run/run-event.ts'
import type { ChangeAuthority, Harness, HarnessPolicy } from '../harness.ts'
import type { ClaimedWork } from './claim-work.ts'
import type { StepFolder } from './step-folder.ts'

export async function readState(
  harness: Harness,
  { issue, leaseId, fence }: ClaimedWork,
  attempt: number,
  request: RunRequest | undefined,
): Promise<SeenState> {
  const { workerId, store, clock, stop, policy, sha256 } = harness
  const passage = harness.changeAuthority()
  const inForce = await passage.policy()
  const refusal = (await refusalOf(passage, policy)) ?? null
  return seenState(
    {
      stepId: stepIdOf(workerId, issue.id, fence, attempt),
      attempt,
      claim: { workerId, leaseId, fence },
      policy: {
        digest: inForce.mutationPolicyDigest,
        boundDigest: policy.mutationPolicyDigest,
        mode: inForce.mutationMode,
        refusal,
      },
      asked: stop.aborted ? 'stop' : (request ?? null),
      issueId: issue.id,
      memory: await store.read(),
      now: clock.now(),
    },
    sha256,
  )
}

/** Why the caller could not close an issue now: governance, or the mode of the policy. */
async function refusalOf(
  passage: ChangeAuthority,
  policy: HarnessPolicy,
): Promise<string | undefined> {
  const ungoverned = await passage.refusalUnder(policy)
  if (ungoverned) return ungoverned.diagnostic
  const authority = await passage.authority()
  if ('failureClass' in authority) return authority.diagnostic
  return 'granted' in authority && !authority.granted ? authority.message : undefined
}

/** Returns the digest that the turn of the step names. */
export async function keepView(
  { sha256 }: Harness,
  seen: SeenState,
  treeDigest: string | null,
  folder: StepFolder,
): Promise<string> {
  const view = documentOf(StateView, { ...seen, treeDigest })
  await folder.write(stepContext.view.file, view)
  return digestOf(view, sha256)
}

/** Returns the digest that the turn of the step names. Most attempts are given nothing. */
export async function keepReminders(
  { policy, sha256 }: Harness,
  given: GivenLines,
  folder: StepFolder,
): Promise<string> {
  const queue = reminderQueue(given, policy.reminderLines)
  const document = documentOf(ReminderQueue, queue)
  if (queue.lines.length > 0) await folder.write(stepContext.queue.file, document)
  return digestOf(document, sha256)
}

/** The files, as the work finds them; `null` if they cannot be read. The work may still succeed. */
export async function treeBefore({ proofs }: Harness): Promise<string | null> {
  try {
    return await proofs.tree()
  } catch (error) {
    if (error instanceof Fault) return null
    throw error
  }
}
