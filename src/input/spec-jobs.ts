import { Fault } from '../fault.ts'
import type { Fields } from '../field.ts'

export const jobsField = {
  jobs: {
    type: 'count',
    describe: 'Run this many cases in parallel. Defaults to one per CPU core.',
    placeholder: 'n',
  },
} as const satisfies Fields

export function mustRunSome(jobs: number | undefined): void {
  if (jobs !== 0) return
  throw new Fault('usage', '--jobs must be at least 1, not 0', {
    hint: 'Pass at least 1, or omit the flag for one per CPU core.',
  })
}
