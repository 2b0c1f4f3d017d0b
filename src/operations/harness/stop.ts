import { flagField, textField } from '../../field.ts'
import { stopHarness, stopPathsOf } from '../../harness/stop.ts'
import { hookPathFields, leaseTermField, workerField } from '../../input/harness-fields.ts'
import { changeFields } from '../../input/issue-fields.ts'
import { mustBeLeaseTerm } from '../../input/loop-fields.ts'
import { documentOf } from '../../kernel/artifact/print.ts'
import { visible } from '../../kernel/text/visible.ts'
import { openProject } from '../../project/open.ts'
import { asWorker, openHarness } from '../../project/open-harness.ts'
import { messageOf } from '../../project/open-issues.ts'
import { recoveredLine } from '../../render/harness/boot-answer.ts'
import { errorOfRefusal, exitOfRefusal } from '../../render/issues/issue-answer.ts'
import { Session } from '../../wire/harness/session.ts'
import { StepRow } from '../../wire/harness/step-row.ts'
import { operation } from '../operation.ts'

export const harnessStop = operation({
  group: 'harness',
  summary: 'Write the handoff for the next context and release the lease.',
  description:
    'Releases or renews the lease of this worker, appends a row to the trajectory, and writes the session as stopped with the state of issue memory. The next premath harness-boot resumes from there.',
  effect: 'mutation',
  input: {
    keepLease: flagField('Renew the lease for another term instead of releasing it.'),
    summary: textField('text', 'A summary of the work.'),
    nextStep: textField('text', 'The next step.'),
    ...workerField,
    ...leaseTermField,
    ...hookPathFields,
    ...changeFields,
  },
  examples: {
    'premath harness-stop': 'release the issue and show the next step',
    "premath harness-stop --keep-lease --next-step 'finish the migration' --json":
      'leave a handoff and keep the issue',
  },

  async run({ keepLease, summary, nextStep, leaseTtlSeconds, ...input }, context) {
    mustBeLeaseTerm(leaseTtlSeconds)
    const open = await openHarness(await openProject(context), input)
    const { harness } = open
    const options = { keepLease, summary, nextStep, leaseTtlSeconds }
    const report = await asWorker(open, () => stopHarness(harness, options))
    const { refusal, leaseState, recommendedAction, recovered, row, session } = report
    return {
      output: {
        action: 'harness-stop',
        failureClasses: refusal ? [refusal.failureClass] : [],
        leaseState,
        recommendedAction,
        recovered: recovered ?? null,
        row: documentOf(StepRow, row),
        session: documentOf(Session, session),
        ...stopPathsOf(harness),
      },
      yes: refusal === undefined,
      ...(refusal && { error: errorOfRefusal(refusal), exitCode: exitOfRefusal(refusal) }),
      ...messageOf(harness),
      render: page =>
        [
          ...(recovered ? [recoveredLine(recovered)] : []),
          `${page.ink('bold', 'Stopped')}${session.issueId === undefined ? '' : visible(` on ${session.issueId}, its lease ${leaseState}`)}`,
          ...(refusal
            ? [`  ${page.ink('red', visible(`${refusal.diagnostic}: ${refusal.remedy}`))}`]
            : []),
          `  Next: ${visible(row.nextStep ?? '')}`,
          '',
        ].join('\n'),
    }
  },
})
