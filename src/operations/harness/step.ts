import { flagField, textField } from '../../field.ts'
import type { Harness } from '../../harness/harness.ts'
import { stepHarness } from '../../harness/step/step.ts'
import {
  hookPathFields,
  leaseTermField,
  workerField,
  workFields,
  workProgramField,
} from '../../input/harness-fields.ts'
import { changeFields } from '../../input/issue-fields.ts'
import { mustBeLeaseTerm } from '../../input/loop-fields.ts'
import { mustFindPrograms, verifyNotice, workOptions } from '../../input/work-options.ts'
import { clockAttention, secondsSetBack } from '../../kernel/harness/run/run-attention.ts'
import { sandboxNote, withSandbox } from '../../project/loop/open-sandbox.ts'
import { terminalProgram } from '../../project/loop/open-terminal.ts'
import { withWorkCheckout } from '../../project/loop/open-work-checkout.ts'
import { asRun } from '../../project/loop/run-instruction.ts'
import { openProject } from '../../project/open.ts'
import { asWorker, openHarness } from '../../project/open-harness.ts'
import { messageOf } from '../../project/open-issues.ts'
import { stepError, stepExit, stepOutput, stepPage } from '../../render/harness/step-answer.ts'
import { StepAnswer } from '../../wire/answers/harness.ts'
import { workOffLeft } from '../left-closes.ts'
import { operation } from '../operation.ts'
import { withProgram } from '../step-program.ts'

export const harnessStep = operation({
  group: 'harness',
  summary: 'Claim one issue, run the work, verify it, and record the result.',
  description:
    'Boots, claims one issue, runs the work command and then the verify command. The gate checks the turn of the step and every turn in PREMATH_TURN_EVIDENCE. If everything passes, the issue is closed. A failure is retried or escalated by the retry policy; a rejection by the gate changes nothing. The work command gets its issue in PREMATH_ISSUE_ID, PREMATH_ISSUE_TITLE, PREMATH_ISSUE_JSON and PREMATH_ISSUE_FILE, and the output of a failed attempt before it in PREMATH_FEEDBACK_FILE. If a turn names another location, the transport command reads the inputs from PREMATH_RELOCATION and writes the answers to PREMATH_RELOCATION_EVIDENCE; premath harness-relocation check must accept the work there. The next start finishes or undoes a killed step. If governance is claimed, the step starts only under a policy in force, which its turn names. Exits 0 if the issue was closed or no issue is ready, 2 if the program of a command is missing, and 3 if a command could not run.',
  effect: 'mutation',
  opId: 'op/harness.step',
  input: {
    ...workFields,
    ...workProgramField,
    terminal: flagField(
      'Give the work command a terminal of its own, joined to this one, for an agent that talks with you. Ctrl-C goes to the agent.',
    ),
    issue: textField('id', 'The issue to claim. Defaults to the next one.', { names: 'issue' }),
    ...workerField,
    ...leaseTermField,
    ...hookPathFields,
    ...changeFields,
  },
  output: StepAnswer,
  examples: {
    "premath harness-step --terminal --work-cmd claude --verify-cmd 'npm test'":
      'work on the next issue together with an agent',
    "premath harness-step --work-cmd 'make fix' --verify-cmd 'make test'": 'work on the next issue',
    'premath harness-step --work-program triage.scm --verify-cmd true':
      'let a program read the next issue and ask for others',
    "premath harness-step --worker w1 --issue bd-7 --work-cmd 'agent run' --verify-cmd 'npm test' --json":
      'work on one issue and print the report as JSON',
  },

  async run(given, context) {
    mustBeLeaseTerm(given.leaseTtlSeconds)
    const project = await openProject(context)
    await workOffLeft(project)
    const { input: named, program } = await withProgram(given, context)
    const input = await asRun(named, project)
    const open = await openHarness(project, input)
    const { harness } = open
    const { issue, leaseTtlSeconds } = input
    const terminal = given.terminal ? await terminalProgram(harness, project) : undefined
    const optionsFor = await workOptions(input, project)
    await mustFindPrograms(input, project, harness.worktree)
    const notice = await verifyNotice(input, project)
    if (notice !== undefined) project.progress(`note: ${notice}`)
    const began = harness.clock.now()
    const work = async (sandboxed: Harness) => {
      const unsafe = sandboxNote(sandboxed)
      if (unsafe !== undefined) project.progress(`note: ${unsafe}`)
      return await withWorkCheckout(sandboxed, project, optionsFor, async checkout => {
        const options = {
          ...optionsFor(sandboxed),
          workProgram: program?.of(sandboxed),
          checkout,
          terminal,
          issueId: issue,
          leaseTtlSeconds,
        }
        return await stepHarness(sandboxed, options)
      })
    }
    const report = await asWorker(open, () => withSandbox(harness, input, project, work))
    const back = secondsSetBack(began, harness.clock.now())
    const { message, next } = clockAttention(back)
    const error = stepError(report)
    return {
      output: { action: 'harness-step', ...stepOutput(report) },
      ...(error && { error }),
      yes: error === undefined,
      exitCode: stepExit(report),
      ...messageOf(harness, back > 0 ? `note: ${message}\n  ${next}` : undefined),
      render: page => stepPage(report, page),
    }
  },
})
