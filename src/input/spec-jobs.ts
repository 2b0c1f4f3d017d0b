import { Fault } from '../fault.ts'
import { countField, type Fields } from '../field.ts'

export const jobsField = {
  jobs: countField('n', 'Run this many cases in parallel. Defaults to one per CPU core.'),
} as const satisfies Fields

export function mustRunSome(jobs: number | undefined): void {
  if (jobs !== 0) return
  throw new Fault('usage', '--jobs must be at least 1, not 0', {
    hint: 'Pass at least 1, or omit the flag for one per CPU core.',
  })
}
