/**
 * Work of closed issues that the target of a run lacks: it landed on another branch, or somebody
 * rewrote the target. An issue whose blocker is among them would begin without that work.
 */
import { shortList } from '../harness/run/remaining-work.ts'
import type { IssueMemory } from '../issues/issue-memory.ts'
import { blockersOf } from '../issues/issue-memory.ts'
import { landedOf } from '../proof/proof-chain.ts'

type Issues = Pick<IssueMemory, 'get'>

export interface LackingWork {
  readonly id: string
  readonly commit: string
  /** The branch on which it landed. */
  readonly target: string
  /** True if nobody has that branch any more. */
  readonly isGone: boolean
}

/** The work that a branch lacked when somebody looked. */
export interface TargetLack {
  readonly branch: string
  readonly work: readonly LackingWork[]
}

/** An open issue that a run must not claim, and why. */
export interface WaitingIssue {
  readonly id: string
  readonly blocker: LackingWork
}

/** Costs nothing where the target has all work. An issue that landed again since is not waited for. */
export function waitingIssues(memory: IssueMemory, { work }: TargetLack): readonly WaitingIssue[] {
  return stillLacking(memory, work).flatMap(blocker =>
    memory
      .dependentsOf(blocker.id)
      .filter(one => one.status !== 'closed' && blockersOf(one).includes(blocker.id))
      .map(({ id }) => ({ id, blocker })),
  )
}

/** Work that is on no branch. Work on another branch is only elsewhere. */
export const lostWork = (memory: Issues, { branch, work }: TargetLack) =>
  stillLacking(memory, work).filter(one => isLostOn(branch, one))

export const isLostOn = (branch: string, { target, isGone }: LackingWork) =>
  isGone || target === branch

const stillLacking = (memory: Issues, work: readonly LackingWork[]) =>
  work.filter(({ id, commit }) => {
    const issue = memory.get(id)
    return issue !== undefined && landedOf(issue)?.commit === commit
  })

export function waitWords({ id, blocker }: WaitingIssue, branch: string): string {
  const { target, commit, id: blockerId } = blocker
  return target === branch
    ? `${id} waits for ${blockerId}, which landed as ${commit.slice(0, 9)}, and ${branch} lacks that commit`
    : `${id} waits for ${blockerId}, which landed on ${target}, not on ${branch}`
}

export function nextOfWaiting({ blocker }: WaitingIssue, branch: string): string {
  const { id, target, commit, isGone } = blocker
  const take =
    isGone || target === branch
      ? `Take its commit over to ${branch}: git cherry-pick ${commit.slice(0, 12)}.`
      : `Merge ${target} into ${branch}: git merge ${target}.`
  return `${take} Or have its work done again: premath reopen ${id}.`
}

export function lostWords(ids: readonly string[], branch: string): string {
  const [count, its] =
    ids.length === 1 ? ['1 issue is', 'its'] : [`${ids.length} issues are`, 'their']
  return `${count} closed, but ${branch} lacks ${its} work: ${shortList(ids)}`
}

export const nextOfLost = 'premath doctor says what to do about them'
