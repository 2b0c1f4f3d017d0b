/** Renders an instruction witness. */

import type { Page } from '../answer.ts'
import type { InstructionWitness } from '../wire/instruction/instruction-witness.ts'
import { factsPage } from './titled-page.ts'

export function witnessPage(witness: InstructionWitness, page: Page, path?: string): string {
  const { instructionId, verdictClass, results } = witness
  return factsPage(
    instructionId,
    [
      ['verdict', verdictClass],
      ['classes', witness.failureClasses.join(', ')],
      ['reason', witness.rejectReason],
      ...results.map(({ checkId, status, exitCode, durationMs }) => {
        return [checkId, `${status}, exit code ${exitCode}, ${durationMs} ms`] as const
      }),
      ['witness', path],
      ['digest', witness.witnessDigest],
    ],
    page,
  )
}

/** Why the verdict is a rejection. */
export function whyRejected({ rejectReason, results }: InstructionWitness): string {
  if (rejectReason !== undefined) return rejectReason
  const failed = results.filter(({ exitCode }) => exitCode !== 0)
  if (failed.length === 0) return 'the instruction was not carried out, or only in part'
  return failed.map(({ checkId, exitCode }) => `${checkId} exited with ${exitCode}`).join(', ')
}
