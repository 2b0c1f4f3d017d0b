/**
 * The step's own turn: one call of the work command with its end as the result. The gate checks it
 * like any other turn, so that unobserved work changes nothing.
 */
import { StepEvidence } from '../../../wire/harness/step-row.ts'
import type { SandboxMode } from '../../../wire/sandbox-mode.ts'
import { documentOf } from '../../artifact/print.ts'
import { digestOf, type Sha256 } from '../../canonical.ts'
import { governedPaths } from '../../governance/governed-document.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json.ts'
import { deriveEvidence } from '../../turn/evidence/derive-evidence.ts'
import { governanceProfileId } from '../../turn/governance-claim.ts'

export interface StepWork {
  readonly stepId: string
  readonly issueId: string
  readonly command: string
  /** The absolute path of its working folder. */
  readonly workdir: string
  readonly sandbox: SandboxMode
  readonly exitCode: number | null
  readonly signal: string | null
  readonly timedOut: boolean
  readonly stdoutDigest: string
  readonly stderrDigest: string
  /** Set if the work failed. */
  readonly failure?: WorkFailure | undefined
  /** Of the state view before the attempt, which is in `view.json`. */
  readonly viewDigest: string
  /** Of the lines that the attempt was given, which are in `reminders.json` if there are any. */
  readonly queueDigest: string
  /** The turns that the work left. */
  readonly evidence?: StepEvidence | undefined
  /** The record of the attempt, to which the change refers. */
  readonly witnessRef: string
  readonly sessionRef: string
  /** The policy at the start of the step. */
  readonly mutationPolicyDigest: string
  /** True if governance is claimed. The turn must then name that policy. */
  readonly isGoverned: boolean
}

/** The envelope of an error result. */
export interface WorkFailure {
  readonly errorCode: string
  /** The decision of the retry policy on this failure alone. */
  readonly retryable: boolean
  readonly errorMessage: string
}

/** The rows of the step's own turn, and the files in its folder with what they are digests of. */
export const stepContext = {
  view: { id: 'harness/state', file: 'view.json' },
  queue: { id: 'harness/reminders', file: 'reminders.json' },
} as const

/** How the harness treats every work command. The call spec names it by digest. */
const stepProfile = {
  profileId: 'premath.harness.step.v1',
  useRefs: 'required',
  toolName: 'harness.work',
  uses: 'the result is consumed by the change of the issue that the step asks for',
  renders: 'the result is shown to nobody but the step itself',
  results: 'work that fails is an error result, with its failure class',
  queue: 'the lines of handoff, attention and feedback that the attempt was given, each once',
  views: 'one view before the attempt: issue, blockers, lease, policy in force, tree',
} as const satisfies JsonObject

/** Without a sandbox, the process group still bounds what the command starts. */
const sandboxRefOf = (mode: SandboxMode) => `sandbox://${mode === 'off' ? 'process-group' : mode}`

const callOf = (stepId: string) => `${stepId}:work`

/** Builds the gate's input for the change. */
export function stepTurn(work: StepWork, action: string, sha256: Sha256): JsonObject {
  const { stepId, issueId, command, workdir, witnessRef, sessionRef } = work
  const toolCallId = callOf(stepId)
  const payload = {
    exitCode: work.exitCode,
    signal: work.signal,
    timedOut: work.timedOut,
    stdoutDigest: work.stdoutDigest,
    stderrDigest: work.stderrDigest,
    // Into the witness of this turn, and by that into the proof of the close.
    ...(work.evidence && { evidence: documentOf(StepEvidence, work.evidence) }),
  }
  const argumentsDigest = digestOf({ command }, sha256)
  const { stdoutDigest, stderrDigest } = work
  const policyDigest = digestOf(stepProfile, sha256)
  const sandboxRef = sandboxRefOf(work.sandbox)
  const shell = { workdir, sandboxRef, commandDigest: `sha256:${sha256(command)}` }
  const derived = deriveEvidence(
    {
      callId: stepId,
      modelRef: 'harness://step',
      actionMode: 'code',
      executionPattern: 'chain',
      normalizerId: 'nf.v1',
      thread: stepId,
      stopReason: 'end_turn',
      // Only a digest, because the turn is kept and a command line may contain a secret.
      requests: [{ toolCallId, toolName: stepProfile.toolName, seq: 1, argumentsDigest }],
      results: [{ toolCallId, seq: 2, payload, shown: '', injectionPoint: 'harness_step' }],
      later: [],
      laterRequests: [],
      ended: true,
      discarded: {},
      injected: '',
      before: [],
      sessionRefs: [sessionRef],
      trajectoryRefs: [stepId],
      profile: stepProfile,
      supplied: {
        toolResults: [
          {
            toolCallId,
            seq: 2,
            status: work.failure ? 'error' : 'ok',
            payload,
            ...work.failure,
            shell,
            streams: { stdoutDigest, stderrDigest },
          },
        ],
        stateViews: [{ viewId: stepContext.view.id, viewDigest: work.viewDigest, policyDigest }],
        reminderQueue: [
          { queueId: stepContext.queue.id, reducedDigest: work.queueDigest, policyDigest },
        ],
        toolUse: [{ toolCallId, disposition: 'consumed', mutationInputRef: witnessRef }],
      },
    },
    sha256,
  )
  const { mutationPolicyDigest, isGoverned } = work
  return {
    ...boundTo(mutationPolicyDigest, derived),
    ...(isGoverned && { governanceProfile: pinnedTo(mutationPolicyDigest) }),
    mutation: { kind: 'issue', action, issueId },
    capabilityClaims: ['capabilities.change_morphisms', `capabilities.change_morphisms.${action}`],
    activeMutationPolicyDigest: mutationPolicyDigest,
  }
}

/** The authority check compares it with the policy in force. */
const pinnedTo = (digest: string): JsonObject => ({
  claimId: governanceProfileId,
  claimed: true,
  policyProvenance: {
    pinned: true,
    packageRef: governedPaths.policy,
    expectedDigest: digest,
    boundDigest: digest,
  },
})

/** The mutation policy is the project's, not that of the built-in profile. */
function boundTo(mutationPolicyDigest: string, { evidence, policies, ...rest }: JsonObject) {
  const { mutationPolicyDigest: _profile, ...others } = objectOf(policies)
  const callSpec = { ...objectOf(objectOf(evidence)['callSpec']), mutationPolicyDigest }
  return { ...rest, evidence: { ...objectOf(evidence), callSpec }, policies: others }
}

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})
