/** The events of a run, reported as they happen. They decide nothing. */

import type { AttentionAbout } from '../../../wire/run/attention.ts'
import type { Budget } from '../../../wire/run/budget.ts'
import type { Phase, Recovery, RunEndWhy } from '../../../wire/run/run-event.ts'
import { timestampOf } from '../../timestamp.ts'

/** Events of one worker's hooks. */
export type StepEvent =
  | { readonly event: 'note'; readonly message: string }
  | {
      readonly event: 'recovered'
      readonly stepId: string
      readonly issueId: string
      readonly how: Recovery
      readonly resultClass: string
    }
  | {
      readonly event: 'claimed'
      readonly issueId: string
      readonly title: string
      readonly leaseId: string
      readonly fence: number
      readonly leaseExpiresAt: string
      /** The owner of the expired lease, if it was taken over. */
      readonly takenOverFrom?: string | undefined
    }
  | {
      readonly event: 'phase'
      readonly phase: Phase
      readonly command: string
      /** Added by the loop. */
      readonly issueId?: string | undefined
    }
  | { readonly event: 'output'; readonly line: string }
  | {
      readonly event: 'quiet'
      readonly phase: Phase
      readonly seconds: number
      readonly issueId?: string | undefined
    }
  | { readonly event: 'lease.renewed'; readonly issueId: string; readonly leaseExpiresAt: string }
  | { readonly event: 'lease.ending'; readonly issueId: string; readonly leaseExpiresAt: string }
  | {
      readonly event: 'attempt.ended'
      readonly stepId: string
      readonly issueId: string
      readonly attempt: number
      readonly resultClass: string
      readonly failureClasses: readonly string[]
      readonly summary: string
      readonly durationMs: number
      readonly nextStep: string
    }
  | { readonly event: 'waiting'; readonly issueId: string; readonly milliseconds: number }
  /** The announced retry does not happen. */
  | { readonly event: 'attempt.dropped'; readonly issueId: string; readonly why: string }

/** All events of a run of the loop. */
export type RunEvent =
  | (StepEvent & { readonly workerId: string })
  | {
      readonly event: 'run.started'
      readonly runId: string
      readonly workers: readonly { readonly workerId: string; readonly worktree: string }[]
      readonly parallel: number
      /** The number of issues that are not closed. */
      readonly open: number
      readonly budget: Budget
    }
  | { readonly event: 'worktree'; readonly path: string; readonly state: string }
  | { readonly event: 'pass'; readonly pass: number; readonly sent: readonly string[] }
  | ({ readonly event: 'attention' } & AttentionFacts)
  | {
      readonly event: 'worker.ended'
      readonly workerId: string
      readonly why: string
      readonly message?: string | undefined
    }
  | ({ readonly event: 'run.ended' } & RunSummary)

/** An event that a person should look at. */
export interface AttentionFacts {
  readonly about: AttentionAbout
  readonly message: string
  readonly next: string
  readonly workerId?: string | undefined
  readonly issueId?: string | undefined
  readonly stepId?: string | undefined
  readonly failureClasses?: readonly string[] | undefined
  /** Issues that block others. */
  readonly blockers?: readonly string[] | undefined
}

export interface RunSummary {
  readonly runId: string
  readonly why: RunEndWhy
  readonly closed: readonly string[]
  readonly failed: readonly FailedIssue[]
  readonly refused: readonly FailedIssue[]
  /** Attempts whose issue another worker took before they ended. */
  readonly lost: readonly FailedIssue[]
  readonly steps: number
  readonly budget: Budget
  readonly attention: number
  /** The number of issues that are not closed. `null` if issue memory cannot be read. */
  readonly left: number | null
  readonly milliseconds: number
  readonly nextStep: string
}

export interface FailedIssue {
  readonly issueId: string
  readonly stepId: string
  readonly resultClass: string
  readonly failureClasses: readonly string[]
  readonly summary: string
}

const runEventKind = 'premath.harness.run_event.v1'

/** One line of the JSON event stream. */
export const runEventDocument = (event: RunEvent, at: bigint) => ({
  schema: 1,
  runEventKind,
  at: timestampOf(at),
  ...event,
})
