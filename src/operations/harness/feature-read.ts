import { ledgerDocument } from '../../kernel/harness/feature-ledger.ts'
import { ledgerFields, openLedger } from '../../project/harness-files.ts'
import { noLedger } from '../../render/harness/ledger-answer.ts'
import { ledgerTable } from '../../render/harness/ledger-table.ts'
import { operation } from '../operation.ts'

export const harnessFeatureRead = operation({
  group: 'harness',
  summary: 'Show the feature ledger: what is to be done, and what was verified.',
  description: 'As it is, without a check. Exits 2 where there is none yet.',
  effect: 'read',
  input: { ...ledgerFields },
  examples: [{ command: 'premath harness-feature read', shows: 'one row a feature' }],

  async run({ path: given }, context) {
    const { cell, path } = await openLedger(context, given)
    const ledger = await cell.read()
    if (!ledger) throw noLedger(path)
    return {
      output: { action: 'harness-feature.read', ledger: ledgerDocument(ledger), path },
      yes: true,
      render: page => ledgerTable(ledger, page),
    }
  },
})
