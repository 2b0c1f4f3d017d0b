/** Requests of work: what a command in a step asks for, and the change that the harness makes of it. */

import type { StepJournal } from '../../../wire/harness/step-journal.ts'
import { StepRequest, type TakenRequest } from '../../../wire/harness/step-request.ts'
import { Flaw, shaped } from '../../artifact/flaw.ts'
import type { Sha256 } from '../../canonical.ts'
import type { IssueChange, IssueChanged } from '../../issues/issue-change.ts'
import { commentsOf, newCommentId } from '../../issues/issue-comment.ts'
import { foundOn } from '../../issues/issue-edit.ts'
import type { IssueMemory } from '../../issues/issue-memory.ts'
import { type IssueRefusal, isRefusal, refuse } from '../../issues/issue-refusal.ts'
import type { LeaseProof } from '../../issues/lease.ts'
import { jsonIn, numberOf } from '../../json.ts'

const head = { schema: 1, requestKind: 'premath.harness.step_request.v1' } as const

/** The request in place of the change; `undefined` for a change that work may not ask for. */
export function requestOf(change: IssueChange): StepRequest | IssueRefusal | undefined {
  switch (change.action) {
    case 'issue.comment':
      return { ...head, action: change.action, id: change.id, text: change.comment.text }
    case 'dep.add': {
      const { issueId, dependsOnId, type } = change.edge
      return { ...head, action: change.action, issueId, dependsOnId, type }
    }
    case 'issue.discover': {
      const { specs, allowances, status, ...issue } = change.issue
      if (specs !== undefined || allowances !== undefined || status !== undefined) {
        const why = 'the work of a step may not choose what judges an issue'
        const remedy = 'Ask for the issue without specs. A person adds them.'
        return refuse('mutation_not_granted', why, remedy)
      }
      return { ...head, action: change.action, parentId: change.parentId, issue }
    }
    default:
      return undefined
  }
}

export const printRequest = (request: StepRequest): string => `${JSON.stringify(request)}\n`

export function readRequest(text: string): StepRequest | Flaw {
  const value = jsonIn(text)
  return value === undefined ? new Flaw('is not JSON') : shaped(StepRequest, value)
}

/** The same for the same file of the same step, and for no other. */
export const requestKey = (stepId: string, name: string, text: string, sha256: Sha256): string =>
  `request:${sha256(`${stepId}\n${name}\n${text}`).slice(0, 16)}`

/** The issue that a request is about. */
export function issueOf(request: StepRequest): string {
  if (request.action === 'issue.discover') return request.parentId
  return request.action === 'issue.comment' ? request.id : request.issueId
}

/** The change as the worker of the step makes it. */
export function changeOfRequest(
  request: StepRequest,
  key: string,
  journal: StepJournal,
): IssueChange {
  const proof = issueOf(request) === journal.issueId ? proofOf(journal) : {}
  switch (request.action) {
    case 'issue.discover':
      return {
        action: request.action,
        parentId: request.parentId,
        issue: request.issue,
        once: key,
        proof,
      }
    case 'issue.comment': {
      const comment = { id: commentIdOf(key), author: journal.workerId, text: request.text }
      return { action: request.action, id: request.id, comment }
    }
    case 'dep.add': {
      const { issueId, dependsOnId, type } = request
      const edge = { issueId, dependsOnId, type, createdBy: journal.workerId }
      return { action: request.action, edge, proof }
    }
  }
}

/** A lease that was released needs no proof any more. */
const proofOf = ({ workerId, leaseId, fence }: StepJournal): LeaseProof => ({
  assignee: workerId,
  leaseId,
  fence,
  ambient: true,
})

const commentIdOf = (key: string) => newCommentId(key.slice('request:'.length))

/** Whether the harness made the change before it was killed; with the issue that it added. */
export function madeBefore(
  request: StepRequest,
  key: string,
  memory: IssueMemory,
): { readonly createdIssueId: string | null } | undefined {
  const issue = memory.get(issueOf(request))
  if (issue === undefined) return undefined
  if (request.action === 'issue.discover') {
    const createdIssueId = foundOn(issue)[key]
    return createdIssueId === undefined ? undefined : { createdIssueId }
  }
  if (request.action === 'issue.comment') {
    const id = commentIdOf(key)
    const isThere = commentsOf(issue).some(
      one => numberOf(one.id) === id && one.text === request.text.trimEnd(),
    )
    return isThere ? { createdIssueId: null } : undefined
  }
  const { dependsOnId, type } = request
  const isThere = issue.dependencies.some(
    edge => edge.depends_on_id === dependsOnId && edge.type === type,
  )
  return isThere ? { createdIssueId: null } : undefined
}

export function takenOf(
  request: StepRequest,
  made: IssueChanged | IssueRefusal | { readonly createdIssueId: string | null },
): TakenRequest {
  const about = { action: request.action, issueId: issueOf(request) }
  if ('createdIssueId' in made) return { ...about, result: 'taken', ...made }
  if (isRefusal(made)) {
    const { failureClass, diagnostic } = made
    return { ...about, result: 'refused', createdIssueId: null, failureClass, diagnostic }
  }
  const createdIssueId = request.action === 'issue.discover' ? (made.issue?.id ?? null) : null
  return { ...about, result: 'taken', createdIssueId }
}

const askedFor = {
  'issue.discover': 'an issue found on',
  'issue.comment': 'a comment on',
  'dep.add': 'a dependency of',
} as const

/** For people: what was asked for, and what became of it. */
export function takenWords({
  action,
  issueId,
  result,
  createdIssueId,
  diagnostic = '',
}: TakenRequest): string {
  const what = `${askedFor[action]} ${issueId}`
  if (result === 'refused') return `the work asked for ${what}, which was refused: ${diagnostic}`
  const id = createdIssueId === null ? '' : `: ${createdIssueId}`
  return `the work asked for ${what}, which was added${id}`
}

export const askedWords = (request: StepRequest): string =>
  `${askedFor[request.action]} ${issueOf(request)}`
