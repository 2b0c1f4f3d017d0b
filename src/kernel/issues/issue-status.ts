import { lowerAscii, trim } from '../text/clean.ts'
import { nearest } from '../text/nearest.ts'
import type { Issue } from './issue.ts'
import { isLanding } from './landing/landing-state.ts'

/** The statuses of every project. A row with another one still loads. */
export const knownStatuses = ['open', 'in_progress', 'blocked', 'in_review', 'closed'] as const

/** The known status that a word stands for: `Closed` is `closed`. */
export function knownStatus(word: string, own: readonly string[]): string | undefined {
  const plain = lowerAscii(trim(word))
  return [...knownStatuses, ...own].find(status => lowerAscii(trim(status)) === plain)
}

/** Says what a status may be. */
export function statusHint(word: string, known: readonly string[]): string {
  const meant = nearest(lowerAscii(trim(word)), known)
  const more = 'premath config set statuses <status> adds one.'
  return `${meant ? `Did you mean ${meant}? ` : ''}It is one of ${known.join(', ')}. ${more}`
}

/** True if a worker may claim it once nothing blocks it. A merge may leave an open issue landing. */
export const isUnclaimed = (issue: Issue): boolean => issue.status === 'open' && !isLanding(issue)

/** Ignores case, because rows of other tools may say `Open`. */
export function isActive({ status }: Issue): boolean {
  if (status === 'open' || status === 'in_progress') return true
  if (status === 'closed') return false
  const word = lowerAscii(trim(status))
  return word === 'open' || word === 'in_progress'
}
