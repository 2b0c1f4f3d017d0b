/** The events of a run that a person should look at, each with a message and the next action. */
import type { AttentionFacts } from '../../../wire/run/attention.ts'
import type { FailedIssue } from '../../../wire/run/run-event.ts'
import { millis } from '../../timestamp.ts'
import { continueCommand } from '../lease-handoff.ts'
import type { RemainingWork } from './remaining-work.ts'
import { shortList } from './remaining-work.ts'
import type { StepEventOf } from './run-event.ts'
import { streakMax } from './run-tally.ts'

export const quietAttention = (
  workerId: string,
  issueId: string | undefined,
  { phase, seconds }: StepEventOf<'quiet'>,
): AttentionFacts => ({
  about: 'worker_quiet',
  message: `${workerId} has printed nothing for ${seconds} s in ${phase}${issueId === undefined ? '' : ` of ${issueId}`}`,
  next: 'Check whether the command waits for input. Its timeout ends it.',
  workerId,
  issueId,
})

export const leaseEndingAttention = (
  workerId: string,
  { issueId, leaseExpiresAt }: StepEventOf<'lease.ending'>,
): AttentionFacts => ({
  about: 'lease_ending',
  message: `the lease of ${workerId} on ${issueId} expires at ${leaseExpiresAt} and could not be renewed`,
  next: 'Find the process that keeps issue memory locked: premath doctor.',
  workerId,
  issueId,
})

export const parkedAttention = (workerId: string, failed: FailedIssue): AttentionFacts => ({
  about: 'landing_parked',
  message: `${failed.issueId} is done and verified, but ${failed.summary}`,
  next: `Move your files out of the way, then land it: premath land ${failed.issueId}.`,
  workerId,
  issueId: failed.issueId,
  stepId: failed.stepId,
  failureClasses: failed.failureClasses,
})

export const leaseLostAttention = (workerId: string, failed: FailedIssue): AttentionFacts => ({
  about: 'lease_lost',
  message: `${workerId} lost ${failed.issueId}: ${failed.summary}; the issue was not changed`,
  next: `Show its current owner: premath issue show ${failed.issueId}.`,
  workerId,
  issueId: failed.issueId,
  stepId: failed.stepId,
  failureClasses: failed.failureClasses,
})

export const repeatedAttention = (
  workerId: string,
  issueId: string,
  failureClass: string,
): AttentionFacts => ({
  about: 'repeated_failure',
  message: `${workerId} failed ${streakMax} times in a row with ${failureClass}, last on ${issueId}`,
  next: 'Fix the common cause: premath harness-trajectory query --mode failed --cluster.',
  workerId,
  issueId,
  failureClasses: [failureClass],
})

/** The run ends with it, because the next issue would meet the same environment. */
export const environmentAttention = (
  workerId: string,
  { issueId, stepId, summary, failureClasses, outputRef }: StepEventOf<'attempt.ended'>,
): AttentionFacts => ({
  about: 'environment_failed',
  message: `a command of ${workerId} could not run, so the run ends: ${summary}`,
  next: `Make the command run, then run the loop again. A new worktree has committed files only.${outputRef === undefined ? '' : ` Its output is in ${outputRef}.`}`,
  workerId,
  issueId,
  stepId,
  failureClasses,
})

/** Several workers fail alike, so the cause is shared. */
export const commonAttention = (issueId: string, failureClass: string): AttentionFacts => ({
  about: 'repeated_failure',
  message: `${streakMax} attempts of several workers failed in a row with ${failureClass}, last on ${issueId}`,
  next: 'Fix the common cause: premath harness-trajectory query --mode failed --cluster.',
  issueId,
  failureClasses: [failureClass],
})

export const refusedAttention = (workerId: string, failed: FailedIssue): AttentionFacts => ({
  about: 'gate_refused',
  message: `the gate rejected ${failed.issueId}: ${failed.summary}`,
  next: `The issue was not changed, and ${workerId} still holds its lease. Complete the turn, then run: ${continueCommand(failed.issueId, workerId)}.`,
  workerId,
  issueId: failed.issueId,
  stepId: failed.stepId,
  failureClasses: failed.failureClasses,
})

