import { choiceField } from '../../field.ts'
import { proofOf } from '../../project/authority/lease-proof.ts'
import { openProject } from '../../project/open.ts'
import { DepReplaceAnswer } from '../../wire/answers/issue-changes.ts'
import { dependencyTypes } from '../../wire/issue/issue.ts'
import { changeIssues } from '../change-issues.ts'
import { createdByField, edgeChangeFields, edgeFields, edgeText } from '../dep-edge.ts'
import { operation } from '../operation.ts'

export const depReplace = operation({
  group: 'dep',
  summary: 'Change the type of a dependency.',
  description:
    'The edge keeps its position and, unless --created-by is given, its author. Exits 1 if there is no such edge or an edge of the new type exists, 4 if another worker holds the issue.',
  effect: 'mutation',
  opId: 'op/mcp.dep_replace',
  input: {
    ...edgeFields,
    fromType: choiceField(dependencyTypes, 'The current type.', {
      placeholder: 'type',
      default: 'blocks',
    }),
    toType: choiceField(dependencyTypes, 'The new type.', { placeholder: 'type', required: true }),
    ...createdByField,
    ...edgeChangeFields,
  },
  output: DepReplaceAnswer,
  examples: {
    'premath dep replace bd-2 bd-1 --to-type related': 'bd-2 no longer waits, but the link stays',
    'premath dep replace bd-2 bd-1 --from-type related --to-type waits-for --json':
      'the changed edge, as JSON',
  },

  async run({ issue, dependsOn, fromType, toType, createdBy, ...rest }, context) {
    const edge = { issueId: issue, dependsOnId: dependsOn, type: fromType, toType, createdBy }
    const project = await openProject(context)
    const proof = await proofOf(issue, rest, project)
    const change = { action: 'dep.replace', edge, proof } as const
    return await changeIssues(project, rest, change, changed => {
      const row = changed.issue?.dependencies.find(
        ({ depends_on_id, type }) => depends_on_id === dependsOn && type === toType,
      )
      return {
        output: {
          dependency: {
            issueId: issue,
            dependsOnId: dependsOn,
            fromType,
            toType,
            createdBy: row?.created_by ?? '',
          },
        },
        text: () => `Replaced ${fromType}: ${edgeText(issue, dependsOn, toType)}\n`,
      }
    })
  },
})
