import { Fault } from '../../fault.ts'
import {
  featureStatuses,
  ledgerDocument,
  writeFeature,
} from '../../kernel/harness/feature-ledger.ts'
import { checkLedger } from '../../kernel/harness/ledger-check.ts'
import { trim } from '../../kernel/text/clean.ts'
import { givenRefs, ledgerFields, mustBeOwnFile, openLedger } from '../../project/harness-files.ts'
import { flawTalk } from '../../render/harness/ledger-answer.ts'
import { ledgerTable } from '../../render/harness/ledger-table.ts'
import { operation } from '../operation.ts'

export const harnessFeatureWrite = operation({
  group: 'harness',
  summary: 'Write one row of the feature ledger.',
  description:
    'Makes the row or changes it: what is not named stays, and a blank value clears, also of a list. Refs of one issue are not carried to the next. A row is written whatever the ledger then says; when premath harness-feature check would reject it, a note says so.',
  effect: 'projection',
  input: {
    featureId: { type: 'text', describe: 'The feature.', placeholder: 'id', required: true },
    status: {
      type: 'choice',
      values: featureStatuses,
      describe: 'How far it is.',
      required: true,
    },
    issueId: { type: 'text', describe: 'The issue it belongs to.', placeholder: 'id' },
    summary: { type: 'text', describe: 'What it is.', placeholder: 'text' },
    sessionRef: {
      type: 'text',
      describe: 'The session that keeps the ledger.',
      placeholder: 'ref',
    },
    instructionRef: {
      type: 'text',
      describe: 'An instruction it follows.',
      placeholder: 'ref',
      many: true,
    },
    verificationRef: {
      type: 'text',
      describe: 'What verified it; a completed feature needs one.',
      placeholder: 'ref',
      many: true,
    },
    ...ledgerFields,
  },
  examples: [
    {
      command: 'premath harness-feature write --feature-id login --status pending',
      shows: 'a feature that is to be done',
    },
    {
      command:
        'premath harness-feature write --feature-id login --status completed --verification-ref w1',
      shows: 'the same, done and verified',
    },
  ],

  async run(input, context) {
    const featureId = trim(input.featureId)
    if (featureId === '') throw blankId()
    const open = await openLedger(context, input.path)
    await mustBeOwnFile({ path: open.path, real: open.cell.path }, context)
    const ledger = await open.cell.update(before => {
      const write = {
        featureId,
        status: input.status,
        issueId: input.issueId,
        summary: input.summary,
        sessionRef: input.sessionRef,
        instructionRefs: givenRefs(input.instructionRef),
        verificationRefs: givenRefs(input.verificationRef),
      }
      return writeFeature(before, write, context.clock.now())
    })
    const { path } = open
    return {
      output: { action: 'harness-feature.write', featureId, ledger: ledgerDocument(ledger), path },
      yes: true,
      ...flawTalk(checkLedger(ledger, false)),
      render: page => ledgerTable(ledger, page),
    }
  },
})

const blankId = () =>
  new Fault('usage', '--feature-id must be non-empty', {
    hint: 'Name the feature, such as --feature-id login.',
  })
