import type { Answer } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { textField } from '../../field.ts'
import { failureClassesOf, failureFields } from '../../input/failure-fields.ts'
import { changeFields, proofFields } from '../../input/issue-fields.ts'
import {
  attemptsLeft,
  type Escalation,
  escalatedOnce,
  escalationChange,
  escalationNote,
  noteDigest,
} from '../../kernel/harness/retry/escalation.ts'
import type { IssueContext } from '../../kernel/harness/retry/issue-context.ts'
import { decideRetry } from '../../kernel/harness/retry/retry-decision.ts'
import type { IssueChanged } from '../../kernel/issues/issue-change.ts'
import { isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { visible } from '../../kernel/text/visible.ts'
import { type Asking, authorityOf } from '../../project/authority/authority.ts'
import { proofOf } from '../../project/authority/lease-proof.ts'
import type { OperationContext } from '../../project/context.ts'
import { activeIssue } from '../../project/loop/active-issue.ts'
import { openProject, type Project } from '../../project/open.ts'
import { messageOf, openIssues } from '../../project/open-issues.ts'
import { openRetryPolicy } from '../../project/policies/control-policy.ts'
import { rejected } from '../../render/issues/issue-answer.ts'
import {
  Escalation as EscalationAnswer,
  type EscalationReport,
} from '../../wire/harness/escalation.ts'
import { operation } from '../operation.ts'

const action = 'harness-escalate'

export const harnessEscalate = operation({
  group: 'harness',
  summary: 'Apply the escalation policy to a failure without attempts left.',
  description:
    'The retry policy names the action. issue_discover adds an issue about the failure, unless one is open; an issue that was itself added this way is blocked instead. mark_blocked sets the active issue to blocked and adds a note. stop changes nothing, and a failure class of the gate always stops. The active issue comes from PREMATH_ACTIVE_ISSUE_ID or PREMATH_ISSUE_ID, then from the session, then from the only ready issue. Exits 0 if the action was applied, including stop, and 1 if an attempt is left or no active issue can be determined.',
  effect: 'mutation',
  opId: 'op/harness.escalate',
  input: {
    scope: textField('name', 'The failed activity, such as worker.loop.', { required: true }),
    ...failureFields,
    witnessRef: textField('ref', 'The witness of the failure: a ref, or a path in the project.'),
    verifyCmd: textField(
      'command',
      'The failed command, for the acceptance criteria of the new issue.',
    ),
    ...proofFields,
    ...changeFields,
  },
  output: EscalationAnswer,
  examples: {
    'premath harness-escalate --scope worker.loop --failure-class flaky_io --attempt 3 --witness-ref artifacts/steps/s1':
      'add an issue about the failure',
  },

  async run({ scope, witnessRef, verifyCmd, ...input }, context) {
    if (scope.trim() === '')
      throw new Fault('usage', '--scope is empty: pass the failed activity, such as worker.loop')
    const project = await openProject(context)
    const policy = await openRetryPolicy(project, input.policy)
    const decision = decideRetry(policy, await failureClassesOf(input, context), input.attempt)
    const escalation = {
      scope,
      decision,
      witnessRef: witnessRef && inProject(witnessRef, project),
      verifyCommand: verifyCmd,
    }
    // Stopping needs no issue memory, so none is opened.
    if (!decision.retry && decision.escalationAction === 'stop') return stopped(escalation, context)
    return await escalated(escalation, input, project)
  },
})

interface DoorInput extends Asking {
  readonly issues: string | undefined
  readonly leaseId: string | undefined
  readonly fence: number | undefined
}

async function escalated(
  asked: Escalation,
  input: DoorInput,
  project: Project,
): Promise<Answer<unknown>> {
  const open = await openIssues(project, input)
  const { issuesPath, store } = open
  const authority = await authorityOf(open.project, input)
  const active = attemptsLeft(asked.decision) ?? (await activeIssue(open))
  if (isRefusal(active)) return rejected(action, issuesPath, active)
  const decision = escalatedOnce(asked.decision, active.issueId, await store.read())
  const escalation = { ...asked, decision }
  const proof = await proofOf(active.issueId, input, project)
  const change = escalationChange(escalation, active.issueId, proof)
  if (!change) return stopped(escalation, project)
  const outcome = await store.mutate(authority, change)
  if (isRefusal(outcome)) {
    const answer = rejected(action, issuesPath, outcome)
    return { ...answer, ...messageOf(open, answer.message) }
  }
  return { ...applied(escalation, active, outcome, issuesPath, project), ...messageOf(open) }
}

function applied(
  escalation: Escalation,
  active: IssueContext,
  { issue, rows }: IssueChanged,
  issuesPath: string,
  context: OperationContext,
): Answer<EscalationReport> {
  const isNew = rows.length > 0
  const isFound = escalation.decision.escalationAction === 'issue_discover'
  const [now, before] = isFound ? ['Added', 'Already open:'] : ['Blocked', 'Already blocked:']
  return {
    output: {
      ...recordOf(escalation, context),
      outcome: isNew ? 'applied' : 'already_applied',
      issueId: active.issueId,
      issueSource: active.source,
      createdIssueId: isFound ? (issue?.id ?? null) : null,
      issuesPath,
    },
    yes: true,
    render: page =>
      `${page.ink('yellow', isNew ? now : before)} ${visible(`${issue?.id}: ${issue?.title}`)}\n`,
  }
}

function stopped(escalation: Escalation, context: OperationContext): Answer<EscalationReport> {
  const { matchedFailureClass } = escalation.decision
  return {
    output: {
      ...recordOf(escalation, context),
      outcome: 'stop',
      issueId: null,
      issueSource: null,
      createdIssueId: null,
      issuesPath: null,
    },
    yes: true,
    render: page =>
      `${page.ink('red', 'Stop')}: ${visible(matchedFailureClass)}. Issue memory is unchanged.\n`,
  }
}

const recordOf = (escalation: Escalation, { sha256 }: OperationContext) => ({
  action: 'harness-escalate' as const,
  escalationKind: 'premath.harness.escalation.v1' as const,
  escalationAction: escalation.decision.escalationAction,
  note: escalationNote(escalation),
  noteDigest: noteDigest(escalation, sha256),
  witnessRef: escalation.witnessRef?.trim() || null,
  decision: escalation.decision,
})

/** Makes a path relative to the project root. Any other ref stays as it is. */
function inProject(ref: string, project: Project): string {
  const root = project.root.replace(/\/$/, '')
  return ref.startsWith(`${root}/`) ? ref.slice(root.length + 1) : ref
}
