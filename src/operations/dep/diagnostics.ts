import type { Page } from '../../answer.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import { graphIntegrity } from '../../kernel/issues/graph/dependency-cycle.ts'
import { graphScopes } from '../../kernel/issues/graph/issue-graph.ts'
import { openProject } from '../../project/open.ts'
import { cycleLine } from '../../render/issues/dep-cycle-line.ts'
import { askIssues } from '../issue-door.ts'
import { operation } from '../operation.ts'

export const depDiagnostics = operation({
  group: 'dep',
  summary: 'Find out whether issues depend on each other in a circle.',
  description:
    'Edges of every type count. The scope active looks at issues that are open or in progress and the edges between them; full looks at all. Exits 0 when there is no cycle and 1 when there is one; the answer shows the first, by id.',
  effect: 'read',
  opId: 'op/mcp.dep_diagnostics',
  input: {
    graphScope: {
      type: 'choice',
      describe: 'Which issues to look at.',
      values: graphScopes,
      default: 'active',
      placeholder: 'scope',
    },
    ...memoryFields,
  },
  examples: [
    { command: 'premath dep diagnostics', shows: 'whether work in hand goes round in a circle' },
    {
      command: 'premath dep diagnostics --graph-scope full --json',
      shows: 'the same of all issues, closed ones too, for a program',
    },
  ],

  async run({ graphScope, ...rest }, context) {
    const { memory, issuesPath, talk } = await askIssues(await openProject(context), rest)
    const integrity = graphIntegrity(memory, graphScope)
    return {
      output: { action: 'dep.diagnostics', issuesPath, graphScope, integrity },
      yes: !integrity.hasCycle,
      ...talk,
      render: (page: Page) =>
        integrity.hasCycle
          ? `${cycleLine(integrity, page)}  Take one edge of it back: premath dep remove.\n`
          : `${page.ink('green', 'No cycle')} among ${graphScope === 'full' ? 'all' : 'active'} issues.\n`,
    }
  },
})
