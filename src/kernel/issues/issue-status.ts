import { lowerAscii, trim } from '../text/clean.ts'
import type { Issue } from './issue.ts'

/** Spelled loosely on purpose: a row of another tool that says `Open` is work in hand too. */
export function isActive({ status }: Issue): boolean {
  if (status === 'open' || status === 'in_progress') return true
  if (status === 'closed') return false
  const word = lowerAscii(trim(status))
  return word === 'open' || word === 'in_progress'
}
