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
  throw new Fault('usage', '--jobs is 0: no case would run', {
    hint: 'Give at least 1, or leave it out for one a core.',
  })
}
