/** Verifies the work of an attempt: in a clean checkout, or as a candidate for landing. */
import { parkedClass } from '../../kernel/harness/step/step-decision.ts'
import type { StepJournal } from '../../wire/harness/step-journal.ts'
import type { Harness } from '../harness.ts'
import type { Unlanded } from '../landing/land-issue.ts'
import type { Landing, Submitted } from '../landing/landing.ts'
import type { WorkCheckout } from '../landing/work-checkout.ts'
import type { ClaimedWork } from './claim-work.ts'
import type { CommandRun, RanCommand } from './command.ts'
import type { Verification, Verifier } from './command-verifier.ts'
import type { LeaseRenewer } from './lease-renewer.ts'

export interface VerifyOptions {
  readonly verifier: Verifier
  /** Verifies the specs that the issue names, after `verifier` has passed. */
  specVerifier(specs: readonly string[]): Verifier
  readonly verifyTimeoutMs: number
  /** Lands the work before its issue closes. */
  readonly landing?: Landing | undefined
  /** Verifies work that does not land. */
  readonly checkout?: WorkCheckout | undefined
  readonly renewer: LeaseRenewer
}

export interface VerifiedWork {
  /** `undefined` if it did not run. */
  readonly verification: Verification | undefined
  /** Set if the work was verified. */
  readonly submitted?: Submitted | undefined
}

interface Worked {
  readonly claimed: ClaimedWork
  readonly journal: StepJournal
  readonly work: RanCommand
  readonly run: Omit<CommandRun, 'timeoutMs'>
  /** Why the commit of the same work did not land. */
  readonly unlanded: Unlanded | undefined
}

/** Never in the worktree: there the work supplies files that no clone has. */
export async function verifyWork(
  harness: Harness,
  { claimed, journal, work, run, unlanded }: Worked,
  options: VerifyOptions,
): Promise<VerifiedWork> {
  const place = options.landing ?? options.checkout
  if (unlanded?.how === 'parked') return { verification: parkedVerification(unlanded) }
  if (!(await mayVerify(harness, work, options))) return { verification: undefined }
  if (!place) throw new TypeError('the work has no place where it is verified')
  const submitted = await place.submit(harness, { issue: claimed.issue, journal, run })
  return { verification: submitted.verification, submitted }
}

/** A person has to act before the commit can land, so no other attempt helps. */
const parkedVerification = ({
  why,
  paths,
}: Extract<Unlanded, { readonly how: 'parked' }>): Verification => ({
  passed: false,
  stopped: false,
  commands: [],
  failureClasses: [parkedClass],
  summary: `the commit was not landed: ${[why, ...paths].join(' ')}`,
})

/** Skips verification if the work failed, the process stops, or the lease is lost. */
const mayVerify = async ({ stop }: Harness, { failure }: RanCommand, { renewer }: VerifyOptions) =>
  !failure && !stop.aborted && (await renewer.renewIfDue())
