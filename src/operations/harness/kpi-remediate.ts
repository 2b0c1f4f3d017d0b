import { Fault } from '../../fault.ts'
import { textField } from '../../field.ts'
import { documentOf } from '../../kernel/artifact/print.ts'
import { remediationRow } from '../../kernel/harness/run/kpi-remediation.ts'
import { mustNotReplaceProjectFile } from '../../project/harness-files.ts'
import { newestIn } from '../../project/loop/kpi-expansion.ts'
import { openProject } from '../../project/open.ts'
import { openTrajectory } from '../../project/open-trajectory.ts'
import { titledPage } from '../../render/titled-page.ts'
import { KpiRemediateAnswer } from '../../wire/answers/harness.ts'
import { StepRow } from '../../wire/harness/step-row.ts'
import { operation } from '../operation.ts'

const example = 'premath harness-kpi remediate --reason "pinned the flaky test runner"'

export const harnessKpiRemediate = operation({
  group: 'harness',
  summary: 'Record a remediation of a low KPI.',
  description:
    'A KPI below the rollback threshold pauses the addition of workers. A remediation ends the pause: only steps that finish later decide about the next one. It is stored as a row of the trajectory, which the KPI does not count as work.',
  effect: 'projection',
  opId: 'op/harness.kpi_remediate',
  input: {
    reason: textField('text', 'A description of the remediation.', { required: true }),
    trajectoryPath: textField(
      'file',
      'The trajectory file. Defaults to .premath/harness_trajectory.jsonl of the project.',
      { path: true, also: ['trajectory', 'path'] },
    ),
  },
  output: KpiRemediateAnswer,
  examples: { [example]: 'allow more workers again' },

  async run({ reason, trajectoryPath }, context) {
    const project = await openProject(context)
    const { log, path, real } = await openTrajectory(project, trajectoryPath, '--trajectory-path')
    await mustNotReplaceProjectFile({ path, real }, project)
    const at = { now: context.clock.now(), newest: await newestIn(log) }
    const row = remediationRow(reason, at)
    if (!row) throw noReason()
    await log.append(row)
    const document = documentOf(StepRow, row)
    const facts = [`Path: ${path}`, `At: ${row.finishedAt}`, `Reason: ${document['reason']}`]
    return {
      output: { action: 'harness-kpi.remediate', path, row: document },
      yes: true,
      render: page => titledPage('premath harness-kpi remediate', facts, page),
    }
  },
})

const noReason = () =>
  new Fault('usage', 'harness-kpi remediate: --reason is empty', {
    hint: `Describe the remediation, for example: ${example}`,
  })
