/** Lists of issues: the members of a row that the filters of a list look at. */
import { lowerAscii, trim } from '../text/clean.ts'
import type { Issue } from './issue.ts'
import { hasGaveWay } from './issue-metadata.ts'

type FilteredTraits = Pick<Issue, 'status' | 'assignee' | 'priority' | 'labels'>

export interface IssueTraits extends FilteredTraits {
  /** Values gave way in a merge, and nobody has acknowledged that. */
  readonly gaveWay: boolean
}

export const traitsOf = (issue: Issue): IssueTraits => {
  const { status, assignee, priority, labels } = issue
  return { status, assignee, priority, labels, gaveWay: hasGaveWay(issue) }
}

export interface TraitFilters {
  readonly status: string | undefined
  readonly assignee: string | undefined
  readonly label: readonly string[]
  readonly priority: number | undefined
}

/** True if an issue passes every filter that is given. */
export function traitFilter({ status, assignee, label, priority }: TraitFilters) {
  const wanted = status === undefined ? undefined : lowerAscii(trim(status))
  return (issue: FilteredTraits): boolean =>
    (wanted === undefined || lowerAscii(trim(issue.status)) === wanted) &&
    (assignee === undefined || issue.assignee === assignee) &&
    (priority === undefined || issue.priority === priority) &&
    label.every(one => issue.labels.includes(one))
}
