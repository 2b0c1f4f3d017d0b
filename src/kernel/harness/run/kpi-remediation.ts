/** What was done about workers that did badly: from then on their steps are counted anew (TUSK-HARNESS-CONTRACT §13). */
import { instantOf, timestampOf } from '../../timestamp.ts'
import { secondOf, wholeText } from '../artifact.ts'
import type { StepRow } from '../step/step-row.ts'
import { finishedAtOf } from '../step/trajectory.ts'

export const remediationAction = 'harness.kpi.remediate'

export interface Remediation {
  readonly at: bigint
  readonly reason: string
}

/** Only with its reason: a pause is not lifted without a word. */
export function remediationOf(row: StepRow): Remediation | undefined {
  const given = row.others['reason']
  if (row.action !== remediationAction || typeof given !== 'string') return undefined
  const reason = wholeText(given)
  return reason === '' ? undefined : { at: finishedAtOf(row), reason }
}

/**
 * The row of a remediation, which is no older than the newest step: whatever a clock says, what is
 * recorded already came before it. `undefined` where no reason is given.
 */
export function remediationRow(
  given: string,
  { now, newest }: { readonly now: bigint; readonly newest: bigint },
): StepRow | undefined {
  const reason = wholeText(given)
  if (reason === '') return undefined
  const second = secondOf(now)
  return {
    stepId: `${remediationAction}.${now}`,
    action: remediationAction,
    resultClass: 'ok',
    instructionRefs: [],
    witnessRefs: [],
    lineageRefs: [],
    finishedAt: newest > (instantOf(second) ?? 0n) ? timestampOf(newest) : second,
    others: { reason },
  }
}

/** The last of those it is shown; of two at one instant, the one written later. */
export class LastRemediation {
  found: Remediation | undefined

  take(row: StepRow): void {
    const one = remediationOf(row)
    if (one && (this.found === undefined || one.at >= this.found.at)) this.found = one
  }
}
