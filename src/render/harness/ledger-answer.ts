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

/** A write never fails because of a rejected ledger, but it reports the problems. */
export function flawsMessage({ result, errors }: CheckedLedger): { readonly message?: string } {
  if (result === 'accepted') return {}
  const head = 'note: the row was written, but the ledger is now rejected:'
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
