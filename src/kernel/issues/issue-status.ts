import { lowerAscii, trim } from '../text/clean.ts'
import type { Issue } from './issue.ts'

/** Ignores case, because rows of other tools may say `Open`. */
export function isActive({ status }: Issue): boolean {
  if (status === 'open' || status === 'in_progress') return true
  if (status === 'closed') return false
  const word = lowerAscii(trim(status))
  return word === 'open' || word === 'in_progress'
}
