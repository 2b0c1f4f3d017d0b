/** Work asks the harness for a change: a file in the mailbox of its step. */
import type { Answer } from '../../answer.ts'
import { mailboxOf, takenPath } from '../../kernel/harness/step/mailbox.ts'
import { askedWords, printRequest, requestOf } from '../../kernel/harness/step/step-request.ts'
import type { IssueChange } from '../../kernel/issues/issue-change.ts'
import { type IssueRefusal, isRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import { visible } from '../../kernel/text/visible.ts'
import type { StepRequest } from '../../wire/harness/step-request.ts'
import type { Project } from '../open.ts'
import { issuesPlace } from '../open-issues.ts'
import { resolvePath } from '../paths.ts'
import { workMayNot } from './authority.ts'

/** Writes the request, or says why the work may not make it. */
export async function askHarness(
  project: Project,
  change: IssueChange,
  issues: string | undefined,
): Promise<Answer<unknown> | IssueRefusal> {
  const request = requestOf(change)
  if (request === undefined) return workMayNot('change issues')
  if (isRefusal(request)) return request
  if (isOtherMemory(project, issues)) return workMayNot('change the issues of another memory')
  const { env, clock, random } = project
  const stepId = env['PREMATH_STEP_ID'] ?? ''
  const disk = await project.disk()
  const mailbox = mailboxOf(project, stepId)
  const isOver = (await disk.entry(takenPath(project, stepId))) !== undefined
  if (isOver || (await disk.entry(mailbox))?.kind !== 'folder') {
    const why = `step ${stepId} takes no requests now`
    return refuse('mutation_not_granted', why, 'Only its work command can ask, while it runs.')
  }
  // The names sort by time, so that the harness takes the requests in this order.
  const name = `${String(clock.now()).padStart(20, '0')}-${random()}.json`
  await disk.replaceLoosely(`${mailbox}/${name}`, new TextEncoder().encode(printRequest(request)))
  return answerOf(request, stepId)
}

const answerOf = (request: StepRequest, stepId: string): Answer<unknown> => {
  const { schema: _schema, requestKind: _kind, ...asked } = request
  return {
    output: { action: request.action, request: asked, result: 'asked', stepId },
    yes: true,
    render: () =>
      `Asked for ${visible(askedWords(request))}. The harness takes it after the step.\n`,
  }
}

/** The harness changes the memory that its step is from. */
function isOtherMemory(project: Project, issues: string | undefined): boolean {
  const [given, own] = [issues, undefined].map(one => {
    const { folder, issuesPath } = issuesPlace(project, one)
    return resolvePath(folder, issuesPath)
  })
  return given !== own
}
