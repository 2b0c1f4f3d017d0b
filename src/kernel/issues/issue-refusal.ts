import type { RefusalClass } from './refusal-classes.ts'

/** A change to issue memory that was not made, and why. A value, never thrown. */
export interface IssueRefusal {
  readonly failureClass: RefusalClass
  readonly diagnostic: string
  readonly remedy: string
  /** Of a turn that is open: all that is the matter with it. */
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
