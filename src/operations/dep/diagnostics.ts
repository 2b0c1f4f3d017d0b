import type { Page } from '../../answer.ts'
import { choiceField } from '../../field.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import { graphIntegrity } from '../../kernel/issues/graph/dependency-cycle.ts'
import { graphScopes } from '../../kernel/issues/graph/issue-graph.ts'
import { openProject } from '../../project/open.ts'
import { cycleLine } from '../../render/issues/dep-tree-page.ts'
import { DepDiagnosticsAnswer } from '../../wire/answers/dep.ts'
import { operation } from '../operation.ts'
import { readIssueMemory } from '../read-issues.ts'

export const depDiagnostics = operation({
  group: 'dep',
  summary: 'Find dependency cycles.',
  description:
    'Edges of every type count. The scope active covers open and in-progress issues and the edges between them; full covers all issues. Exits 0 if there is no cycle and 1 if there is one; the answer shows the first, by id.',
  effect: 'read',
  opId: 'op/mcp.dep_diagnostics',
  input: {
    graphScope: choiceField(graphScopes, 'The issues to examine.', {
      placeholder: 'scope',
      default: 'active',
    }),
    ...memoryFields,
  },
  output: DepDiagnosticsAnswer,
  examples: {
    'premath dep diagnostics': 'whether active issues form a cycle',
    'premath dep diagnostics --graph-scope full --json': 'the same for all issues, as JSON',
  },

  async run({ graphScope, ...rest }, context) {
    const { memory, issuesPath, notices } = await readIssueMemory(await openProject(context), rest)
    const integrity = graphIntegrity(memory, graphScope)
    return {
      output: { action: 'dep.diagnostics', issuesPath, graphScope, integrity },
      yes: !integrity.hasCycle,
      ...notices,
      render: (page: Page) =>
        integrity.hasCycle
          ? `${cycleLine(integrity, page)}  Remove one of its edges: premath dep remove.\n`
          : `${page.ink('green', 'No cycle')} among ${graphScope === 'full' ? 'all' : 'active'} issues.\n`,
    }
  },
})
