import { projectLedger } from '../../kernel/harness/ledger-check.ts'
import { visible } from '../../kernel/text/visible.ts'
import { ledgerFields, openLedger } from '../../project/harness-files.ts'
import { ledgerRejected } from '../../render/harness/ledger-answer.ts'
import { operation } from '../operation.ts'

const action = 'harness-feature.next'

export const harnessFeatureNext = operation({
  group: 'harness',
  summary: 'Say which feature comes next.',
  description:
    'The one in progress, else the first that is pending, by id; one that is blocked is never next. Without a ledger nothing is next, and that is no error. A ledger that is rejected is a no, and the exit code 1.',
  effect: 'read',
  input: { ...ledgerFields },
  examples: [{ command: 'premath harness-feature next --json', shows: 'the id, for a program' }],

  async run({ path: given }, context) {
    const { cell, path } = await openLedger(context, given)
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
  exists ? 'Nothing is next: no feature is in progress or pending.' : 'There is no ledger yet.'
