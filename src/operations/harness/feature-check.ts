import type { Page } from '../../answer.ts'
import {
  checkLedger,
  type LedgerCheck,
  ledgerCheckKind,
} from '../../kernel/harness/ledger-check.ts'
import { visible } from '../../kernel/text/visible.ts'
import { ledgerFields, openLedger } from '../../project/harness-files.ts'
import { flawLine, noLedger } from '../../render/harness/ledger-answer.ts'
import { operation } from '../operation.ts'

export const harnessFeatureCheck = operation({
  group: 'harness',
  summary: 'Check that the feature ledger can be trusted.',
  description:
    'Each feature has one row and a known status, one feature at most is in progress, and a completed one names what verified it. Exits 1 when something is wrong, each thing with its class.',
  effect: 'read',
  input: {
    requireClosure: {
      type: 'flag',
      describe: 'Also ask that every feature is completed.',
    },
    ...ledgerFields,
  },
  examples: [
    { command: 'premath harness-feature check', shows: 'what is wrong, and where' },
    {
      command: 'premath harness-feature check --require-closure --json',
      shows: 'whether all is done, for a program',
    },
  ],

  async run({ requireClosure, path: given }, context) {
    const { cell, path } = await openLedger(context, given)
    const ledger = await cell.read()
    if (!ledger) throw noLedger(path)
    const check = checkLedger(ledger, requireClosure)
    const { accepted, errors, failureClasses, nextFeatureId, summary } = check
    return {
      output: {
        action: 'harness-feature.check',
        checkKind: ledgerCheckKind,
        errors,
        failureClasses,
        nextFeatureId: nextFeatureId ?? null,
        path,
        requireClosure,
        result: accepted ? 'accepted' : 'rejected',
        summary,
      },
      yes: accepted,
      render: page => checkPage(check, page),
    }
  },
})

/** Scripts search for the first line, so its text is fixed. */
function checkPage({ accepted, errors, nextFeatureId, summary }: LedgerCheck, page: Page): string {
  const word = accepted ? page.ink('green', 'OK') : page.ink('red', 'FAIL')
  const { featureCount, closureComplete } = summary
  const next = visible(nextFeatureId ?? 'none')
  const counts = `(features=${featureCount}, closureComplete=${closureComplete}, nextFeature=${next})`
  const lines = [`[harness-feature] ${word} ${counts}`, ...errors.map(flawLine).map(visible)]
  return `${lines.join('\n')}\n`
}
