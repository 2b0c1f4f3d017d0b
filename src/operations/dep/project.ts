import type { Page } from '../../answer.ts'
import { choiceField } from '../../field.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import { graphIntegrity } from '../../kernel/issues/graph/dependency-cycle.ts'
import { dependencyViews, projectDependencies } from '../../kernel/issues/graph/dependency-role.ts'
import { openProject } from '../../project/open.ts'
import { cycleLine } from '../../render/issues/dep-tree-page.ts'
import { table } from '../../render/table.ts'
import { DepProjectAnswer } from '../../wire/answers/dep.ts'
import { operation } from '../operation.ts'
import { readIssueMemory } from '../read-issues.ts'

export const depProject = operation({
  group: 'dep',
  summary: 'List all dependencies with their role in a view.',
  description:
    'Views: execution separates blocking from informational edges; gtd sorts edges into next actions, project structure, captured work, reference and duplicates; groupoid into constraints, generators, provenance and equivalences. The answer also says whether the graph has a cycle. To exit 1 on a cycle, use premath dep diagnostics.',
  effect: 'read',
  opId: 'op/dep.project',
  input: {
    view: choiceField(dependencyViews, 'The view.', { placeholder: 'view', default: 'execution' }),
    ...memoryFields,
  },
  output: DepProjectAnswer,
  examples: {
    'premath dep project': 'what blocks what',
    'premath dep project --view gtd --json': 'the roles, as JSON',
  },

  async run({ view, ...rest }, context) {
    const { memory, issuesPath, notices } = await readIssueMemory(await openProject(context), rest)
    const items = projectDependencies(memory, view)
    const integrity = graphIntegrity(memory, 'full')
    const rows = items.map(item => [item.issueId, item.dependsOnId, item.type, item.role])
    return {
      output: { action: 'dep.project', issuesPath, view, count: items.length, integrity, items },
      yes: true,
      ...notices,
      render: (page: Page) =>
        (rows.length === 0
          ? 'No dependencies.\n'
          : table(['issue', 'depends on', 'type', 'role'], rows, page, ['type'])) +
        cycleLine(integrity, page),
    }
  },
})
