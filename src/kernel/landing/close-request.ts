/** The requests of agents to close an issue, which wait for their verification. */
import { type CloseProgress, CloseRequest } from '../../wire/landing/close-request.ts'
import { Flaw, shaped } from '../artifact/flaw.ts'
import { printDocument } from '../artifact/print.ts'
import type { Sha256 } from '../canonical.ts'
import { stepFolderName } from '../harness/step/step-id.ts'
import { fenceOf, type Issue } from '../issues/issue.ts'
import { type IssueRefusal, isRefusal, refuse } from '../issues/issue-refusal.ts'
import { jsonIn } from '../json.ts'

/** The issue of a request: an id in one issue memory. */
export interface ClosedIssue {
  readonly issueId: string
  readonly issuesPath: string
}

/** Each claim has a file of its own, so that a new holder never writes over an earlier one. */
export const closeFile = (of: ClosedIssue, fence: number, sha256: Sha256): string =>
  `${stem(of, sha256)}.${fence}.json`

/** The fence in the name of a file; `undefined` if the file is about another issue. */
export function fenceInFile(name: string, of: ClosedIssue, sha256: Sha256): number | undefined {
  const start = `${stem(of, sha256)}.`
  const [, digits] = /^(\d+)\.json$/.exec(name.slice(start.length)) ?? []
  return name.startsWith(start) && digits !== undefined ? Number(digits) : undefined
}

const stem = ({ issueId, issuesPath }: ClosedIssue, sha256: Sha256): string =>
  `${sha256(issuesPath).slice(0, 8)}-${stepFolderName(issueId, sha256)}`

export const printCloseRequest = (request: CloseRequest): string =>
  printDocument(CloseRequest, request)

export function readCloseRequest(text: string): CloseRequest | Flaw {
  const value = jsonIn(text)
  return value === undefined ? new Flaw('is not JSON') : shaped(CloseRequest, value)
}

/** A server that was killed leaves a request as `verifying`. */
export const isPending = ({ state }: Pick<CloseRequest, 'state'>): boolean =>
  state === 'queued' || state === 'verifying'

/** By the time at which they were asked for. */
export const inTurn = (a: CloseRequest, b: CloseRequest): number =>
  a.queuedAt < b.queuedAt ? -1 : a.queuedAt > b.queuedAt ? 1 : 0

export const unreadableRequest = (path: string, { why, at }: Flaw): IssueRefusal =>
  refuse(
    'close_request_invalid',
    `${path} cannot be read: ${at === '' ? 'it' : at} ${why}`,
    'Ask for the close again with issue_close, which writes the file anew.',
  )

/** The members for readers. Folder, lease and evidence are for whoever works it off. */
export function progressOf(request: CloseRequest): CloseProgress {
  const { schema: _schema, requestKind: _kind, issueId: _id, issuesPath: _path, ...asked } = request
  const {
    leaseId: _lease,
    instructionId: _by,
    joinWitness: _turn,
    origin: _origin,
    ...work
  } = asked
  const { folder: _folder, commit: _commit, ...progress } = work
  return progress
}

/** The state that is shown with the issue. The row decides, since it may have changed after the request. */
export function progressWith(
  issue: Issue,
  request: CloseRequest | IssueRefusal | undefined,
): CloseProgress | undefined {
  if (request === undefined) return undefined
  const isClosed = issue.status === 'closed'
  if (isRefusal(request)) {
    const { failureClass, diagnostic, remedy } = request
    const failed = { failureClasses: [failureClass], diagnostic, remedy }
    return isClosed ? undefined : { state: 'failed', fence: fenceOf(issue), ...failed }
  }
  if (request.state === 'closed') return isClosed ? progressOf(request) : undefined
  if (!isClosed) return progressOf(request)
  return request.state === 'failed' ? undefined : { ...progressOf(request), state: 'closed' }
}
