/** The id of an attempt, and the name of its folder. */
import type { Sha256 } from '../../canonical.ts'

/** `worker.bd-7.3.1`: worker, issue, fence and attempt. Ids are never reused. */
export const stepIdOf = (
  workerId: string,
  issueId: string,
  fence: number,
  attempt: number,
): string => `${workerId}.${issueId}.${fence}.${attempt}`

export interface StepNames {
  readonly workerId: string
  readonly issueId: string
}

/**
 * The pairs of worker and issue whose steps can have the same ids, this one included: `w` at `x.bd-7`
 * and `w.x` at `bd-7`. Names without a dot have one pair.
 */
export function namesakes({ workerId, issueId }: StepNames): readonly StepNames[] {
  const parts = `${workerId}.${issueId}`.split('.')
  return parts.slice(1).map((_, at) => ({
    workerId: parts.slice(0, at + 1).join('.'),
    issueId: parts.slice(at + 1).join('.'),
  }))
}

/** `close.bd-7.3.1`: the close of an issue outside of a step, which the harness verifies. */
export const closeStepId = (issueId: string, fence: number): string =>
  stepIdOf('close', issueId, fence, 1)

/**
 * Names of premath's own workers: the coordinator, the closes outside of steps, and the commands that
 * land and revert. Another worker of this name would hold their locks and be given their step ids.
 */
export const isReservedName = (worker: string): boolean =>
  /^(?:coordinator|land|revert|close(?:\..*)?)$/i.test(worker)

/** The prefix of all attempts under one fence. */
export const withoutAttempt = (stepId: string) => stepId.slice(0, stepId.lastIndexOf('.'))

const nameCharsMax = 120

/**
 * A safe file name, because an id may contain `/` or be too long for a path. Some disks ignore case, so
 * an id with upper case has a digest in its name.
 */
export function stepFolderName(stepId: string, sha256: Sha256): string {
  const plain = stepId
    .replace(/[^A-Za-z0-9._-]/gu, character => `%${(character.codePointAt(0) ?? 0).toString(16)}`)
    .replace(/^\.+/, dots => '%2e'.repeat(dots.length))
  if (plain.length <= nameCharsMax && !/[A-Z]/.test(plain)) return plain
  return `${plain.slice(0, nameCharsMax)}-${sha256(stepId).slice(0, 16)}`
}
