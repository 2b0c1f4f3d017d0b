import { Fault } from '../../fault.ts'
import { choiceField, textField } from '../../field.ts'
import { documentOf } from '../../kernel/artifact/print.ts'
import { writeFeature } from '../../kernel/harness/feature-ledger.ts'
import { checkLedger, type LedgerFlaw, writeFlaws } from '../../kernel/harness/ledger-check.ts'
import { trim } from '../../kernel/text/clean.ts'
import {
  givenRefs,
  ledgerFields,
  mustNotReplaceProjectFile,
  openLedger,
} from '../../project/harness-files.ts'
import { openProject } from '../../project/open.ts'
import { featureRefused, flawsMessage, ledgerTable } from '../../render/harness/ledger-answer.ts'
import { FeatureWriteAnswer } from '../../wire/answers/harness.ts'
import { FeatureLedger, featureStatuses } from '../../wire/harness/feature-ledger.ts'
import { operation } from '../operation.ts'
import { notForWork } from '../people-only.ts'

export const harnessFeatureWrite = operation({
  group: 'harness',
  summary: 'Create or change a row of the feature ledger.',
  description:
    'Values that are not given stay, and an empty value clears a member. When the issue of a row changes, its refs are removed. A row that premath harness-feature check would reject is refused and not written. Problems of other rows stay, and a note lists them. The work of a step is refused.',
  effect: 'projection',
  opId: 'op/harness.feature_write',
  input: {
    featureId: textField('id', 'The feature id.', { required: true }),
    status: choiceField(featureStatuses, 'The status of the feature.', { required: true }),
    issueId: textField('id', 'The issue of the feature.', { names: 'issue' }),
    summary: textField('text', 'A description of the feature.'),
    sessionRef: textField('ref', 'The session that maintains the ledger.'),
    instructionRef: textField('ref', 'A ref to the instruction of the feature.', { many: true }),
    verificationRef: textField(
      'ref',
      'A ref to the verification. Required for a completed feature.',
      { many: true },
    ),
    ...ledgerFields,
  },
  output: FeatureWriteAnswer,
  examples: {
    'premath harness-feature write --feature-id login --status pending': 'add a pending feature',
    'premath harness-feature write --feature-id login --status completed --verification-ref w1':
      'mark it as completed and verified',
  },

  async run(input, context) {
    const inStep = notForWork('harness-feature.write', 'write a feature ledger', context)
    if (inStep) return inStep
    const featureId = trim(input.featureId)
    if (featureId === '') throw blankId()
    const project = await openProject(context)
    const open = await openLedger(project, input.path)
    await mustNotReplaceProjectFile({ path: open.path, real: open.cell.path }, project)
    const writing = async (decide: (before: FeatureLedger | undefined) => FeatureLedger) => {
      try {
        return await open.cell.update(decide)
      } catch (error) {
        if (error instanceof RefusedRow) return error
        throw error
      }
    }
    const ledger = await writing(before => {
      const write = {
        featureId,
        status: input.status,
        issueId: input.issueId,
        summary: input.summary,
        sessionRef: input.sessionRef,
        instructionRefs: givenRefs(input.instructionRef),
        verificationRefs: givenRefs(input.verificationRef),
      }
      const after = writeFeature(before, write, context.clock.now())
      const flaws = writeFlaws(before, after, featureId)
      if (flaws.length > 0) throw new RefusedRow(flaws)
      return after
    })
    if (ledger instanceof RefusedRow) return featureRefused(featureId, open.path, ledger.flaws)
    const { path } = open
    return {
      output: {
        action: 'harness-feature.write',
        featureId,
        ledger: documentOf(FeatureLedger, ledger),
        path,
      },
      yes: true,
      ...flawsMessage(checkLedger(ledger, false)),
      render: page => ledgerTable(ledger, page),
    }
  },
})

/** Thrown while the ledger is locked, so that it is not written. */
class RefusedRow extends Error {
  readonly flaws: readonly LedgerFlaw[]

  constructor(flaws: readonly LedgerFlaw[]) {
    super('the row is refused')
    this.flaws = flaws
  }
}

const blankId = () =>
  new Fault('usage', '--feature-id must be non-empty', {
    hint: 'Pass a feature id, such as --feature-id login.',
  })
