/** Answers about a missing or rejected feature ledger. */

import { type Answer, type Page, refusedAnswer } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import type { CheckedLedger, LedgerFlaw } from '../../kernel/harness/ledger-check.ts'
import type { FeatureLedger } from '../../wire/harness/feature-ledger.ts'
import { countLine, table } from '../table.ts'

export const noLedger = (path: string) =>
  new Fault('invalid_input', `the feature ledger ${path} does not exist`, {
    hint: 'Create it: premath harness-feature write --feature-id <id> --status pending.',
    detail: { path },
  })

/** The refusal for a rejected ledger. */
export function ledgerRejected(
  output: { readonly action: string; readonly [place: string]: string },
  path: string,
  failureClasses: readonly string[],
): Answer<unknown> {
  const diagnostic = `the feature ledger ${path} is rejected: ${failureClasses.join(', ')}`
  const remedy =
    'List the problems with premath harness-feature check, and correct rows with premath harness-feature write.'
  const answer = refusedAnswer(output, { failureClasses, diagnostic, remedy })
  return { ...answer, message: `error: ${diagnostic}\n  ${remedy}` }
}

/** Such as `  - class feature=id (message)`. */
export const flawLine = ({ class: name, featureId, message }: LedgerFlaw) =>
  `  - ${name}${featureId === undefined ? '' : ` feature=${featureId}`} (${message})`

/** The refusal of a row that the check would reject. Nothing was written. */
export function featureRefused(
  featureId: string,
  path: string,
  flaws: readonly LedgerFlaw[],
): Answer<unknown> {
  const failureClasses = [...new Set(flaws.map(one => one.class))].sort()
  const why = flaws.map(one => one.message).join('; ')
  const diagnostic = `the row of ${featureId} is refused: ${why}`
  const remedy =
    'Nothing was written. Give what is missing, such as --verification-ref <ref> for a completed feature, or end the feature in progress first.'
  const output = { action: 'harness-feature.write', featureId, path }
  const answer = refusedAnswer(output, { failureClasses, diagnostic, remedy })
  return {
    ...answer,
    message: [`error: ${diagnostic}`, ...flaws.map(flawLine), `  ${remedy}`].join('\n'),
  }
}

/** Flaws of other rows do not prevent a write, but it reports them. */
export function flawsMessage({ result, errors }: CheckedLedger): { readonly message?: string } {
  if (result === 'accepted') return {}
  const head = 'note: the row was written, and the ledger is still rejected:'
  return { message: [head, ...errors.map(flawLine)].join('\n') }
}

export function ledgerTable({ features }: FeatureLedger, page: Page): string {
  const rows = features.map(
    ({ featureId, status, issueId = '', verificationRefs, summary = '' }) => [
      featureId,
      status,
      issueId,
      String(verificationRefs.length),
      summary,
    ],
  )
  const head = ['feature', 'status', 'issue', 'verified by', 'summary']
  const leastFirst = ['verified by', 'issue', 'summary']
  return table(head, rows, page, leastFirst) + countLine({ count: rows.length }, 'feature', page)
}
