/**
 * Reads what judges the work of an agent from the commit of the target branch. The target may lack
 * `.premath/`; then its settings and the row of the issue are those on disk.
 */
import { askLanding, commitOf, type LandingPlace } from '../../harness/landing/landing-git.ts'
import { type Target, targetIfAny } from '../../harness/landing/target.ts'
import { JsoncFlaw } from '../../kernel/config/jsonc.ts'
import { configFault, readConfig } from '../../kernel/config/read-config.ts'
import { configInForce } from '../../kernel/config/settings.ts'
import { allowancesOf, withAllowances } from '../../kernel/issues/allowances.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { specsOf } from '../../kernel/issues/issue-edit.ts'
import { type IssueRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import { instantOf, seconds } from '../../kernel/timestamp.ts'
import { readRows, rowsStart } from '../../store/issue-rows.ts'
import { type Config, configPath } from '../../wire/config/config.ts'
import { landingPlaceOf } from '../loop/landing-status.ts'
import { type Project, projectAt } from '../open.ts'
import { defaultIssuesPath } from '../open-issues.ts'

export interface Judging {
  /** `undefined` without git, where no commit can hold anything. */
  readonly commit: string | undefined
  /** The branch that the commit is the head of. */
  readonly target?: Target | undefined
  readonly config: Config
  /** With the allowances that count. */
  readonly issue: Issue
}

export async function judgingOf(issue: Issue, project: Project): Promise<Judging | IssueRefusal> {
  // The environment is the agent's.
  const { config } = await projectAt(project.root, { ...project, env: {} }).config()
  if (!(await project.isInRepository())) return { commit: undefined, config, issue }
  const place = await landingPlaceOf(project)
  if ((await commitOf(place, 'HEAD')) === undefined) return nothingCommitted(issue)
  const onto = (await ontoIn(place, config)) ?? (await branchAtClaim(place, issue))
  const target = await targetIfAny(place, onto)
  const commit = target && (await commitOf(place, target.ref))
  if (target === undefined || commit === undefined) return noTarget(issue, onto)
  const text = await textAt(place, commit, configPath)
  if (text !== undefined) {
    return await withRowAt(place, { commit, target, config: configIn(text), issue })
  }
  const isOnDisk = (await project.files.kindOf(project.at(configPath))) !== undefined
  if (isOnDisk && (await holdsMemory(place, commit))) return uncommitted(issue, target.branch)
  return await withRowAt(place, { commit, target, config, issue })
}

/** The setting is on disk, where the work can edit it; a committed one counts instead. */
async function ontoIn(place: LandingPlace, { onto }: Config): Promise<string | undefined> {
  const own = await textAt(place, 'HEAD', configPath)
  return own === undefined ? onto : configIn(own).onto
}

/**
 * The branch that was checked out when the issue was claimed, if another one was checked out since.
 * An agent that begins a branch for its work must not choose by that what judges the work.
 */
async function branchAtClaim(place: LandingPlace, { lease }: Issue): Promise<string | undefined> {
  const claimed = lease && instantOf(lease.acquired_at)
  if (claimed === undefined) return undefined
  const asked = ['reflog', '--date=unix', '--format=%gd %gs', 'HEAD']
  const { stdout } = await askLanding(place, place.top, asked)
  const moves = stdout.split('\n').flatMap(line => {
    const [, at, from] = /^HEAD@\{(\d+)\} checkout: moving from (\S+) to \S+$/.exec(line) ?? []
    return at !== undefined && from !== undefined && seconds(Number(at)) > claimed ? [from] : []
  })
  const first = moves.at(-1)
  const isBranch = first !== undefined && (await commitOf(place, `refs/heads/${first}`))
  return isBranch ? first : undefined
}

function configIn(text: string): Config {
  const file = readConfig(text)
  if (file instanceof JsoncFlaw) throw configFault(file)
  return configInForce(file, {}).config
}

async function textAt(
  place: LandingPlace,
  commit: string,
  path: string,
): Promise<string | undefined> {
  const asked = ['cat-file', 'blob', `${commit}:${place.prefix}${path}`]
  const { exitCode, stdout } = await askLanding(place, place.top, asked)
  return exitCode === 0 ? stdout : undefined
}

async function holdsMemory(place: LandingPlace, commit: string): Promise<boolean> {
  const asked = ['ls-tree', '--name-only', commit, `${place.prefix}.premath/`]
  return (await askLanding(place, place.top, asked)).stdout !== ''
}

/** The row on the target decides about specs and allowances, if there is one. */
async function withRowAt(
  place: LandingPlace,
  judging: Judging & { readonly commit: string; readonly target: Target },
): Promise<Judging | IssueRefusal> {
  const { issue, commit, target } = judging
  const row = rowIn((await textAt(place, commit, defaultIssuesPath)) ?? '', issue.id)
  if (row === undefined) return judging
  if (specsOf(row).join('\n') !== specsOf(issue).join('\n')) {
    const why = `${issue.id} names other specs than on ${target.branch}`
    const remedy = `Let a person commit ${defaultIssuesPath}, or close ${issue.id}.`
    return refuse('close_specs_changed', why, remedy)
  }
  const metadata = withAllowances(
    { ...issue, metadata: withAllowances(issue, { mayChange: [''] }) },
    allowancesOf(row),
  )
  return { ...judging, issue: { ...issue, metadata } }
}

function rowIn(text: string, id: string): Issue | undefined {
  let found: Issue | undefined
  readRows(new TextEncoder().encode(text), rowsStart, defaultIssuesPath, ({ issue }) => {
    if (issue.id === id) found = issue
  })
  return found
}

const nothingCommitted = ({ id }: Issue) =>
  refuse(
    'close_proof_missing',
    `no commit holds what judges ${id}, so an agent could have written it`,
    'Commit the project first: git add --all && git commit. Or let a person close it.',
  )

const noTarget = ({ id }: Issue, onto: string | undefined) =>
  refuse(
    'close_proof_missing',
    onto === undefined
      ? `no branch is checked out, so no commit judges ${id}`
      : `there is no branch ${onto}, so no commit judges ${id}`,
    'Let a person name the branch that judges work: premath config set onto <branch>. Then commit .premath/config.json, if git has it.',
  )

const uncommitted = ({ id }: Issue, branch: string) =>
  refuse(
    'close_proof_missing',
    `${branch} has no ${configPath}, so an agent could have written the settings that judge ${id}`,
    `Let a person commit ${configPath}, or close ${id}.`,
  )
