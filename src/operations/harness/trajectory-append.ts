import { Fault } from '../../fault.ts'
import { textField } from '../../field.ts'
import { documentOf } from '../../kernel/artifact/print.ts'
import { secondOf } from '../../kernel/harness/artifact.ts'
import { BadStepRow, readStepRow } from '../../kernel/harness/step/step-row.ts'
import type { Json } from '../../kernel/json.ts'
import { visible } from '../../kernel/text/visible.ts'
import { mustNotReplaceProjectFile } from '../../project/harness-files.ts'
import { openProject } from '../../project/open.ts'
import { openTrajectory, trajectoryField } from '../../project/open-trajectory.ts'
import { TrajectoryAppendAnswer } from '../../wire/answers/harness.ts'
import { StepRow } from '../../wire/harness/step-row.ts'
import { operation } from '../operation.ts'
import { notForWork } from '../people-only.ts'

export const harnessTrajectoryAppend = operation({
  group: 'harness',
  summary: 'Record a finished step.',
  description:
    'Appends one row to the trajectory in a single write without a lock, so any number of processes may append. Rows are never changed. They refer to witnesses and hold no payloads.',
  effect: 'projection',
  opId: 'op/harness.trajectory_append',
  input: {
    stepId: textField('id', 'The step id.', { required: true }),
    action: {
      type: 'text',
      describe: 'The action of the step, such as worker.loop.',
      required: true,
    },
    resultClass: textField('class', 'The result class, such as completed or failed_verify.', {
      required: true,
    }),
    issueId: textField('id', 'The issue of the step.', { names: 'issue' }),
    workerId: textField('id', 'The worker of the step.', { also: ['worker'] }),
    attempt: { type: 'count', describe: 'The number of the attempt, starting at 1.' },
    nextStep: textField('text', 'The next step.'),
    instructionRef: textField('ref', 'A ref to an instruction of the step.', { many: true }),
    witnessRef: textField('ref', 'A ref to a witness of the step.', { many: true }),
    lineageRef: textField('ref', 'A lineage ref: ctx://, cover:// or refinement://.', {
      many: true,
    }),
    startedAt: textField('time', 'The start time in RFC 3339.'),
    finishedAt: textField('time', 'The finish time in RFC 3339. Defaults to now.'),
    ...trajectoryField,
  },
  output: TrajectoryAppendAnswer,
  examples: {
    'premath harness-trajectory append --step-id w1.bd-1.1 --issue-id bd-1 --action worker.loop --result-class completed':
      'record a completed step',
  },

  async run({ path: given, instructionRef, witnessRef, lineageRef, ...members }, context) {
    const inStep = notForWork('harness-trajectory.append', 'record a step', context)
    if (inStep) return inStep
    const project = await openProject(context)
    const { log, path, real } = await openTrajectory(project, given)
    await mustNotReplaceProjectFile({ path, real }, project)
    const raw = {
      schema: 1,
      stepKind: 'premath.harness.step.v1',
      ...members,
      instructionRefs: instructionRef,
      witnessRefs: witnessRef,
      lineageRefs: lineageRef,
      finishedAt: members.finishedAt ?? secondOf(context.clock.now()),
    }
    const row = readStepRow(raw as unknown as Json)
    if (row instanceof BadStepRow) throw invalid(path, row)
    await log.append(row)
    return {
      output: { action: 'harness-trajectory.append', path, row: documentOf(StepRow, row) },
      yes: true,
      render: () =>
        [
          'premath harness-trajectory append',
          `  Path: ${visible(path)}`,
          `  Step: ${visible(row.stepId)}`,
          `  Result: ${visible(row.resultClass)}`,
          '',
        ].join('\n'),
    }
  },
})

const invalid = (path: string, { why }: BadStepRow) =>
  new Fault(
    'usage',
    `failed to append harness trajectory row at ${path}: invalid trajectory row: ${why}`,
    { hint: 'Nothing was written.' },
  )
