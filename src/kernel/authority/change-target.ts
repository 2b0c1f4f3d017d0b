/** The action name of a change and its issue. */
import type { IssueChange } from '../issues/issue-change.ts'

/** A close in parts, a change of status, or a comment: an instruction and a turn call them an update. */
const updates: ReadonlySet<IssueChange['action']> = new Set([
  'issue.block',
  'issue.comment',
  'issue.land_begin',
  'issue.land_finish',
  'issue.land_undo',
  'issue.revert_begin',
])

/** The name in instructions and turns: `issue_update`. */
export const mutationAction = ({ action }: IssueChange): string =>
  updates.has(action) ? 'issue_update' : action.replace('.', '_')

/** True if the change only ends a landing that was admitted when it began. */
export const endsLanding = ({ action }: IssueChange): boolean =>
  action === 'issue.land_finish' || action === 'issue.land_undo'

/** `undefined` if the change finds or creates its issue. */
export function targetOf(change: IssueChange): string | undefined {
  if ('id' in change) return change.id
  if ('edge' in change) return change.edge.issueId
  return 'parentId' in change ? change.parentId : undefined
}
