import { textField } from '../../field.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import { mutationPolicyDigest } from '../../kernel/authority/mutation-policy.ts'
import { issueInWork } from '../../kernel/harness/issue-in-work.ts'
import { primeText, primeTokensMax, tokensAtMost } from '../../kernel/harness/prime.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { issueCounts } from '../../kernel/issues/issue-counts.ts'
import { blockersOf, type IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { hasGaveWay } from '../../kernel/issues/issue-metadata.ts'
import { issueNotFound } from '../../kernel/issues/issue-refusal.ts'
import { offeredCount } from '../../kernel/issues/offered.ts'
import { isJsonObject, parseJson } from '../../kernel/json.ts'
import { visible } from '../../kernel/text/visible.ts'
import { effectiveMode, instructionIn } from '../../project/authority/authority.ts'
import type { OperationContext } from '../../project/context.ts'
import { openSession } from '../../project/harness-files.ts'
import { openProject, type Project } from '../../project/open.ts'
import { openTrajectory } from '../../project/open-trajectory.ts'
import { rejected } from '../../render/issues/issue-answer.ts'
import { PrimeAnswer } from '../../wire/answers/project.ts'
import type { Session } from '../../wire/harness/session.ts'
import { decodeUtf8 } from '../../world/utf8.ts'
import { operation } from '../operation.ts'
import { readIssueMemory } from '../read-issues.ts'

export const prime = operation({
  group: 'harness',
  summary: 'Print a briefing for an agent, in at most 1,200 tokens.',
  description:
    'Prints the claimed issue with its acceptance and specs, its last three comments, its blockers, the values that gave way in a merge, the last failure with its class and the file with its output, the handoff packet in PREMATH_HANDOFF_FILE, the session, and the three next commands. The issue is PREMATH_ISSUE_ID, else the one that the worker has claimed, else that of the session while it is claimed, else the only claimed issue.',
  effect: 'read',
  opId: 'op/project.prime',
  input: {
    issue: textField('id', 'The issue to describe.', { names: 'issue' }),
    worker: textField(
      'name',
      'The worker whose claimed issue is described. Defaults to PREMATH_WORKER_ID.',
      { also: ['worker-id'] },
    ),
    ...memoryFields,
  },
  output: PrimeAnswer,
  examples: {
    'premath prime': 'the current state',
    'agent -p "$(premath prime)"': 'an agent started with the briefing',
  },

  async run({ issue: given, worker, issues }, context) {
    const project = await openProject(context)
    const asked = await readIssueMemory(project, { issues })
    const { memory, now, notices, issuesPath } = asked
    if (given !== undefined && !memory.has(given)) {
      return { ...rejected('prime', issuesPath, issueNotFound(given)) }
    }
    const session = await (await openSession(project, undefined)).cell.read()
    const asking = {
      workerId: worker ?? (context.env['PREMATH_WORKER_ID'] || undefined),
      sessionIssueId: session?.issueId,
    }
    const ofStep = memory.get(context.env['PREMATH_ISSUE_ID'] ?? '')
    const isOpen = ofStep !== undefined && ofStep.status !== 'closed'
    const unnamed = () => (isOpen ? ofStep : issueInWork(memory, asking, now))
    // A named issue is described in any case, and the one of a step unless it is closed by now.
    const issue = given === undefined ? unnamed() : memory.get(given)
    const log = (await openTrajectory(project, undefined)).log
    const found =
      issue && (await log.query({ mode: 'failed', limit: 1, issueId: issue.id, order: 'by-line' }))
    const policy = await policyToBind(project)
    const isLinked = policy.mutationMode === 'instruction-linked'
    const text = primeText({
      mayChange: !isLinked || instructionIn({}, context) !== undefined,
      session,
      hasMoved: session !== undefined && (await hasMoved(session, asked)),
      issue,
      blockers: issue ? openBlockers(memory, issue) : [],
      lastFailure: found?.rows[0],
      feedbackPath: issue && feedbackOf(issue.id, context),
      handoff: issue && (await handoffOf(issue.id, context)),
      ...readyCounts(memory, now),
      gaveWay: otherGaveWay(memory, issue),
    })
    return {
      output: {
        action: 'prime',
        issueId: issue?.id ?? null,
        ...policy,
        text,
        tokensAtMost: tokensAtMost(text),
        tokensMax: primeTokensMax,
      },
      yes: true,
      ...notices,
      render: () => text.split('\n').map(visible).join('\n'),
    }
  },
})

async function hasMoved(
  { issuesSnapshotRef = '' }: Session,
  { hasMovedSince }: Awaited<ReturnType<typeof readIssueMemory>>,
): Promise<boolean> {
  // Sessions of earlier versions have a ref of another kind.
  return issuesSnapshotRef.startsWith('log1_') && (await hasMovedSince(issuesSnapshotRef))
}

/** A large memory is counted only where nothing is ready. */
function readyCounts(memory: IssueMemory, now: bigint) {
  const readyCount = offeredCount(memory, now)
  return { readyCount, blockedCount: readyCount === 0 ? issueCounts(memory).blocked : 0 }
}

/** The digest that a host binds calls to: callSpec.mutationPolicyDigest. */
async function policyToBind(project: Project) {
  const policy = await project.policy()
  return {
    mutationMode: effectiveMode(policy, project),
    mutationPolicyDigest: mutationPolicyDigest(policy, project.sha256),
  }
}

/** The feedback of the current step, if it is about this issue. */
const feedbackOf = (issueId: string, { env }: OperationContext) =>
  env['PREMATH_ISSUE_ID'] === issueId ? env['PREMATH_FEEDBACK_FILE'] || undefined : undefined

/** The handoff of the current step, if the issue had an earlier worker. */
async function handoffOf(issueId: string, { env, files }: OperationContext) {
  const path = env['PREMATH_HANDOFF_FILE']
  const bytes = path ? await files.readIfPresent(path) : undefined
  if (!path || !bytes) return undefined
  const packet = parseJson(decodeUtf8(bytes))
  if (!isJsonObject(packet) || packet['issueId'] !== issueId) return undefined
  const { next } = packet as { readonly next?: unknown }
  return typeof next === 'string' ? { next, path } : undefined
}

function otherGaveWay(memory: IssueMemory, issue: Issue | undefined) {
  const { first, total } = memory.matching(({ gaveWay }) => gaveWay, gaveWayShown + 1)
  const others = first.filter(({ id }) => id !== issue?.id)
  const isOneOfThem = issue !== undefined && hasGaveWay(issue)
  return { first: others.slice(0, gaveWayShown), total: total - (isOneOfThem ? 1 : 0) }
}

const gaveWayShown = 3

const openBlockers = (memory: IssueMemory, issue: Issue): readonly Issue[] =>
  blockersOf(issue).flatMap(id => {
    const blocker = memory.get(id)
    return blocker && blocker.status !== 'closed' ? [blocker] : []
  })
