import { bootHarness } from '../../harness/boot.ts'
import { hookPathFields, startupFields, workerField } from '../../input/harness-fields.ts'
import { changeFields } from '../../input/issue-fields.ts'
import { asWorker, openHarness } from '../../project/open-harness.ts'
import { talkOf } from '../../project/open-issues.ts'
import { bootOutput, bootPage } from '../../render/harness/boot-answer.ts'
import { operation } from '../operation.ts'

export const harnessBoot = operation({
  group: 'harness',
  summary: 'Start: find out where things stand and what comes next.',
  description:
    'Finds the memory roots, finishes or undoes a step that was cut off, looks for a circle among active issues, opens the last handoff and computes its digests again, and says what to work on next. Claims nothing. Exits 1 when work must not begin, and 5 when what was handed over has changed.',
  effect: 'mutation',
  input: { ...workerField, ...startupFields, ...hookPathFields, ...changeFields },
  examples: [
    { command: 'premath harness-boot', shows: 'what was found, and what comes next' },
    {
      command: "premath harness-boot --startup-cmd 'npm run check' --json",
      shows: 'the same for a program, once the tree is known to be sound',
    },
  ],

  async run({ startupCmd, startupTimeoutSeconds, ...input }, context) {
    const open = await openHarness(context, input)
    const { harness } = open
    const report = await asWorker(open, () =>
      bootHarness(harness, {
        startupCommand: startupCmd,
        startupTimeoutMs: startupTimeoutSeconds * 1000,
      }),
    )
    const changed = report.refs.some(({ state }) => state === 'changed')
    return {
      output: { action: 'harness-boot', ...bootOutput(report) },
      yes: report.accepted,
      ...(changed && { exitCode: 5 as const }),
      ...talkOf(harness),
      render: page => bootPage(report, page),
    }
  },
})
