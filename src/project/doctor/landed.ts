/** Finds closed issues whose commit is no longer on the target: somebody rewrote the branch. */
import { askGit, listBytesMax, printed } from '../../harness/worktree/git.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { landedOf } from '../../kernel/proof/proof-chain.ts'
import { counted } from '../../kernel/text/counted.ts'
import { GitId } from '../../wire/primitives.ts'
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
  const why = 'It is not known whether the work of closed issues is still on its target.'
  const looked = await faultAsFinding('landed', () => findingsOf(byTarget, project), why)
  return 'found' in looked ? looked.found : { checks: ['landed'], findings: looked.value }
}

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
  for (const [target, issues] of byTarget) {
    const lacking = await missingFrom(target, issues, project)
    found.push(...lacking.slice(0, shownMax).map(issue => rewritten(issue, target)))
    if (lacking.length > shownMax) found.push(more(lacking.length - shownMax, target))
  }
  return found
}

/** Those whose commit git has, and the target lacks, also as a commit with the same changes. Without the branch there is nothing to say. */
async function missingFrom(
  target: string,
  issues: readonly LandedIssue[],
  { root, env, processes, disk }: Project,
): Promise<readonly LandedIssue[]> {
  const place = { root, env, processes: await processes(), disk: await disk() }
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options']
  const head = await askGit(place, root, [...asked, `refs/heads/${target}^{commit}`])
  if (head.exitCode !== 0) return []
  // Git prints what the commits have and the target lacks: mostly nothing.
  const args = ['rev-list', '--ignore-missing', '--stdin']
  const stdin = [`^${head.stdout.trim()}`, ...issues.map(({ commit }) => commit), ''].join('\n')
  // A partial clone would ask its remote for commits that are missing.
  const options = { stdin, bytesMax: listBytesMax, env: { GIT_NO_LAZY_FETCH: '1' } }
  const listed = printed(await askGit(place, root, args, options), root, args)
  const listedIds = new Set(listed.split('\n'))
  const lacking = issues.filter(({ commit }) => listedIds.has(commit))
  // Somebody who rewrote thousands of commits need not wait for a comparison of each.
  if (lacking.length > shownMax) return lacking
  const isThere = await Promise.all(
    lacking.map(async ({ commit }) => {
      const compared = ['cherry', head.stdout.trim(), commit, `${commit}^`]
      return (await askGit(place, root, compared)).stdout.startsWith('- ')
    }),
  )
  return lacking.filter((_, number) => !isThere[number])
}

const why = 'The issue is closed, and its work may be gone from the branch.'

const rewritten = ({ id, commit }: LandedIssue, target: string) =>
  finding(
    'landed',
    `${id} landed as ${commit}, which ${target} no longer has`,
    why,
    `If ${target} lacks the work, run git cherry-pick ${commit.slice(0, 12)} on it, or open the issue again: premath issue update ${id} --status open.`,
  )

const more = (count: number, target: string) =>
  finding(
    'landed',
    `${target} lacks the commits of ${counted(count, 'more issue')}`,
    'They are closed, and their work may be gone from the branch.',
    `git reflog ${target} shows when the branch was rewritten.`,
  )
