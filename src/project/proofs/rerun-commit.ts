/** Checks what git knows about the commit of a closed issue, before its verification runs again. */

import { treeOf } from '../../harness/landing/candidate.ts'
import { noChangeLabel } from '../../harness/landing/landing.ts'
import {
  askLanding,
  commitOf,
  isIn,
  type LandingPlace,
  landingGit,
} from '../../harness/landing/landing-git.ts'
import { issuesOf } from '../../harness/landing/revert.ts'
import { type Issue, readIssueLine } from '../../kernel/issues/issue.ts'
import { GitId } from '../../wire/primitives.ts'
import type { LandedCommit } from '../../wire/proof/proof-chain.ts'

/** Why there is nothing to run: it is no result of this issue, or this clone lacks something. */
export type Unrun = { readonly result: 'failed' | 'not_rerunnable'; readonly why: string }

const failed = (why: string): Unrun => ({ result: 'failed', why })
export const notRerunnable = (why: string): Unrun => ({ result: 'not_rerunnable', why })

const gitId = new RegExp(GitId.pattern)

/** The parent of the commit, which decides how the commit is verified. */
export async function baseOf(
  issue: Issue,
  { commit, tree, target }: LandedCommit,
  place: LandingPlace,
): Promise<string | Unrun> {
  // Git would read any other text as an option or a range.
  if (!gitId.test(commit)) return failed(`its row names ${JSON.stringify(commit)} as its commit`)
  if ((await commitOf(place, commit)) === undefined) {
    return notRerunnable(`git has no commit ${commit} here${await shallowWords(place)}`)
  }
  if ((await treeOf(place, commit)) !== tree) {
    return failed(`commit ${commit} has other files than its row says`)
  }
  const isOn = await isOnTarget(commit, target, place)
  if (!isOn) {
    const shallow = await shallowWords(place)
    const why = `commit ${commit} is not on ${target}${shallow}`
    if (shallow !== '') return notRerunnable(why)
    if (await hasBranch(target, place)) return failed(why)
  }
  const base = await commitOf(place, `${commit}^`)
  if (base === undefined) {
    return notRerunnable(`commit ${commit} has no parent here${await shallowWords(place)}`)
  }
  const other = await otherWork(issue, { commit, base }, place)
  if (other || isOn) return other ?? base
  return notRerunnable(
    `commit ${commit} landed on ${target}, a branch that is gone here. Fetch the branch, or open the issue and name the commit that has its work now: premath reopen ${issue.id}, then premath land ${issue.id} --as <commit>`,
  )
}

/** The branch itself, the copy of a remote, or whatever is checked out, as in CI. */
async function isOnTarget(commit: string, target: string, place: LandingPlace): Promise<boolean> {
  const format = ['for-each-ref', '--format=%(refname)', '--contains', commit]
  const { stdout } = await askLanding(place, place.top, format)
  return (
    stdout.split('\n').some(ref => isBranch(ref, target)) || (await isIn(place, commit, 'HEAD'))
  )
}

/**
 * True if the branch is here, or was never a name that git takes. A branch is deleted after its work was
 * squashed or rebased into another one, so nothing says that the work is missing.
 */
async function hasBranch(target: string, place: LandingPlace): Promise<boolean> {
  const isName = await askLanding(place, place.top, ['check-ref-format', '--branch', target])
  if (isName.exitCode !== 0) return true
  const { stdout } = await askLanding(place, place.top, ['for-each-ref', '--format=%(refname)'])
  return stdout.split('\n').some(ref => isBranch(ref, target))
}

const isBranch = (ref: string, target: string) =>
  ref === `refs/heads/${target}` || /^refs\/remotes\/[^/]+\//.exec(ref)?.[0] + target === ref

/** A commit that closes an issue has its work, unless the issue needs none. */
async function otherWork(
  { id, labels }: Issue,
  { commit, base }: { readonly commit: string; readonly base: string },
  place: LandingPlace,
): Promise<Unrun | undefined> {
  if (labels.includes(noChangeLabel)) return undefined
  const memory = `:(top,exclude)${place.prefix}.premath`
  const changes = ['diff', '--quiet', base, commit, '--', ':(top)', memory]
  if ((await askLanding(place, place.top, changes)).exitCode === 0) {
    return failed(`commit ${commit} changes no file`)
  }
  const named = await issuesOf(place, commit)
  if (named.length === 0 || named.includes(id)) return undefined
  return failed(`commit ${commit} is the work of ${named.join(', ')}`)
}

async function shallowWords(place: LandingPlace): Promise<string> {
  const { stdout } = await askLanding(place, place.top, ['rev-parse', '--is-shallow-repository'])
  return stdout.trim() === 'true'
    ? ': this clone is shallow, and git fetch --unshallow completes it'
    : ''
}

/** Commits that are read of the history of one issue. */
const rowsReadMax = 50

/**
 * The commit that has an issue in another state than closed, for an issue whose row says that it was
 * imported closed. Whoever writes that row can write the event log too, and git keeps both.
 */
export async function openInHistory(id: string, place: LandingPlace): Promise<string | undefined> {
  const path = `${place.prefix}.premath/issues.jsonl`
  // Only commits that add or remove a row of the issue.
  const row = `-S"id":${JSON.stringify(id)}`
  const asked = [
    'log',
    '--format=%H',
    '--no-renames',
    `--max-count=${rowsReadMax}`,
    row,
    '--',
    path,
  ]
  const commits = await landingGit(place, place.top, asked)
  for (const commit of commits.split('\n').filter(line => line !== '')) {
    const { exitCode, stdout } = await askLanding(place, place.top, ['show', `${commit}:${path}`])
    const lines = exitCode === 0 ? stdout.split('\n') : []
    const rows = lines.map(line => (line.startsWith('{') ? readIssueLine(line) : undefined))
    const isOpen = rows.some(one => one && 'id' in one && one.id === id && one.status !== 'closed')
    if (isOpen) return commit
  }
  return undefined
}
