/** Puts the close of an issue into the queue, if the door would admit it once it is verified. */
import type { Answer } from '../answer.ts'
import { fenceOf, type Issue } from '../kernel/issues/issue.ts'
import { type IssueRefusal, isRefusal, issueNotFound } from '../kernel/issues/issue-refusal.ts'
import { isPending, progressOf } from '../kernel/landing/close-request.ts'
import { visible } from '../kernel/text/visible.ts'
import { timestampOf } from '../kernel/timestamp.ts'
import { type Asking, instructionIn, stepWorkRefusal } from '../project/authority/authority.ts'
import { proofOf } from '../project/authority/lease-proof.ts'
import { admittedClose } from '../project/closes/admitted-close.ts'
import { CloseQueue } from '../project/closes/close-queue.ts'
import type { OperationContext } from '../project/context.ts'
import { openProject } from '../project/open.ts'
import { openIssues } from '../project/open-issues.ts'
import { keepWork } from '../project/proofs/agent-close.ts'
import { briefOf, rejected } from '../render/issues/issue-answer.ts'
import type { CloseProgress, CloseRequest } from '../wire/landing/close-request.ts'
import { unattended } from './unattended.ts'

const action = 'issue.close'

interface CloseAsked extends Asking {
  readonly id: string
  readonly leaseId: string | undefined
  readonly fence: number | undefined
  readonly issues: string | undefined
}

/** The request is judged as over MCP, whatever surface it comes by: so it is when it is worked off. */
export async function requestClose(
  input: CloseAsked,
  given: OperationContext,
): Promise<Answer<unknown>> {
  const { id } = input
  const here = await openProject(unattended(given, new AbortController().signal))
  const open = await openIssues(here, input)
  const { issuesPath, store, project } = open
  const no = (refusal: IssueRefusal) => rejected(action, issuesPath, refusal)
  const inStep = stepWorkRefusal('close an issue', project)
  if (inStep) return no(inStep)
  const memory = await store.read()
  const issue = memory.get(id)
  if (!issue) return no(issueNotFound(id, memory))
  const queue = new CloseQueue(await project.disk(), project)
  const place = { issueId: id, issuesPath: store.location }
  const known = await queue.of(place)
  if (issue.status === 'closed') {
    const progress = known && !isRefusal(known) ? progressOf(known) : { fence: fenceOf(issue) }
    return answerOf(issuesPath, issue, { ...progress, state: 'closed' })
  }
  // Whoever asks again has the same claim, so the answer tells nothing new.
  const waits = waitingIn(known, issue)
  if (waits) return answerOf(issuesPath, issue, progressOf(waits))
  const proof = await proofOf(id, input, here)
  const admitted = await admittedClose(id, proof, input, open)
  if (isRefusal(admitted)) return no(admitted)
  const { issues, instruction, joinWitness } = input
  const closing = { issues, instruction, joinWitness, reason: undefined }
  const instructionId = instructionIn(input, project)
  const queued = await queue.asking(async () => {
    // Another call may have queued it meanwhile, and the ref keeps one commit for each issue.
    const first = waitingIn(await queue.of(place), admitted)
    if (first) return first
    const commit = await keepWork(admitted, closing, here)
    if (typeof commit === 'object') return commit
    const request: CloseRequest = {
      schema: 1,
      requestKind: 'premath.close_request.v1',
      ...place,
      leaseId: admitted.lease?.lease_id ?? '',
      ...(instructionId !== undefined && { instructionId }),
      ...(joinWitness !== undefined && { joinWitness }),
      ...(given.origin && { origin: given.origin }),
      folder: await here.folderHere(),
      ...(commit !== undefined && { commit }),
      state: 'queued',
      fence: fenceOf(admitted),
      queuedAt: timestampOf(project.clock.now()),
    }
    await queue.put(request)
    return request
  })
  return isRefusal(queued) ? no(queued) : answerOf(issuesPath, issue, progressOf(queued))
}

/** The request of this claim, if it is not over. */
function waitingIn(
  request: CloseRequest | IssueRefusal | undefined,
  issue: Issue,
): CloseRequest | undefined {
  if (request === undefined || isRefusal(request)) return undefined
  return request.fence === fenceOf(issue) && isPending(request) ? request : undefined
}

function answerOf(issuesPath: string, issue: Issue, close: CloseProgress): Answer<unknown> {
  const { state } = close
  return {
    output: { action, issuesPath, result: state, issue: briefOf(issue), close },
    yes: true,
    render: () => `${visible(`${issue.id} (${issue.title})`)}: ${wordsFor(state, issue.id)}\n`,
  }
}

function wordsFor(state: CloseRequest['state'], id: string): string {
  switch (state) {
    case 'queued':
      return `the close is queued. See how far it is: premath issue show ${id}.`
    case 'verifying':
      return `the close is being verified. See how far it is: premath issue show ${id}.`
    case 'closed':
      return 'it is closed.'
    case 'in_review':
      return 'it is verified, and closes when the target has its work.'
    case 'failed':
      return 'the close failed.'
  }
}
