import { flagField, textField } from '../../field.ts'
import type { Harness } from '../../harness/harness.ts'
import { stopHarness, stopPathsOf } from '../../harness/stop.ts'
import { hookPathFields, leaseTermField, workerField } from '../../input/harness-fields.ts'
import { changeFields } from '../../input/issue-fields.ts'
import { mustBeLeaseTerm } from '../../input/loop-fields.ts'
import { documentOf } from '../../kernel/artifact/print.ts'
import { OperatorGrant } from '../../kernel/authority/operator-grant.ts'
import { visible } from '../../kernel/text/visible.ts'
import { recordGrant } from '../../project/authority/rewrite-authority.ts'
import type { OperationContext } from '../../project/context.ts'
import { openProject } from '../../project/open.ts'
import { asWorker, openHarness } from '../../project/open-harness.ts'
import { fileStore, messageOf } from '../../project/open-issues.ts'
import { recoveredLine } from '../../render/harness/boot-answer.ts'
import { errorOfRefusal, exitOfRefusal } from '../../render/issues/issue-answer.ts'
import { StopAnswer } from '../../wire/answers/harness.ts'
import { Session } from '../../wire/harness/session.ts'
import { StepRow } from '../../wire/harness/step-row.ts'
import { operation } from '../operation.ts'
import { notForWork } from '../people-only.ts'

export const harnessStop = operation({
  group: 'harness',
  summary: 'Write the handoff for the next context and release the lease.',
  description:
    'Releases or renews the lease of this worker, compacts issue memory if a person runs it, appends a row to the trajectory, and writes the session as stopped with the state of issue memory. A handoff longer than 8 KB is shortened, and its whole text goes to a file named by its digest in the folder of the stop. Outputs of the last attempt that are longer stay in its folder, and the handoff names each by its digest. The next premath harness-boot resumes from there.',
  effect: 'mutation',
  opId: 'op/harness.stop',
  input: {
    keepLease: flagField('Renew the lease for another term instead of releasing it.'),
    summary: textField('text', 'A summary of the work.'),
    nextStep: textField('text', 'The next step.'),
    ...workerField,
    ...leaseTermField,
    ...hookPathFields,
    ...changeFields,
  },
  output: StopAnswer,
  examples: {
    'premath harness-stop': 'release the issue and show the next step',
    "premath harness-stop --keep-lease --next-step 'finish the migration' --json":
      'leave a handoff and keep the issue',
  },

  async run({ keepLease, summary, nextStep, leaseTtlSeconds, ...input }, context) {
    const inStep = notForWork('harness-stop', 'write a session', context)
    if (inStep) return inStep
    mustBeLeaseTerm(leaseTtlSeconds)
    const open = await openHarness(await openProject(context), input)
    const { harness } = open
    const compact = () => compactedAtStop(harness, context)
    const options = { keepLease, summary, nextStep, leaseTtlSeconds, compact }
    const report = await asWorker(open, () => stopHarness(harness, options))
    const {
      refusal,
      compacted,
      offloadedRef,
      leaseState,
      recommendedAction,
      recovered,
      row,
      session,
    } = report
    return {
      output: {
        action: 'harness-stop',
        compacted: compacted
          ? { bytesBefore: compacted.before, bytesAfter: compacted.after }
          : null,
        failureClasses: refusal ? [refusal.failureClass] : [],
        leaseState,
        offloadedRef: offloadedRef ?? null,
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
          ...(offloadedRef === undefined
            ? []
            : ['  The handoff was longer than 8 KB. Its whole text is in:', `  ${offloadedRef}`]),
          '',
        ].join('\n'),
    }
  },
})

/** Rows are rewritten by a person only, as premath issue compact does. */
async function compactedAtStop(harness: Harness, context: OperationContext) {
  const grant = harness.authority()
  if (!OperatorGrant.isIssued(grant)) return undefined
  await recordGrant(grant, 'issue.compact', harness.recordsFolder, context)
  return await fileStore(harness).compact()
}
