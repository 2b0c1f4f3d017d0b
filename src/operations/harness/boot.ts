import { bootHarness } from '../../harness/boot.ts'
import {
  hookPathFields,
  startupFields,
  startupOptions,
  workerField,
} from '../../input/harness-fields.ts'
import { changeFields } from '../../input/issue-fields.ts'
import { sandboxNote, withSandbox } from '../../project/loop/open-sandbox.ts'
import { openProject } from '../../project/open.ts'
import { asWorker, openHarness } from '../../project/open-harness.ts'
import { messageOf } from '../../project/open-issues.ts'
import { specErrors } from '../../project/specs/scope-specs.ts'
import { bootOutput, bootPage } from '../../render/harness/boot-answer.ts'
import { BootAnswer } from '../../wire/answers/harness.ts'
import { operation } from '../operation.ts'

export const harnessBoot = operation({
  group: 'harness',
  summary: 'Check the state of the project and show the next issue.',
  description:
    'Finds the memory roots, finishes or undoes an interrupted step, and checks active issues for a dependency cycle. Verifies the digests of the last handoff and shows the first issue that this worker may claim, and those that it passes over. Without a start-up command it runs the verify command of the project, or checks that the specs of the issue load and lint. Shows what the last observation asks a person to look at, which changes nothing else. Claims nothing. Exits 1 if work must not start, and 5 if a file of the handoff has changed.',
  effect: 'mutation',
  opId: 'op/harness.boot',
  input: { ...workerField, ...startupFields, ...hookPathFields, ...changeFields },
  output: BootAnswer,
  examples: {
    'premath harness-boot': 'show the state and the next issue',
    "premath harness-boot --startup-cmd 'npm run check' --json":
      'run the checks first and print JSON',
  },

  async run(input, context) {
    const project = await openProject(context)
    const { config } = await project.config()
    const open = await openHarness(project, input)
    const { harness } = open
    const options = {
      ...startupOptions(input, config),
      showsObservation: true,
      scope: {
        verifyCommand: config.verify,
        verifyTimeoutMs: config.timeouts.verifySeconds * 1000,
        specs: config.verifySpecs,
        specErrors: (paths: readonly string[]) => specErrors(paths, project),
      },
    }
    const runs = options.startupCommand ?? options.scope.verifyCommand
    const report = await asWorker(open, async () => {
      if (runs === undefined) return await bootHarness(harness, options)
      return await withSandbox(harness, input, project, async sandboxed => {
        const note = sandboxNote(sandboxed)
        if (note !== undefined) project.progress(`note: ${note}`)
        return await bootHarness(sandboxed, options)
      })
    })
    const changed = report.refs.some(({ state }) => state === 'changed')
    return {
      output: { action: 'harness-boot', ...bootOutput(report) },
      yes: report.accepted,
      ...(changed && { exitCode: 5 as const }),
      ...messageOf(harness),
      render: page => bootPage(report, page),
    }
  },
})
