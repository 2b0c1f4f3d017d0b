/** Whether a turn's proof covers the requested change: one action on one issue. */

import type { IssueChange } from '../issues/issue-change.ts'
import { type IssueRefusal, refuse } from '../issues/issue-refusal.ts'
import type { MutationReady } from '../turn/mutation-ready.ts'
import { mutationAction, targetOf } from './change-target.ts'

export function scopeRefusal(proof: MutationReady, change: IssueChange): IssueRefusal | undefined {
  const action = mutationAction(change)
  const issueId = targetOf(change)
  if (proof.action === action && proof.issueId === issueId) return undefined
  const asked = `${action}${issueId === undefined ? '' : ` of ${issueId}`}`
  const admitted = `${proof.action}${proof.issueId === undefined ? '' : ` of ${proof.issueId}`}`
  const remedy = 'Ask the gate for this change.'
  return refuse('mutation_not_granted', `the turn admits ${admitted}, not ${asked}`, remedy)
}
