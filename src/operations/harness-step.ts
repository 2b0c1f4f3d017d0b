import { Fault } from '../fault.ts'
import { commandVerifier } from '../harness/command-verifier.ts'
import { type StepOptions, stepHarness } from '../harness/step.ts'
import { hookPathFields, leaseTermField, startupFields, workerField } from './harness-fields.ts'
import { talkOf } from './issue-door.ts'
import { changeFields } from './issue-fields.ts'
import { asWorker, openHarness } from './open-harness.ts'
import { type OperationContext, operation } from './operation.ts'
import { openRetryPolicy } from './retry-policy-file.ts'
import { stepExit, stepOutput, stepPage } from './step-answer.ts'

export const harnessStep = operation({
  group: 'harness',
  summary: 'Do one piece of work: claim it, run it, verify it, and tell.',
  description:
    'Boots, claims one issue, runs the work command and then the verify command, judges the turn of the step and every turn the work left in PREMATH_TURN_EVIDENCE, and closes the issue when all of that says yes. What fails is tried again or escalated as the retry policy says; what a gate refuses changes nothing. The work is told about its issue in PREMATH_ISSUE_ID, PREMATH_ISSUE_TITLE, PREMATH_ISSUE_JSON and PREMATH_ISSUE_FILE. A step that is killed is finished or undone by the next start. Exits 0 when the issue was closed or there was nothing to do.',
  effect: 'mutation',
  input: {
    workCmd: {
      type: 'text',
      describe: 'What does the work; without it, PREMATH_WORK_CMD.',
      placeholder: 'command',
    },
    verifyCmd: {
      type: 'text',
      describe: 'What says that it is done, by exit code 0; without it, PREMATH_VERIFY_CMD.',
      placeholder: 'command',
    },
    issue: {
      type: 'text',
      describe: 'The issue to take; the next one when absent.',
      placeholder: 'id',
    },
    workTimeoutSeconds: {
      type: 'count',
      describe: 'How long the work may take.',
      placeholder: 'seconds',
      default: 2700,
    },
    verifyTimeoutSeconds: {
      type: 'count',
      describe: 'How long the verification may take.',
      placeholder: 'seconds',
      default: 600,
    },
    retryPolicy: {
      type: 'text',
      describe: 'The retry policy; without it, the project’s or the one premath brings.',
      placeholder: 'file',
      path: true,
    },
    ...workerField,
    ...leaseTermField,
    ...startupFields,
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
    const open = await openHarness(context, input)
    const { harness } = open
    const options = await optionsOf(input, context, () => harness)
    const report = await asWorker(open, () => stepHarness(harness, options))
    return {
      output: { action: 'harness-step', ...stepOutput(report) },
      yes: stepExit(report) === 0,
      exitCode: stepExit(report),
      ...talkOf(harness),
      render: page => stepPage(report, page),
    }
  },
})

interface StepInput {
  readonly workCmd: string | undefined
  readonly verifyCmd: string | undefined
  readonly issue: string | undefined
  readonly workTimeoutSeconds: number
  readonly verifyTimeoutSeconds: number
  readonly startupCmd: string | undefined
  readonly startupTimeoutSeconds: number
  readonly leaseTtlSeconds: number
  readonly retryPolicy: string | undefined
}

async function optionsOf(
  input: StepInput,
  context: OperationContext,
  harness: Parameters<typeof commandVerifier>[1],
): Promise<StepOptions> {
  const { env } = context
  for (const [flag, given] of [
    ['--work-timeout-seconds', input.workTimeoutSeconds],
    ['--verify-timeout-seconds', input.verifyTimeoutSeconds],
    ['--startup-timeout-seconds', input.startupTimeoutSeconds],
  ] as const) {
    if (given === 0) throw new Fault('usage', `${flag} is 0: nothing ends in no time`)
  }
  const workCommand = needed(input.workCmd ?? env['PREMATH_WORK_CMD'], '--work-cmd')
  const verifyCommand = needed(input.verifyCmd ?? env['PREMATH_VERIFY_CMD'], '--verify-cmd')
  return {
    issueId: input.issue,
    leaseTtlSeconds: input.leaseTtlSeconds,
    startupCommand: input.startupCmd,
    startupTimeoutMs: input.startupTimeoutSeconds * 1000,
    workCommand,
    workTimeoutMs: input.workTimeoutSeconds * 1000,
    verifier: commandVerifier(verifyCommand, harness),
    verifyTimeoutMs: input.verifyTimeoutSeconds * 1000,
    retryPolicy: await openRetryPolicy(context, input.retryPolicy),
  }
}

function needed(command: string | undefined, flag: string): string {
  if (command !== undefined && command.trim() !== '' && !command.includes('\0')) return command
  const why = flag === '--work-cmd' ? 'what does the work' : 'how it is known to be done'
  throw new Fault('usage', `${flag} is missing: say ${why}`, {
    hint: `For example ${flag} ${flag === '--work-cmd' ? "'make fix'" : "'make test'"}.`,
  })
}
