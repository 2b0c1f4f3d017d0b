import { proofOf } from '../../project/authority/lease-proof.ts'
import { openProject } from '../../project/open.ts'
import { edgeChangeFields, edgeFields, makerField, spokenEdge, typeField } from '../dep-edge.ts'
import { changeIssues } from '../issue-door.ts'
import { operation } from '../operation.ts'

export const depAdd = operation({
  group: 'dep',
  summary: 'Say that an issue depends on another.',
  description:
    'Both issues must exist. An issue is not ready until everything it depends on by blocks, parent-child, conditional-blocks or waits-for is closed; the other types only inform. An edge that would close a circle is refused, whatever its type and whether or not the issues are closed, and the answer shows the circle. Exits 1 when the edge is refused, 4 when somebody else holds the issue.',
  effect: 'mutation',
  input: { ...edgeFields, ...typeField, ...makerField, ...edgeChangeFields },
  examples: [
    { command: 'premath dep add bd-2 bd-1', shows: 'bd-2 waits until bd-1 is closed' },
    {
      command: 'premath dep add bd-3 bd-1 --type related --created-by ann --json',
      shows: 'an edge that informs, for a program',
    },
  ],

  async run({ issue, dependsOn, type, createdBy, ...rest }, context) {
    const edge = { issueId: issue, dependsOnId: dependsOn, type, createdBy }
    const project = await openProject(context)
    const proof = await proofOf(issue, rest, project)
    return await changeIssues(project, rest, { action: 'dep.add', edge, proof }, () => ({
      output: { dependency: { issueId: issue, dependsOnId: dependsOn, type } },
      text: () => `Added ${spokenEdge(issue, dependsOn, type)}\n`,
    }))
  },
})
