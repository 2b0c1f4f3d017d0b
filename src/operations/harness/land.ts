import type { Answer } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { textField } from '../../field.ts'
import { commitOf, isIn, type LandingPlace } from '../../harness/landing/landing-git.ts'
import { issuesOf } from '../../harness/landing/revert.ts'
import { openTarget, type Target } from '../../harness/landing/target.ts'
import {
  hookPathFields,
  leaseTermField,
  startupFields,
  workFields,
} from '../../input/harness-fields.ts'
import { changeFields } from '../../input/issue-fields.ts'
import { landingFields } from '../../input/landing-options.ts'
import { mustBeLeaseTerm } from '../../input/loop-fields.ts'
import { idHint } from '../../kernel/issues/issue-refusal.ts'
import { isLanding } from '../../kernel/issues/landing/landing-state.ts'
import { revertedOf } from '../../kernel/issues/landing/revert.ts'
import { progressOf } from '../../kernel/landing/close-request.ts'
import { issueBranch } from '../../kernel/landing/landing-refs.ts'
import { visible } from '../../kernel/text/visible.ts'
import { type Asking, authorityOf } from '../../project/authority/authority.ts'
import { closeQueueIfAny } from '../../project/closes/close-queue.ts'
import {
  landingPlaceOf,
  nextOf,
  type Unlanded,
  unlandedIfAny,
} from '../../project/loop/landing-status.ts'
import { sandboxNote } from '../../project/loop/open-sandbox.ts'
import { openProject, type Project } from '../../project/open.ts'
import { messageOf, openIssues } from '../../project/open-issues.ts'
import { landError, landPage } from '../../render/harness/land-answer.ts'
import { stepExit, stepOutput } from '../../render/harness/step-answer.ts'
import { countLine, table } from '../../render/table.ts'
import { LandAnswer } from '../../wire/answers/landing.ts'
import type { CloseRequest } from '../../wire/landing/close-request.ts'
import { finishLandings } from '../change-issues.ts'
import { workOffCloses } from '../close-worker.ts'
import { landOne, reviewedCommit } from '../land-one.ts'
import { operation } from '../operation.ts'
import { readIssueMemory } from '../read-issues.ts'

export const land = operation({
  group: 'harness',
  summary: 'Land the work on the branch of an issue, and close the issue.',
  description:
    'For work that did not land: a run was stopped, a file was in the way, it was in review, or a person finished it. The commits of the branch become one commit on the target, which is verified first. Commit your changes on the branch before. If the target has the work already, because somebody merged it, that commit is verified and the issue closes with it; --as names it where it was changed on the way. First it works off the closes that agents queued with issue_close, if no MCP server does; without an id it does only that, and names the work that waits. Exits 1 if the work conflicts with the target or its verification fails, and releases the issue, or leaves it blocked if it was; and if a queued close failed.',
  effect: 'mutation',
  opId: 'op/harness.land',
  input: {
    id: textField('id', 'The issue id. Without it, only the queued closes are worked off.', {
      positional: true,
      names: 'issue',
    }),
    as: textField('commit', 'The commit on the target that has the work already.'),
    ...landingFields,
    verifyCmd: workFields.verifyCmd,
    verifySpec: workFields.verifySpec,
    verifyRequired: workFields.verifyRequired,
    verifyTimeoutSeconds: workFields.verifyTimeoutSeconds,
    retryPolicy: workFields.retryPolicy,
    ...startupFields,
    ...leaseTermField,
    session: hookPathFields.session,
    ledger: hookPathFields.ledger,
    ...changeFields,
  },
  output: LandAnswer,
  examples: {
    'premath land': 'work off the closes that agents queued',
    "premath land bd-7 --verify-cmd 'npm test'": 'verify and land the branch premath/bd-7',
    "premath land bd-7 --as 4c9f723 --verify-cmd 'npm test'":
      'close the issue with a commit that was merged by hand',
  },

  async run({ id, as: given, ...input }, context) {
    mustBeLeaseTerm(input.leaseTtlSeconds)
    const project = await openProject(context)
    const isFinished = id !== undefined && (await finishCutOff(id, input, project))
    const closes = await workOffCloses(project)
    if (isFinished) return await closesAnswer(closes, project)
    const own = closes.filter(({ issueId }) => issueId === id)
    if (id === undefined) {
      return await closesAnswer(closes, project, await unlanded(input.issues, project))
    }
    if (own.length > 0) return await closesAnswer(closes, project)
    const { config } = await project.config()
    const place = await landingPlaceOf(project)
    const target = await openTarget(place, input.onto ?? config.onto)
    const as =
      given === undefined
        ? await reviewedCommit(place, id, target)
        : await namedCommit(place, given, target)
    if (as !== undefined) {
      await mustBeOf(id, as, place)
      await mustNotBeReverted(as, id, input.issues, project)
    }
    const branch = as ?? (await branchOf(place, id, input.issues, project))
    const { report, harness } = await landOne(input, { id, branch, as }, project)
    const from = { as, target: target.branch }
    const error = landError(report, from)
    const unsafe = sandboxNote(harness)
    if (unsafe !== undefined) project.progress(`note: ${unsafe}`)
    return {
      output: { action: 'land', ...stepOutput(report) },
      ...(error && { error }),
      yes: error === undefined,
      exitCode: stepExit(report),
      ...messageOf(harness),
      render: page => landPage(report, from, page),
    }
  },
})

