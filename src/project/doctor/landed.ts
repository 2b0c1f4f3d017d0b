/** Finds closed issues whose commit is not on the target: somebody rewrote the branch, or deleted it. */
import { targetIfAny } from '../../harness/landing/target.ts'
import { askGit, listBytesMax, printed } from '../../harness/worktree/git.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import type { LackingWork } from '../../kernel/landing/lacking-work.ts'
import { landedOf } from '../../kernel/proof/proof-chain.ts'
import { counted } from '../../kernel/text/counted.ts'
import { GitId } from '../../wire/primitives.ts'
import { landingPlaceOf } from '../loop/landing-status.ts'
import type { Project } from '../open.ts'
import { type DoctorFinding, type Examined, faultAsFinding, finding } from './finding.ts'

interface LandedIssue {
  readonly id: string
  readonly commit: string
}

/** A rewritten branch may lack thousands. */
const shownMax = 20

/** Runs git only where an issue has landed. */
export async function examineLanded(memory: IssueMemory, project: Project): Promise<Examined> {
  const byTarget = landedIssues(memory)
  if (byTarget.size === 0) return { checks: [], findings: [] }
  const looked = await faultAsFinding('landed', () => findingsOf(byTarget, project), unknown)
  return 'found' in looked ? looked.found : { checks: ['landed'], findings: looked.value }
}

const unknown = 'It is not known whether the work of closed issues is still on its target.'

const gitId = new RegExp(GitId.pattern)

function landedIssues(memory: IssueMemory): ReadonlyMap<string, readonly LandedIssue[]> {
  const byTarget = new Map<string, LandedIssue[]>()
  for (const issue of memory.all()) {
    const { commit = '', target = '' } = landedOf(issue) ?? {}
    // Git would read any other text as an option or a range.
    if (!gitId.test(commit)) continue
    const issues = byTarget.get(target) ?? []
    byTarget.set(target, issues)
    issues.push({ id: issue.id, commit })
  }
  return byTarget
}

async function findingsOf(
  byTarget: ReadonlyMap<string, readonly LandedIssue[]>,
  project: Project,
): Promise<readonly DoctorFinding[]> {
  const found: DoctorFinding[] = []
  for (const { lacking, target, gone } of await lostWork(byTarget, project)) {
    found.push(
      ...lacking
        .slice(0, shownMax)
        .map(issue => (gone === undefined ? rewritten(issue, target) : left(issue, target, gone))),
    )
    if (lacking.length > shownMax) found.push(more(lacking.length - shownMax, target))
  }
  return found
}

interface LostWork {
  readonly lacking: readonly LandedIssue[]
  /** The branch that lacks them. */
  readonly target: string
  /** The branch on which they landed, if it is gone. */
  readonly gone?: string
}

/** Work of closed issues that a branch lacks: their target, or the present one if theirs is gone. */
async function lostWork(
  byTarget: ReadonlyMap<string, readonly LandedIssue[]>,
  project: Project,
): Promise<readonly LostWork[]> {
  const git = await gitOf(project)
  const lost: LostWork[] = []
  let named: ReadonlySet<string> | undefined
  for (const [recorded, issues] of byTarget) {
    const head = await commitAt(`refs/heads/${recorded}`, git)
    if (head !== undefined) {
      lost.push({ lacking: await missingFrom(head, issues, git), target: recorded })
      continue
    }
    const present = await presentTarget(recorded, git, project)
    if (present === undefined) continue
    // A squash takes the work over as another commit.
    named ??= await namedOn(present.head, git)
    const unnamed = issues.filter(({ id }) => !named?.has(id))
    const missing = await missingFrom(present.head, unnamed, git)
    const lacking = await withoutSameFiles(missing, present.head, git)
    lost.push({ lacking, target: present.branch, gone: recorded })
  }
  return lost
}

/** Closed issues whose commit this branch lacks, wherever they landed. Runs git only where an issue has. */
export async function lackingOn(
  branch: string,
  memory: IssueMemory,
  project: Project,
): Promise<readonly LackingWork[]> {
  const byTarget = landedIssues(memory)
  if (byTarget.size === 0) return []
  // The doctor reports why git cannot say it. A run goes on.
  const looked = await faultAsFinding(
    'landed',
    () => lackingWork(branch, byTarget, project),
    unknown,
  )
  return 'found' in looked ? [] : looked.value
}

async function lackingWork(
  branch: string,
  byTarget: ReadonlyMap<string, readonly LandedIssue[]>,
  project: Project,
): Promise<readonly LackingWork[]> {
  const git = await gitOf(project)
  const head = await commitAt(`refs/heads/${branch}`, git)
  if (head === undefined) return []
  const landed = [...byTarget].flatMap(([target, issues]) =>
    issues.map(issue => ({ ...issue, target })),
  )
  const missing = await missingFrom(head, landed, git)
  if (missing.length === 0) return []
  const named = await namedOn(head, git)
  const lacking = await withoutSameFiles(
    missing.filter(({ id }) => !named.has(id)),
    head,
    git,
  )
  const branches = await branchesOf(git)
  return lacking.map(work => ({ ...work, isGone: !branches.has(work.target) }))
}

/** Here and, as of the last fetch, elsewhere. */
async function branchesOf(git: Git): Promise<ReadonlySet<string>> {
  const [here, elsewhere] = await Promise.all([
    askGit(git, git.root, ['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/']),
    askGit(git, git.root, ['for-each-ref', '--format=%(refname:lstrip=3)', 'refs/remotes/']),
  ])
  return new Set([here, elsewhere].flatMap(({ stdout }) => stdout.split('\n')))
}

