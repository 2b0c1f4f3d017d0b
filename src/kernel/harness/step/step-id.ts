/** How a step is named, and the folder that holds what it left. */
import type { Sha256 } from '../../canonical.ts'

/** `worker.bd-7.3.1`: who, what, under which fence, and which try. Never given out twice. */
export const stepIdOf = (
  workerId: string,
  issueId: string,
  fence: number,
  attempt: number,
): string => `${workerId}.${issueId}.${fence}.${attempt}`

/** All tries under one fence: the step's name without the last part. */
export const pieceOf = (stepId: string) => stepId.slice(0, stepId.lastIndexOf('.'))

const nameCharsMax = 120

/** A folder's name for it: ids may hold what a path must not, and be longer than one may. */
export function stepFolderName(stepId: string, sha256: Sha256): string {
  const plain = stepId
    .replace(/[^A-Za-z0-9._-]/gu, character => `%${(character.codePointAt(0) ?? 0).toString(16)}`)
    .replace(/^\.+/, dots => '%2e'.repeat(dots.length))
  if (plain.length <= nameCharsMax) return plain
  return `${plain.slice(0, nameCharsMax)}-${sha256(stepId).slice(0, 16)}`
}
