import { stopHarness, stopPathsOf } from '../../harness/stop.ts'
import { hookPathFields, leaseTermField, workerField } from '../../input/harness-fields.ts'
import { changeFields } from '../../input/issue-fields.ts'
import { mustBeLeaseTerm } from '../../input/lease-term.ts'
import { sessionDocument } from '../../kernel/harness/session.ts'
import { stepDocument } from '../../kernel/harness/step/step-row.ts'
import { visible } from '../../kernel/text/visible.ts'
import { asWorker, openHarness } from '../../project/open-harness.ts'
import { talkOf } from '../../project/open-issues.ts'
import { recoveredLine } from '../../render/harness/boot-answer.ts'
import { exitOfRefusal } from '../../render/issues/issue-answer.ts'
import { operation } from '../operation.ts'

export const harnessStop = operation({
  group: 'harness',
  summary: 'Stop: leave behind what the next context needs.',
  description:
    'Gives back the issue this worker holds, or keeps it for another term, appends a row to the trajectory and writes the session as stopped, with the state of issue memory it was left in. The next premath harness-boot resumes from there.',
  effect: 'mutation',
  input: {
    keepLease: { type: 'flag', describe: 'Keep what is held, for another term.' },
    summary: { type: 'text', describe: 'What was learned.', placeholder: 'text' },
    nextStep: { type: 'text', describe: 'What comes next.', placeholder: 'text' },
    ...workerField,
    ...leaseTermField,
    ...hookPathFields,
    ...changeFields,
  },
  examples: [
    { command: 'premath harness-stop', shows: 'what was given back, and what comes next' },
    {
      command: "premath harness-stop --keep-lease --next-step 'finish the migration' --json",
      shows: 'a handoff that keeps the issue',
    },
  ],

  async run({ keepLease, summary, nextStep, leaseTtlSeconds, ...input }, context) {
    mustBeLeaseTerm(leaseTtlSeconds)
    const open = await openHarness(context, input)
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
        row: stepDocument(row),
        session: sessionDocument(session),
        ...stopPathsOf(harness),
      },
      yes: refusal === undefined,
      ...(refusal && { exitCode: exitOfRefusal(refusal) }),
      ...talkOf(harness),
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
