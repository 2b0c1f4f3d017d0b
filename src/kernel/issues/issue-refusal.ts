import type { RefusalClass } from './refusal-classes.ts'

/** A refused change of issue memory, with the reason. A value, never thrown. */
export interface IssueRefusal {
  readonly failureClass: RefusalClass
  readonly diagnostic: string
  readonly remedy: string
  /** All failure classes of an open turn. */
  readonly turnClasses?: readonly string[]
}

export const refuse = (
  failureClass: RefusalClass,
  diagnostic: string,
  remedy: string,
): IssueRefusal => ({
  failureClass,
  diagnostic,
  remedy,
})

export const isRefusal = (value: object): value is IssueRefusal => 'failureClass' in value

export const issueNotFound = (id: string): IssueRefusal =>
  refuse('issue_not_found', `issue not found: ${id}`, 'premath issue list shows every id.')
