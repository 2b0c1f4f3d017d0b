import { lowerAscii, trim } from '../text/clean.ts'
import type { Issue } from './issue.ts'
import { isLanding } from './landing-state.ts'

/** True if a worker may claim it once nothing blocks it. A merge may leave an open issue landing. */
export const isUnclaimed = (issue: Issue): boolean => issue.status === 'open' && !isLanding(issue)

/** Ignores case, because rows of other tools may say `Open`. */
export function isActive({ status }: Issue): boolean {
  if (status === 'open' || status === 'in_progress') return true
  if (status === 'closed') return false
  const word = lowerAscii(trim(status))
  return word === 'open' || word === 'in_progress'
}
