import { projectLedger } from '../../kernel/harness/ledger-check.ts'
import { visible } from '../../kernel/text/visible.ts'
import { ledgerFields, openLedger } from '../../project/harness-files.ts'
import { openProject } from '../../project/open.ts'
import { ledgerRejected } from '../../render/harness/ledger-answer.ts'
import { FeatureNextAnswer } from '../../wire/answers/harness.ts'
import { operation } from '../operation.ts'

const action = 'harness-feature.next'

export const harnessFeatureNext = operation({
  group: 'harness',
  summary: 'Show the next feature.',
  description:
    'The next feature is the one in progress, otherwise the first pending one by id. A blocked feature is never next. A missing ledger is not an error. Exits 1 if the ledger is rejected.',
  effect: 'read',
  opId: 'op/harness.feature_next',
  input: { ...ledgerFields },
  output: FeatureNextAnswer,
  examples: { 'premath harness-feature next --json': 'print the id as JSON' },

  async run({ path: given }, context) {
    const { cell, path } = await openLedger(await openProject(context), given)
    const ledger = await cell.read()
    const projected = ledger && projectLedger(ledger)
    if (projected && 'failureClasses' in projected) {
      return ledgerRejected({ action, path }, path, projected.failureClasses)
    }
    const nextFeatureId = projected?.nextFeatureId ?? null
    return {
      output: {
        action,
        closureComplete: projected?.closureComplete ?? null,
        exists: ledger !== undefined,
        featureCount: projected?.featureCount ?? null,
        nextFeatureId,
        path,
      },
      yes: true,
      render: () => `${visible(nextFeatureId ?? nothingNext(ledger !== undefined))}\n`,
    }
  },
})

const nothingNext = (exists: boolean) =>
  exists ? 'No feature is in progress or pending.' : 'No feature ledger exists.'