/** True if the commit of a process that died is on the target, so that nothing is left to land. */
async function finishCutOff(
  id: string,
  input: Asking & { readonly issues: string | undefined },
  project: Project,
): Promise<boolean> {
  const open = await openIssues(project, input)
  const begun = (await open.store.read()).get(id)
  if (!begun || !isLanding(begun)) return false
  await finishLandings(open, await authorityOf(open.project, input))
  const ended = (await open.store.read()).get(id)
  if (!ended || isLanding(ended) || ended.lease) return false
  project.progress(`note: the landing of ${id} was cut off, and is finished: it is ${ended.status}`)
  return true
}

async function closesAnswer(
  closes: readonly CloseRequest[],
  project: Project,
  items?: readonly Unlanded[],
): Promise<Answer<unknown>> {
  const queue = await closeQueueIfAny(project)
  const waiting = (await queue?.pending())?.length ?? 0
  const shown = closes.map(close => ({ issueId: close.issueId, ...progressOf(close) }))
  return {
    output: { action: 'land', closes: shown, waiting, ...(items && { items }) },
    yes: closes.every(({ state }) => state !== 'failed'),
    render: page =>
      table(
        ['id', 'state', 'why'],
        closes.map(({ issueId, state, diagnostic = '' }) => [issueId, state, diagnostic]),
        page,
      ) +
      countLine({ count: closes.length }, 'queued close', page) +
      unlandedLines(items ?? []),
  }
}

/** Only a person knows which of this work is to land, so each is named with its command. */
async function unlanded(
  issues: string | undefined,
  project: Project,
): Promise<readonly Unlanded[]> {
  const { memory } = await readIssueMemory(project, { issues })
  const items = (await unlandedIfAny(memory, project)) ?? []
  return items.filter(({ state }) => state !== 'working')
}

const unlandedLines = (items: readonly Unlanded[]) =>
  items.map(item => `${visible(item.issueId)} waits to land: ${nextOf(item)}\n`).join('')

async function namedCommit(place: LandingPlace, name: string, target: Target): Promise<string> {
  const commit = await commitOf(place, name)
  if (commit !== undefined && (await isIn(place, commit, target.ref))) return commit
  const why = commit === undefined ? 'is not a commit' : `is not on ${target.branch}`
  throw new Fault('usage', `${name} ${why}`, {
    hint: `Name a commit of the target: git log ${target.branch}.`,
    detail: { name, target: target.branch },
  })
}

/** A commit that landed says by its trailer whose work it is. */
async function mustBeOf(issueId: string, commit: string, place: LandingPlace): Promise<void> {
  const named = await issuesOf(place, commit)
  if (named.length === 0 || named.includes(issueId)) return
  const short = commit.slice(0, 12)
  throw new Fault(
    'usage',
    `commit ${short} is the work of ${named.join(', ')}, not of ${issueId}`,
    {
      hint: `Name the commit that has the work of ${issueId}.`,
      detail: { commit, issues: named },
    },
  )
}

/** The target contains a reverted commit for ever, and none of its work. */
async function mustNotBeReverted(
  commit: string,
  issueId: string,
  issues: string | undefined,
  project: Project,
): Promise<void> {
  const { memory } = await readIssueMemory(project, { issues })
  const issue = memory.get(issueId)
  const reverted = issue && revertedOf(issue)
  if (reverted?.landed !== commit) return
  throw new Fault('usage', `commit ${commit} was reverted by ${reverted.commit}`, {
    hint: `Do the work of ${issueId} again, or name a later commit that has it.`,
    detail: { commit, revertedBy: reverted.commit },
  })
}

async function branchOf(
  place: LandingPlace,
  issueId: string,
  issues: string | undefined,
  project: Project,
): Promise<string> {
  const branch = issueBranch(issueId, place.sha256)
  if ((await commitOf(place, `refs/heads/${branch}`)) !== undefined) return branch
  const { memory } = await readIssueMemory(project, { issues })
  if (!memory.has(issueId)) {
    throw new Fault('usage', `issue not found: ${issueId}`, { hint: idHint(issueId, memory) })
  }
  throw new Fault('usage', `${issueId} has no work to land: there is no branch ${branch}`, {
    hint: 'premath land status lists the work that waits.',
    detail: { branch },
  })
}
