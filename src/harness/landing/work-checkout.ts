/**
 * Where the work of a step that does not land is verified: in a clean checkout of exactly the files
 * that a commit of the work would have.
 */
import type { Issue } from '../../kernel/issues/issue.ts'
import type { Harness } from '../harness.ts'
import type { Submission } from './candidate-verifier.ts'
import type { Submitted } from './landing.ts'
import type { JudgeChanged } from './landing-queue.ts'

export interface WorkCheckout {
  /** Pins what judges the work, before the work runs. */
  begin(harness: Harness, issue: Issue): Promise<void>
  submit(harness: Harness, submission: Submission): Promise<Submitted>
  /**
   * Takes the files as they are now into a commit, which the ref keeps, for a verification later.
   * `undefined` without git.
   */
  keep(issue: Issue, stepId: string, ref: string): Promise<Kept | undefined>
  /** The step is over. What unverified work left must not pass for the files of a person later. */
  end(harness: Harness, isClosed: boolean): Promise<void>
}

/** The commit, or why git could not take a file. */
export type Kept = { readonly commit: string } | { readonly complaint: string }

/** The work is not verified. */
export const unverified = (failureClass: string, summary: string): Submitted => ({
  verification: {
    passed: false,
    stopped: false,
    commands: [],
    failureClasses: [failureClass],
    summary,
  },
})

export const refusedWork = ({ failureClass, summary }: JudgeChanged): Submitted =>
  unverified(failureClass, summary)

/** Names files that the verification lacked, since that may be why it failed. */
export function lacking(submitted: Submitted, paths: readonly string[]): Submitted {
  const { verification } = submitted
  if (verification.passed || verification.stopped || paths.length === 0) return submitted
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : ''
  const names = `${paths.slice(0, 5).join(', ')}${more}`
  const summary = `${verification.summary}; the clean checkout lacks files that git ignores: ${names}`
  return { ...submitted, verification: { ...verification, summary } }
}
