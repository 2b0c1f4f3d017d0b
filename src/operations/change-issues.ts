/** How commands change issue memory. */

import type { Answer, Page } from '../answer.ts'
import { OperatorGrant } from '../kernel/authority/operator-grant.ts'
import type { IssueChange, IssueChanged } from '../kernel/issues/issue-change.ts'
import { isRefusal } from '../kernel/issues/issue-refusal.ts'
import { landingIssues } from '../kernel/issues/landing/landing-state.ts'
import { isJsonObject } from '../kernel/json.ts'
import { type Asking, authorityOf, isStepWork } from '../project/authority/authority.ts'
import type { Project } from '../project/open.ts'
import { messageOf, type OpenIssues, openIssues } from '../project/open-issues.ts'
import { missingDriverNote } from '../project/setup/missing-driver.ts'
import { rejected } from '../render/issues/issue-answer.ts'
import type { Authority } from '../store/issue-store.ts'

/** The result of a change, as JSON members and as text. */
interface Printed {
  readonly output: Readonly<Record<string, unknown>>
  text(page: Page): string
}

interface ChangeInput extends Asking {
  readonly issues: string | undefined
}

/** Makes one change. A refusal is an answer, and no fault. */
export async function changeIssues(
  project: Project,
  input: ChangeInput,
  change: IssueChange,
  tell: (changed: IssueChanged) => Printed,
): Promise<Answer<unknown>> {
  const open = await openIssues(project, input)
  const { issuesPath } = open
  const { action } = change
  if (isStepWork(open.project)) {
    const { askHarness } = await import('../project/authority/ask-harness.ts')
    const asked = await askHarness(project, change, input.issues)
    return 'failureClass' in asked ? rejected(action, issuesPath, asked) : asked
  }
  const authority = await authorityOf(open.project, input)
  if (claims(change)) await finishLandings(open, authority)
  const outcome = await open.store.mutate(authority, change)
  if (isRefusal(outcome)) {
    const answer = rejected(action, issuesPath, outcome)
    return { ...answer, ...messageOf(open, answer.message) }
  }
  const { output, text } = tell(outcome)
  const written = OperatorGrant.isIssued(authority)
    ? output
    : { ...output, ...writeWitnessOf(outcome) }
  const message = messageOf(open, await driverNote(open))
  return { output: { action, issuesPath, ...written }, yes: true, render: text, ...message }
}

/** For a person: whoever calls over MCP configures no clone. */
const driverNote = async ({ project }: OpenIssues) =>
  project.surface === 'cli' ? await missingDriverNote(project.root, project) : undefined

const claims = ({ action }: IssueChange) =>
  action === 'issue.claim' || action === 'issue.claim_next'

/** A process that died may have left an issue whose commit is on the target. */
export async function finishLandings(
  { project, store }: OpenIssues,
  authority: Authority,
): Promise<void> {
  if (!(await store.exists()) || landingIssues(await store.read()).length === 0) return
  const { settleLandings } = await import('../harness/landing/land-issue.ts')
  const { root, env, sha256, clock } = project
  const [disk, processes] = await Promise.all([project.disk(), project.processes()])
  const at = { root, env, sha256, clock, disk, processes, store }
  for (const { diagnostic, remedy } of await settleLandings(at, authority)) {
    project.progress(`note: ${diagnostic}. ${remedy}`)
  }
}

/** The write witness that an agent's change put into its row. */
function writeWitnessOf({ issue }: IssueChanged): Readonly<Record<string, unknown>> {
  const { metadata } = issue ?? {}
  const witness = isJsonObject(metadata) ? metadata['premathWriteWitness'] : undefined
  return witness === undefined ? {} : { writeWitness: witness }
}
