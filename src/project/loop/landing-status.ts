/** Work that is done or begun and not on the target yet. */
import {
  isIn,
  type LandingPlace,
  landingGit,
  openLanding,
} from '../../harness/landing/landing-git.ts'
import { type Target, targetIfAny } from '../../harness/landing/target.ts'
import { protectedClass, reviewClass } from '../../kernel/harness/step/step-decision.ts'
import { allowancesOf } from '../../kernel/issues/allowances.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { landingOf } from '../../kernel/issues/landing/landing-state.ts'
import { branchFolder, issueBranch } from '../../kernel/landing/landing-refs.ts'
import { lastFailureOf } from '../issues/last-failure.ts'
import type { Project } from '../open.ts'

export interface Unlanded {
  readonly issueId: string
  readonly title: string
  readonly status: string
  /**
   * `landing`: its commit is about to be on the target. `reverting`: a commit that takes its work back
   * is. `working`: somebody holds the issue. `in_review`: its work is verified, and a person merges it.
   * `waiting`: its work is on its branch, and nobody lands it. `queued`: its holder asked for its
   * close.
   */
  readonly state: 'landing' | 'reverting' | 'working' | 'in_review' | 'waiting' | 'queued'
  readonly branch: string
  /** The last commit of the branch, or the one that lands. */
  readonly commit: string | null
  /** Commits that the target lacks. */
  readonly commits: number
  /** True if the work changed files that nobody allowed it to change, so that it cannot land. */
  readonly isProtected: boolean
}

/** In the order of their ids. */
export async function unlandedWork(
  memory: IssueMemory,
  target: string,
  project: Project,
): Promise<readonly Unlanded[]> {
  const place = await landingPlaceOf(project)
  const tips = await tipsOf(place)
  const found: Unlanded[] = []
  for (const issue of memory.all()) {
    if (issue.status === 'closed') continue
    const branch = issueBranch(issue.id, place.sha256)
    const tip = tips.get(branch)
    const plan = landingOf(issue)
    if (!plan && (tip === undefined || (await isIn(place, tip, target)))) continue
    const { id: issueId, title, status } = issue
    const range = ['rev-list', '--count', `${target}..${tip}`]
    const state = plan ? (plan.revert ? 'reverting' : 'landing') : stateOf(issue)
    found.push({
      issueId,
      title,
      status,
      state,
      isProtected: state === 'waiting' && (await isProtected(issue, project)),
      branch,
      commit: plan?.commit ?? tip ?? null,
      commits: tip === undefined ? 0 : Number(await landingGit(place, place.top, range)),
    })
  }
  return found
}

/** The same for the target of the project; `undefined` where work cannot land. */
export async function unlandedIfAny(
  memory: IssueMemory,
  project: Project,
): Promise<readonly Unlanded[] | undefined> {
  const target = await landingTargetOf(project)
  return target && (await unlandedWork(memory, target.ref, project))
}

/** The branch on which work lands now; `undefined` where none can. */
export async function landingTargetOf(project: Project): Promise<Target | undefined> {
  if (!(await project.isInRepository())) return undefined
  const { config } = await project.config()
  return await targetIfAny(await landingPlaceOf(project), config.onto)
}

/** The command that lands it, or who does. */
export function nextOf({ state, issueId, isProtected }: Unlanded): string {
  switch (state) {
    case 'landing':
    case 'reverting':
      return 'premath run finishes it'
    case 'working':
      return 'somebody works on it'
    case 'in_review':
      return 'merge the branch; premath run closes it'
    case 'waiting':
      return isProtected
        ? `changed protected files: premath show ${issueId}`
        : `premath land ${issueId}`
    case 'queued':
      return 'an MCP server closes it, or premath land'
  }
}

/** An allowance that a person gave since may cover them. */
async function isProtected(issue: Issue, project: Project): Promise<boolean> {
  if (allowancesOf(issue).mayChange.length > 0) return false
  const failure = await lastFailureOf(issue, project)
  return failure?.failureClasses.includes(protectedClass) === true
}

function stateOf({ lease, status }: Issue): Unlanded['state'] {
  if (lease) return 'working'
  return status === reviewClass ? reviewClass : 'waiting'
}

/** The branches of issues, with their last commits. */
async function tipsOf(place: LandingPlace): Promise<ReadonlyMap<string, string>> {
  const format = '--format=%(refname:lstrip=2)%09%(objectname)'
  const text = await landingGit(place, place.top, [
    'for-each-ref',
    format,
    `refs/heads/${branchFolder}/`,
  ])
  const lines = text.split('\n').filter(line => line !== '')
  return new Map(lines.map(line => line.split('\t') as [string, string]))
}

export async function landingPlaceOf(project: Project): Promise<LandingPlace> {
  const { root, env, sha256, clock } = project
  const [disk, processes] = await Promise.all([project.disk(), project.processes()])
  return await openLanding({ root, env, sha256, clock, disk, processes }, { hooks: false })
}