export function blockedAttention(left: RemainingWork): AttentionFacts {
  const { blockers, marked, named, held } = left
  const parts = [
    ...waitingParts(left),
    ...(marked.length > 0 ? [`${shortList(marked)} ${isOrAre(marked)} marked as blocked`] : []),
    ...(named.length > 0 ? [`assigned to other workers: ${shortList(named)}`] : []),
    ...(held.length > 0 ? [`held: ${shortList(held)}`] : []),
  ]
  const [first = ''] = [...blockers, ...marked]
  return {
    about: 'work_blocked',
    message: `no issue is ready: ${parts.join('; ')}`,
    next: `Show what it needs: premath issue show ${first}.`,
    blockers: [...new Set([...blockers, ...marked])],
  }
}

/** Names the issues that wait, and those they wait for. Issues that wait for the same ones are told together. */
function waitingParts({ waits, marked }: RemainingWork): readonly string[] {
  const together = new Map<string, string[]>()
  for (const { id, on } of waits) {
    if (marked.includes(id)) continue
    const names = shortList(on)
    together.set(names, [...(together.get(names) ?? []), id])
  }
  const parts = [...together].map(([on, ids]) => `${shortList(ids)} ${waitOrWaits(ids)} for ${on}`)
  const more = parts.length - partsShownMax
  return more > 0 ? [...parts.slice(0, partsShownMax), `and ${more} more`] : parts
}

const partsShownMax = 5

const waitOrWaits = ({ length }: readonly string[]) => (length === 1 ? 'waits' : 'wait')
const isOrAre = ({ length }: readonly string[]) => (length === 1 ? 'is' : 'are')

export const unverifiedAttention = (workerId: string, failed: FailedIssue): AttentionFacts => ({
  about: 'closed_unverified',
  message: `${failed.issueId} is closed, although ${failed.summary}`,
  next: `Reopen it: premath issue update ${failed.issueId} --status open.`,
  workerId,
  issueId: failed.issueId,
  stepId: failed.stepId,
  failureClasses: failed.failureClasses,
})

export const waitingAttention = (stepId: string, issueId: string): AttentionFacts => ({
  about: 'step_waiting',
  message: `the interrupted step ${stepId} cannot be finished: the policy does not allow this caller to change issues`,
  next: 'Run the loop again with --reason <text>.',
  issueId,
  stepId,
})

export const cycleAttention = (path: readonly string[]): AttentionFacts => ({
  about: 'dependency_cycle',
  message: `active issues form a dependency cycle: ${path.join(' → ')}`,
  next: `Remove a dependency: premath dep remove ${path[0] ?? ''} ${path[1] ?? ''}.`,
  blockers: path,
})

/** In whole seconds. Smaller steps are normal clock adjustment. */
export const secondsSetBack = (lastTime: bigint, now: bigint): number =>
  now < lastTime ? Number((lastTime - now) / millis(1_000)) : 0

export const clockAttention = (seconds: number): AttentionFacts => ({
  about: 'clock_set_back',
  message: `the clock was set back by ${seconds} s, so the times of this run are unreliable`,
  next: 'No data is lost. Synchronize the clock over the network, so that leases expire on time.',
})

export const workerEndedAttention = (
  workerId: string,
  message: string,
  next: string,
): AttentionFacts => ({ about: 'worker_ended', message: `${workerId}: ${message}`, next, workerId })

export const attentionPathDefault = '.premath/harness_attention.jsonl'

/** The key of an attention. Further attempts on the same issue have the same key. */
export const matterOf = ({ about, workerId, issueId, failureClasses, blockers }: AttentionFacts) =>
  JSON.stringify([about, workerId, issueId, failureClasses, blockers])
