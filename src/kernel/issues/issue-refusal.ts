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

export const issueNotFound = (id: string, memory?: KnownIssues): IssueRefusal =>
  refuse('issue_not_found', `issue not found: ${id}`, idHint(id, memory))

interface KnownIssues {
  all(): Iterable<{ readonly id: string }>
}

/**
 * `bd1`, `BD-1` and `1` mean bd-1. Ids that differ in a letter are not offered: in a list that is
 * numbered, they are other issues.
 */
export function idHint(id: string, memory?: KnownIssues): string {
  const asked = lettersOf(id)
  const meant = [...(memory?.all() ?? [])].filter(
    known =>
      asked !== '' &&
      (lettersOf(known.id) === asked || lettersOf(known.id.replace(/^.*-/, '')) === asked),
  )
  const [only] = meant
  return only && meant.length === 1
    ? `Did you mean ${only.id}?`
    : 'premath issue list shows every id.'
}

const lettersOf = (id: string) => id.toLowerCase().replace(/[^a-z0-9]/g, '')
