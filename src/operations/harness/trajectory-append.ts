import { Fault } from '../../fault.ts'
import { secondOf } from '../../kernel/harness/artifact.ts'
import {
  BadStepRow,
  readStepRow,
  stepDocument,
  stepKind,
} from '../../kernel/harness/step/step-row.ts'
import type { Json } from '../../kernel/json.ts'
import { visible } from '../../kernel/text/visible.ts'
import { mustBeOwnFile } from '../../project/harness-files.ts'
import { openTrajectory, trajectoryField } from '../../project/open-trajectory.ts'
import { operation } from '../operation.ts'

export const harnessTrajectoryAppend = operation({
  group: 'harness',
  summary: 'Record a step that ended.',
  description:
    'Appends one row to the trajectory, in one write that needs no lock: any number of processes may do so at once. Rows are never changed. They refer to witnesses and hold no payloads.',
  effect: 'projection',
  input: {
    stepId: { type: 'text', describe: 'The step.', placeholder: 'id', required: true },
    action: { type: 'text', describe: 'What was done, such as worker.loop.', required: true },
    resultClass: {
      type: 'text',
      describe: 'What came of it, such as completed or failed_verify.',
      placeholder: 'class',
      required: true,
    },
    issueId: { type: 'text', describe: 'The issue it was done for.', placeholder: 'id' },
    workerId: { type: 'text', describe: 'Who did it.', placeholder: 'id' },
    attempt: { type: 'count', describe: 'Which attempt it was, counted from 1.' },
    nextStep: { type: 'text', describe: 'What should be done next.', placeholder: 'text' },
    instructionRef: {
      type: 'text',
      describe: 'Why it was allowed.',
      placeholder: 'ref',
      many: true,
    },
    witnessRef: { type: 'text', describe: 'What shows it.', placeholder: 'ref', many: true },
    lineageRef: {
      type: 'text',
      describe: 'Where it belongs: ctx://, cover:// and refinement://.',
      placeholder: 'ref',
      many: true,
    },
    startedAt: { type: 'text', describe: 'When it began, as RFC 3339.', placeholder: 'time' },
    finishedAt: {
      type: 'text',
      describe: 'When it ended, as RFC 3339; without it, now.',
      placeholder: 'time',
    },
    ...trajectoryField,
  },
  examples: [
    {
      command:
        'premath harness-trajectory append --step-id w1.bd-1.1 --issue-id bd-1 --action worker.loop --result-class completed',
      shows: 'a step that went well, just now',
    },
  ],

  async run({ path: given, instructionRef, witnessRef, lineageRef, ...members }, context) {
    const { log, path, real } = await openTrajectory(context, given)
    await mustBeOwnFile({ path, real }, context)
    const raw = {
      schema: 1,
      stepKind,
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
      output: { action: 'harness-trajectory.append', path, row: stepDocument(row) },
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
