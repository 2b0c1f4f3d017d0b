import { proofOf } from '../../project/authority/lease-proof.ts'
import { openProject } from '../../project/open.ts'
import { DepAddAnswer } from '../../wire/answers/issue-changes.ts'
import { changeIssues } from '../change-issues.ts'
import { createdByField, edgeChangeFields, edgeFields, edgeText, typeField } from '../dep-edge.ts'
import { operation } from '../operation.ts'

export const depAdd = operation({
  group: 'dep',
  summary: 'Add a dependency between two issues.',
  description:
    'Both issues must exist. An issue is not ready until everything it depends on by blocks, parent-child, conditional-blocks or waits-for is closed; other types are informational. An edge that would create a cycle is refused, whatever its type and the status of the issues, and the answer shows the cycle. In the work of a step it asks the harness, which adds the edge after the step. Exits 1 if the edge is refused, 4 if another worker holds the issue.',
  effect: 'mutation',
  opId: 'op/mcp.dep_add',
  input: { ...edgeFields, ...typeField, ...createdByField, ...edgeChangeFields },
  output: DepAddAnswer,
  examples: {
    'premath dep add bd-2 bd-1': 'bd-2 waits until bd-1 is closed',
    'premath dep add bd-3 bd-1 --type related --created-by ann --json':
      'an informational edge, as JSON',
  },

  async run({ issue, dependsOn, type, createdBy, ...rest }, context) {
    const edge = { issueId: issue, dependsOnId: dependsOn, type, createdBy }
    const project = await openProject(context)
    const proof = await proofOf(issue, rest, project)
    return await changeIssues(project, rest, { action: 'dep.add', edge, proof }, () => ({
      output: { dependency: { issueId: issue, dependsOnId: dependsOn, type } },
      text: () => `Added ${edgeText(issue, dependsOn, type)}\n`,
    }))
  },
})
