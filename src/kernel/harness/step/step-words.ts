/** Says in plain words how a step ended. */
import type { StepRow } from '../../../wire/harness/step-row.ts'
import { isSuccess, timeoutClass, verificationClasses } from '../retry/failure-class.ts'
import {
  interruptedClass,
  landCommandClass,
  leaseLostClass,
  parkedClass,
  reviewClass,
  stoppedClass,
  worktreeGoneClass,
} from './step-decision.ts'
import { stepAction, stopAction } from './step-row.ts'

const words: ReadonlyMap<string, string> = new Map([
  [verificationClasses.semantic, 'check failed'],
  [verificationClasses.wiring, 'command could not run'],
  [verificationClasses.flaky, 'check is flaky'],
  [timeoutClass, 'timed out'],
  ['work_changed_nothing', 'changed no file'],
  ['protected_path_changed', 'changed protected files'],
  ['close_specs_changed', 'changed its specs'],
  ['verification_changed_files', 'check changed files'],
  ['landing_conflict', 'conflict'],
  [parkedClass, 'verified, waits to land'],
  [landCommandClass, 'landing command failed'],
  [leaseLostClass, 'lease lost'],
  [stoppedClass, 'stopped'],
  [interruptedClass, 'interrupted'],
  [worktreeGoneClass, 'worktree removed'],
  [reviewClass, 'verified, in review'],
])

const retryStart = 'retry_needed_'

/** The failure class of a result, whether or not the policy allows another attempt. */
export const failureClassOf = (resultClass: string) =>
  resultClass.startsWith(retryStart) ? resultClass.slice(retryStart.length) : resultClass

/** A class without words is shown as it is, so that a person can look it up. */
export function stepWords({ action, resultClass }: StepRow): string {
  if (action === stopAction) return 'handed over'
  if (isSuccess(resultClass)) return action === stepAction ? 'closed' : 'done'
  const failureClass = failureClassOf(resultClass)
  return words.get(failureClass) ?? `failed: ${failureClass}`
}
