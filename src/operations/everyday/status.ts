import { memoryFields } from '../../input/issue-fields.ts'
import { openProject } from '../../project/open.ts'
import { projectStatus } from '../../project/project-status.ts'
import { missingDriverNote } from '../../project/setup/missing-driver.ts'
import { statusPage } from '../../render/status-page.ts'
import { StatusAnswer } from '../../wire/answers/everyday.ts'
import { operation } from '../operation.ts'
import { readIssueMemory } from '../read-issues.ts'

export const status = operation({
  group: 'everyday',
  summary: 'Show who works on what, and what needs attention.',
  description:
    'Lists the issues that somebody works on with their leases, the work that waits to land, and what a person should look at: blocked issues with their last failure, expired leases, and the reports of the last run, for a week. Sections without an entry are left out. The last line counts the issues. With --json, landing is null where work cannot land: without git, or before the first commit.',
  effect: 'read',
  opId: 'op/everyday.status',
  input: { ...memoryFields },
  output: StatusAnswer,
  examples: {
    'premath status': 'the project at a glance',
    'premath status --json': 'working, landing, attention and counts, for a program',
  },

  async run({ issues }, context) {
    const asked = await readIssueMemory(await openProject(context), { issues })
    const { memory, now, notices, project } = asked
    const driver = await missingDriverNote(project.root, project)
    const notes = [notices.message, driver].filter(note => note !== undefined)
    const found = await projectStatus(memory, now, project)
    return {
      output: { action: 'status', ...found },
      yes: true,
      ...(notes.length > 0 && { message: notes.join('\n') }),
      render: page => statusPage(found, now, page),
    }
  },
})
