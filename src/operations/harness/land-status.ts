import { openTarget } from '../../harness/landing/target.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import { landingFields } from '../../input/landing-options.ts'
import { queuedCloses } from '../../project/closes/queued-closes.ts'
import { landingPlaceOf, nextOf, unlandedWork } from '../../project/loop/landing-status.ts'
import { openProject } from '../../project/open.ts'
import { countLine, table } from '../../render/table.ts'
import { LandStatusAnswer } from '../../wire/answers/landing.ts'
import { operation } from '../operation.ts'
import { readIssueMemory } from '../read-issues.ts'

export const landStatus = operation({
  group: 'harness',
  summary: 'List work that is not on the target branch yet.',
  description:
    'Lists the issues whose branch has commits that the target lacks, those whose commit is landing or being reverted, and the closes that agents queued. Work that waits is landed with premath land.',
  effect: 'read',
  opId: 'op/harness.land_status',
  input: {
    onto: landingFields.onto,
    ...memoryFields,
  },
  output: LandStatusAnswer,
  examples: { 'premath land status': 'each issue with its branch and what it waits for' },

  async run({ onto, issues }, context) {
    const project = await openProject(context)
    const { config } = await project.config()
    const { memory, notices } = await readIssueMemory(project, { issues })
    const target = await openTarget(await landingPlaceOf(project), onto ?? config.onto)
    const { waiting } = await queuedCloses(memory, project)
    const items = [...(await unlandedWork(memory, target.ref, project)), ...waiting]
    const counts = { count: items.length }
    return {
      output: { action: 'land.status', target: target.branch, ...counts, items },
      yes: true,
      ...notices,
      render: page =>
        table(
          ['id', 'state', 'commits', 'branch', 'next'],
          items.map(item => [
            item.issueId,
            item.state,
            String(item.commits),
            item.branch,
            nextOf(item),
          ]),
          page,
          ['commits', 'branch'],
        ) + countLine(counts, 'issue', page, ' with work to land'),
    }
  },
})