/** Without those whose files the branch has as they left them, because a squash took them over. */
async function withoutSameFiles<Landed extends LandedIssue>(
  missing: readonly Landed[],
  head: string,
  git: Git,
): Promise<readonly Landed[]> {
  const isThere = await Promise.all(missing.slice(0, shownMax).map(one => hasFiles(one, head, git)))
  return missing.filter((_, number) => isThere[number] !== true)
}

async function gitOf(project: Project): Promise<Git> {
  const { root, env } = project
  return { root, env, processes: await project.processes(), disk: await project.disk() }
}

type Git = Pick<Project, 'root' | 'env'> & {
  readonly processes: Awaited<ReturnType<Project['processes']>>
  readonly disk: Awaited<ReturnType<Project['disk']>>
}

async function commitAt(ref: string, git: Git): Promise<string | undefined> {
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]
  const { exitCode, stdout } = await askGit(git, git.root, asked)
  return exitCode === 0 ? stdout.trim() : undefined
}

/** The branch on which work lands now. `undefined` if a remote still has the recorded one. */
async function presentTarget(
  recorded: string,
  git: Git,
  project: Project,
): Promise<{ readonly branch: string; readonly head: string } | undefined> {
  const listed = ['for-each-ref', '--format=%(refname:lstrip=3)', 'refs/remotes/']
  const { exitCode, stdout } = await askGit(git, git.root, listed)
  if (exitCode !== 0 || stdout.split('\n').includes(recorded)) return undefined
  const { config } = await project.config()
  const target = await targetIfAny(await landingPlaceOf(project), config.onto)
  const head = target && (await commitAt(target.ref, git))
  return target && head !== undefined ? { branch: target.branch, head } : undefined
}

/** Those whose commit git has, and the branch lacks, also as a commit with the same changes. */
async function missingFrom<Landed extends LandedIssue>(
  head: string,
  issues: readonly Landed[],
  git: Git,
): Promise<readonly Landed[]> {
  // Git prints what the commits have and the target lacks: mostly nothing.
  const args = ['rev-list', '--ignore-missing', '--stdin']
  const stdin = [`^${head}`, ...issues.map(({ commit }) => commit), ''].join('\n')
  // A partial clone would ask its remote for commits that are missing.
  const options = { stdin, bytesMax: listBytesMax, env: { GIT_NO_LAZY_FETCH: '1' } }
  const listed = printed(await askGit(git, git.root, args, options), git.root, args)
  const listedIds = new Set(listed.split('\n'))
  const lacking = issues.filter(({ commit }) => listedIds.has(commit))
  // Somebody who rewrote thousands of commits need not wait for a comparison of each.
  if (lacking.length > shownMax) return lacking
  const isThere = await Promise.all(
    lacking.map(async ({ commit }) => {
      const compared = ['cherry', head, commit, `${commit}^`]
      return (await askGit(git, git.root, compared)).stdout.startsWith('- ')
    }),
  )
  return lacking.filter((_, number) => !isThere[number])
}

/** Issues that a commit of the branch names in a trailer, also in the message of a squash. */
async function namedOn(head: string, git: Git): Promise<ReadonlySet<string>> {
  const trailer = 'Premath-Issue: '
  const args = ['log', '--format=%B', '--fixed-strings', `--grep=${trailer}`, head]
  const { stdout } = await askGit(git, git.root, args, { bytesMax: listBytesMax })
  const lines = stdout.split('\n').map(line => line.trim())
  return new Set(
    lines.filter(line => line.startsWith(trailer)).map(line => line.slice(trailer.length)),
  )
}

/** True if the files of the commit are on the branch as it left them. */
async function hasFiles({ commit }: LandedIssue, head: string, git: Git): Promise<boolean> {
  const differing = async (from: string, to: string) => {
    const asked = ['diff', '--no-renames', '--name-only', '-z', from, to]
    const { exitCode, stdout } = await askGit(git, git.root, asked, { bytesMax: listBytesMax })
    return exitCode === 0 ? stdout.split('\0').filter(path => path !== '') : undefined
  }
  const [changed, others] = [await differing(`${commit}^`, commit), await differing(commit, head)]
  if (changed === undefined || others === undefined) return false
  return changed.every(path => !others.includes(path))
}

const why = 'The issue is closed, and its work may be gone from the branch.'

const rewritten = ({ id, commit }: LandedIssue, target: string) =>
  finding(
    'landed',
    `${id} landed as ${commit}, which ${target} no longer has`,
    why,
    `If ${target} lacks the work, run git cherry-pick ${commit.slice(0, 12)} on it, or open the issue again: premath issue update ${id} --status open.`,
  )

const left = ({ id, commit }: LandedIssue, target: string, gone: string) => {
  const found = rewritten({ id, commit }, target)
  const what = `${notOnWords({ id, commit }, target)}: ${gone}, on which it landed, is gone`
  return { ...found, what }
}

export const notOnWords = ({ id, commit }: LandedIssue, target: string) =>
  `${id} is closed, but its commit ${commit.slice(0, 9)} is not on ${target}`

const more = (count: number, target: string) =>
  finding(
    'landed',
    `${target} lacks the commits of ${counted(count, 'more issue')}`,
    'They are closed, and their work may be gone from the branch.',
    `git reflog ${target} shows when the branch was rewritten.`,
  )
