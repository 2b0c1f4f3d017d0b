import { proofOf } from '../../project/authority/lease-proof.ts'
import { openProject } from '../../project/open.ts'
import { DepRemoveAnswer } from '../../wire/answers/issue-changes.ts'
import { changeIssues } from '../change-issues.ts'
import { edgeChangeFields, edgeFields, edgeText, typeField } from '../dep-edge.ts'
import { operation } from '../operation.ts'

export const depRemove = operation({
  group: 'dep',
  summary: 'Remove a dependency.',
  description:
    'The issue and an edge of that type must exist; the other issue may be missing, which is how to remove a dangling edge. Exits 1 if there is no such edge, 4 if another worker holds the issue.',
  effect: 'mutation',
  opId: 'op/mcp.dep_remove',
  input: { ...edgeFields, ...typeField, ...edgeChangeFields },
  output: DepRemoveAnswer,
  examples: {
    'premath dep remove bd-2 bd-1': 'bd-2 no longer waits for bd-1',
    'premath dep remove bd-3 bd-1 --type related': 'an edge of another type',
  },

  async run({ issue, dependsOn, type, ...rest }, context) {
    const edge = { issueId: issue, dependsOnId: dependsOn, type }
    const project = await openProject(context)
    const proof = await proofOf(issue, rest, project)
    return await changeIssues(project, rest, { action: 'dep.remove', edge, proof }, () => ({
      output: { dependency: edge },
      text: () => `Removed ${edgeText(issue, dependsOn, type)}\n`,
    }))
  },
})
