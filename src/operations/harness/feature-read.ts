import { documentOf } from '../../kernel/artifact/print.ts'
import { ledgerFields, openLedger } from '../../project/harness-files.ts'
import { openProject } from '../../project/open.ts'
import { ledgerTable, noLedger } from '../../render/harness/ledger-answer.ts'
import { FeatureReadAnswer } from '../../wire/answers/harness.ts'
import { FeatureLedger } from '../../wire/harness/feature-ledger.ts'
import { operation } from '../operation.ts'

export const harnessFeatureRead = operation({
  group: 'harness',
  summary: 'Show the feature ledger.',
  description: 'Prints the ledger without checking it. Exits 2 if it does not exist.',
  effect: 'read',
  opId: 'op/harness.feature_read',
  input: { ...ledgerFields },
  output: FeatureReadAnswer,
  examples: { 'premath harness-feature read': 'show one row per feature' },

  async run({ path: given }, context) {
    const { cell, path } = await openLedger(await openProject(context), given)
    const ledger = await cell.read()
    if (!ledger) throw noLedger(path)
    return {
      output: { action: 'harness-feature.read', ledger: documentOf(FeatureLedger, ledger), path },
      yes: true,
      render: page => ledgerTable(ledger, page),
    }
  },
})
