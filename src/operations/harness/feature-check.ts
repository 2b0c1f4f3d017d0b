import type { Page } from '../../answer.ts'
import { flagField } from '../../field.ts'
import { type CheckedLedger, checkLedger } from '../../kernel/harness/ledger-check.ts'
import { visible } from '../../kernel/text/visible.ts'
import { ledgerFields, openLedger } from '../../project/harness-files.ts'
import { openProject } from '../../project/open.ts'
import { flawLine, noLedger } from '../../render/harness/ledger-answer.ts'
import { LedgerCheck } from '../../wire/harness/ledger-check.ts'
import { operation } from '../operation.ts'

export const harnessFeatureCheck = operation({
  group: 'harness',
  summary: 'Check the feature ledger.',
  description:
    'Each feature must have one row and a known status. At most one feature may be in progress, and a completed feature must name its verification. Exits 1 if the ledger is rejected and lists every problem with its class.',
  effect: 'read',
  opId: 'op/harness.feature_check',
  input: {
    requireClosure: flagField('Also require that every feature is completed.'),
    ...ledgerFields,
  },
  output: LedgerCheck,
  examples: {
    'premath harness-feature check': 'list the problems',
    'premath harness-feature check --require-closure --json':
      'check that everything is completed and print JSON',
  },

  async run({ requireClosure, path: given }, context) {
    const { cell, path } = await openLedger(await openProject(context), given)
    const ledger = await cell.read()
    if (!ledger) throw noLedger(path)
    const check = checkLedger(ledger, requireClosure)
    return {
      output: { action: 'harness-feature.check', ...check, path, requireClosure },
      yes: check.result === 'accepted',
      render: page => checkPage(check, page),
    }
  },
})

/** Scripts search for the first line, so its text is fixed. */
function checkPage({ result, errors, nextFeatureId, summary }: CheckedLedger, page: Page): string {
  const word = result === 'accepted' ? page.ink('green', 'OK') : page.ink('red', 'FAIL')
  const { featureCount, closureComplete } = summary
  const next = visible(nextFeatureId ?? 'none')
  const counts = `(features=${featureCount}, closureComplete=${closureComplete}, nextFeature=${next})`
  const lines = [`[harness-feature] ${word} ${counts}`, ...errors.map(flawLine).map(visible)]
  return `${lines.join('\n')}\n`
}
