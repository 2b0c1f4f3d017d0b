import type { Page } from '../../answer.ts'
import type { FeatureLedger } from '../../wire/harness/feature-ledger.ts'
import { countLine, table } from '../table.ts'

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
