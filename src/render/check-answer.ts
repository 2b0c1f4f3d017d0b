/** The answer of a check: accepted or rejected, with its obligations. */
import type { Answer } from '../answer.ts'
import { failureClassesOf, isAccepted } from '../kernel/checks/check.ts'
import type { Obligation } from '../wire/checks/check-report.ts'
import { checkPage } from './check-page.ts'

export function checkAnswer(
  { action, checkKind }: { readonly action: string; readonly checkKind: string },
  obligations: readonly Obligation[],
): Answer<object> {
  const accepted = isAccepted(obligations)
  return {
    output: {
      schema: 1,
      checkKind,
      action,
      result: accepted ? 'accepted' : 'rejected',
      failureClasses: failureClassesOf(obligations),
      obligations,
    },
    yes: accepted,
    render: page => checkPage(obligations, page),
  }
}
