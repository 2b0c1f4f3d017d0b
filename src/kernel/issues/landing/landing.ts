/**
 * Decides the rows of a landing. It begins under the lease, with the proof of the close. It ends when
 * the commit is on the target, and then needs no lease: the target has moved, whoever asks.
 */
import { GitId } from '../../../wire/primitives.ts'
import { type CloseProof, unproven } from '../../proof/close-proof.ts'
import { Landed } from '../../proof/landed.ts'
import { landedOf } from '../../proof/proof-chain.ts'
import { trim } from '../../text/clean.ts'
import { closeRecord } from '../close-record.ts'
import type { Issue } from '../issue.ts'
import { changeTime, stamped, withStatus } from '../issue-edit.ts'
import type { IssueMemory } from '../issue-memory.ts'
import { withMetadata } from '../issue-metadata.ts'
import { type IssueRefusal, isRefusal, issueNotFound, refuse } from '../issue-refusal.ts'
import { checkLeased } from '../lease.ts'
import {
  type Landing,
  type LandingPlan,
  landingOf,
  landingRefusal,
  withoutLanding,
} from './landing-state.ts'
import { closedAgain, finishRevert, revertedOf } from './revert.ts'

interface LandingChanged {
  readonly rows: readonly Issue[]
  readonly issue: Issue
}

/** The caller has shown that it holds the lease, if there is one. */
export function beginLanding(
  memory: IssueMemory,
  id: string,
  { landing, done }: { readonly landing: LandingPlan; readonly done: CloseProof },
  now: bigint,
): LandingChanged | IssueRefusal {
  const issue = memory.get(id)
  if (!issue) return issueNotFound(id)
  const begun = landingOf(issue)
  if (begun && isSamePlan(begun, landing)) return { rows: [], issue }
  const close = landingRefusal(issue) ?? checkLeased(issue, now) ?? closeRecord(issue, done)
  if (isRefusal(close)) return close
  const refused = planRefusal(landing) ?? otherCommit(landing, done) ?? takenBack(issue, landing)
  if (refused) return refused
  const { commit, base, tree, target } = landing
  const premathLanding = {
    commit,
    base,
    tree,
    target,
    close: { ...close, commit, tree, target },
    closedAt: changeTime(issue, now),
  }
  const metadata = withMetadata(issue, { premathLanding })
  const begins = { ...stamped(issue, now), status: 'in_progress', metadata }
  return { rows: [begins], issue: begins }
}

/** Closes the issue. A landing that was finished before is a valid answer. */
export function finishLanding(
  memory: IssueMemory,
  id: string,
  landed: Landed,
  now: bigint,
): LandingChanged | IssueRefusal {
  const issue = memory.get(id)
  if (!issue) return issueNotFound(id)
  if (!Landed.isIssued(landed) || landed.issueId !== id) return unproven(id)
  const landing = landingOf(issue)
  if (!landing && isFinished(issue, landed)) return { rows: [], issue }
  if (landing?.commit !== landed.commit || landing.target !== landed.target) {
    return notLanding(id, landed.commit, landing)
  }
  const { close, closedAt } = landing
  if (landing.revert) return finishRevert(issue, landing, now)
  const ended = withStatus(withoutLanding(stamped(issue, now)), 'closed', now)
  const metadata = withMetadata(ended, { premathClose: close })
  const closed = { ...ended, closed_at: closedAt, metadata }
  return { rows: [closed], issue: closed }
}

/**
 * The commit did not land: takes the issue back to where the landing began, under its lease. An
 * issue whose revert did not land is closed as before.
 */
export function undoLanding(
  memory: IssueMemory,
  id: string,
  commit: string,
  now: bigint,
): LandingChanged | IssueRefusal {
  const issue = memory.get(id)
  if (!issue) return issueNotFound(id)
  const landing = landingOf(issue)
  if (!landing && issue.status !== 'closed') return { rows: [], issue }
  if (landing?.commit !== commit) return notLanding(id, commit, landing)
  const back = landing.revert
    ? closedAgain(issue, landing, now)
    : withoutLanding(stamped(issue, now))
  return { rows: [back], issue: back }
}

export const isSamePlan = (a: LandingPlan, b: LandingPlan) =>
  a.commit === b.commit && a.base === b.base && a.tree === b.tree && a.target === b.target

function isFinished(issue: Issue, { commit, target }: Landed): boolean {
  const ended = issue.status === 'closed' ? landedOf(issue) : revertedOf(issue)
  return ended?.commit === commit && ended.target === target
}

const gitId = new RegExp(GitId.pattern)

/** The proof repeats these members, and a proof of another form would not be read again. */
export function planRefusal({ commit, base, tree, target }: LandingPlan): IssueRefusal | undefined {
  const bad = [commit, base, tree].find(id => !gitId.test(id))
  if (bad === undefined && trim(target) !== '') return undefined
  const diagnostic =
    bad === undefined ? 'the target is blank' : `${JSON.stringify(bad)} is not a full git id`
  return refuse('landing_invalid', diagnostic, 'git rev-parse prints the id of a commit or a tree.')
}

/** A verification that names its commit is about that commit alone. */
function otherCommit(landing: LandingPlan, done: CloseProof): IssueRefusal | undefined {
  const { commit = landing.commit, gitTree = landing.tree } = done
  if (commit === landing.commit && gitTree === landing.tree) return undefined
  return refuse(
    'close_proof_stale',
    `the verification ran on commit ${commit}, not on ${landing.commit}`,
    'Verify the commit that lands.',
  )
}

/** The target contains a reverted commit for ever, and none of its work. */
function takenBack(issue: Issue, { commit }: LandingPlan): IssueRefusal | undefined {
  const reverted = revertedOf(issue)
  if (reverted?.landed !== commit) return undefined
  return refuse(
    'landing_reverted',
    `commit ${commit} was reverted by ${reverted.commit}, so it cannot close ${issue.id}`,
    `Do the work of ${issue.id} again, or name a later commit that has it.`,
  )
}

function notLanding(id: string, commit: string, other: Landing | undefined): IssueRefusal {
  const instead = other ? `: it is landing ${other.commit} on ${other.target}` : ''
  const diagnostic = `${id} is not landing ${commit}${instead}`
  return refuse('landing_not_found', diagnostic, `premath issue show ${id} shows its state.`)
}
