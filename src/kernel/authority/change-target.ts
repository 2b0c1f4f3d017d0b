/** What a change is called where it has to be allowed, and which issue it is about. */
import type { IssueChange } from '../issues/issue-change.ts'

/** As instructions and turns name it: `issue_update`. */
export const mutationAction = ({ action }: IssueChange): string =>
  action === 'issue.block' ? 'issue_update' : action.replace('.', '_')

/** `undefined` where the change finds or makes its issue itself. */
export function targetOf(change: IssueChange): string | undefined {
  if ('id' in change) return change.id
  if ('edge' in change) return change.edge.issueId
  return 'parentId' in change ? change.parentId : undefined
}
