/** The action name of a change and its issue. */
import type { IssueChange } from '../issues/issue-change.ts'

/** The name in instructions and turns: `issue_update`. */
export const mutationAction = ({ action }: IssueChange): string =>
  action === 'issue.block' ? 'issue_update' : action.replace('.', '_')

/** `undefined` if the change finds or creates its issue. */
export function targetOf(change: IssueChange): string | undefined {
  if ('id' in change) return change.id
  if ('edge' in change) return change.edge.issueId
  return 'parentId' in change ? change.parentId : undefined
}
