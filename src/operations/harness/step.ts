import { stepHarness } from '../../harness/step/step.ts'
import {
  hookPathFields,
  leaseTermField,
  workerField,
  workFields,
} from '../../input/harness-fields.ts'
import { changeFields } from '../../input/issue-fields.ts'
import { mustBeLeaseTerm } from '../../input/lease-term.ts'
import { workOptions } from '../../input/work-options.ts'
import { clockAttention, secondsSetBack } from '../../kernel/harness/run/run-attention.ts'
import { asWorker, openHarness } from '../../project/open-harness.ts'
import { talkOf } from '../../project/open-issues.ts'
import { stepExit, stepOutput, stepPage } from '../../render/harness/step-answer.ts'
import { operation } from '../operation.ts'

export const harnessStep = operation({
  group: 'harness',
  summary: 'Do one piece of work: claim it, run it, verify it, and tell.',
  description:
    'Boots, claims one issue, runs the work command and then the verify command, judges the turn of the step and every turn the work left in PREMATH_TURN_EVIDENCE, and closes the issue when all of that says yes. What fails is tried again or escalated as the retry policy says; what a gate refuses changes nothing. The work is told about its issue in PREMATH_ISSUE_ID, PREMATH_ISSUE_TITLE, PREMATH_ISSUE_JSON and PREMATH_ISSUE_FILE. Work whose turns hand it over to another location is taken there by the transport command, which finds it in PREMATH_RELOCATION and leaves its answers in PREMATH_RELOCATION_EVIDENCE; it counts when premath harness-relocation check says so there. A step that is killed is finished or undone by the next start. Where governance is claimed it begins only under a policy in force, which its turn is pinned to. Exits 0 when the issue was closed or there was nothing to do.',
  effect: 'mutation',
  input: {
    ...workFields,
    issue: {
      type: 'text',
      describe: 'The issue to take; the next one when absent.',
      placeholder: 'id',
    },
    ...workerField,
    ...leaseTermField,
    ...hookPathFields,
    ...changeFields,
  },
  examples: [
    {
      command: "premath harness-step --work-cmd 'make fix' --verify-cmd 'make test'",
      shows: 'one issue, closed or told why not',
    },
    {
      command:
        "premath harness-step --worker w1 --issue bd-7 --work-cmd 'agent run' --verify-cmd 'npm test' --json",
      shows: 'all about one issue’s step, for a program',
    },
  ],

  async run(input, context) {
    mustBeLeaseTerm(input.leaseTtlSeconds)
    const open = await openHarness(context, input)
    const { harness } = open
    const { issue, leaseTtlSeconds } = input
    const optionsFor = await workOptions(input, context)
    const options = { ...optionsFor(harness), issueId: issue, leaseTtlSeconds }
    const began = harness.clock.now()
    const report = await asWorker(open, () => stepHarness(harness, options))
    const back = secondsSetBack(began, harness.clock.now())
    const { message, next } = clockAttention(back)
    return {
      output: { action: 'harness-step', ...stepOutput(report) },
      yes: stepExit(report) === 0,
      exitCode: stepExit(report),
      ...talkOf(harness, back > 0 ? `note: ${message}\n  ${next}` : undefined),
      render: page => stepPage(report, page),
    }
  },
})
