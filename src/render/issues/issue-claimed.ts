/** Renders a claim: the issue, its lease and the previous holder. */

import type { Page } from '../../answer.ts'
import type { Blocker } from '../../kernel/issues/graph/blocked.ts'
import { fenceOf, type Issue } from '../../kernel/issues/issue.ts'
import type { IssueChanged } from '../../kernel/issues/issue-change.ts'
import { specsOf } from '../../kernel/issues/issue-edit.ts'
import { visible } from '../../kernel/text/visible.ts'
import type { Lease } from '../../wire/issue/issue.ts'
import { briefOf, holderOf, leaseOf } from './issue-answer.ts'

/** Also the texts that the work needs, so that an agent need not ask for the issue again. */
export function claimedIssue(changed: IssueChanged) {
  const { issue } = changed
  const leased = leasedIssue(changed)
  if (!issue || !leased.issue) return leased
  const { description, acceptance_criteria: acceptanceCriteria } = issue
  const texts = { acceptanceCriteria, description, specs: specsOf(issue) }
  return { ...leased, issue: { ...leased.issue, ...texts } }
}

/** The issue with its lease, and the previous holder if there was one. */
export function leasedIssue({ issue, previous, alreadyHeld, blockers }: IssueChanged) {
  if (!issue) return { issue: null }
  return {
    issue: { ...briefOf(issue), ...(issue.lease && { lease: leaseOf(issue.lease, issue) }) },
    // Two workers with one name would both believe they claimed it.
    ...(alreadyHeld && { alreadyHeld }),
    ...(blockers && { blockers }),
    ...(previous && { previousHolder: holderOf(previous), reclaimed: true }),
  }
}

export function claimedPage(verb: string, changed: IssueChanged, page: Page): string {
  const { issue, previous, alreadyHeld, blockers = [] } = changed
  if (!issue?.lease) return ''
  return [
    `${page.ink('green', alreadyHeld ? 'You had claimed' : verb)} ${visible(`${issue.id}: ${issue.title}`)}`,
    ...leaseLines(issue, issue.lease, previous),
    ...waitLines(issue, issue.lease, blockers).map(line => page.ink('yellow', visible(line))),
    page.ink('dim', `  Changes need ${visible(proofWords(issue, issue.lease))}`),
    '',
  ].join('\n')
}

function leaseLines(issue: Issue, lease: Lease, previous: Lease | undefined): string[] {
  const held = `  for ${lease.owner} until ${lease.expires_at}, fence ${fenceOf(issue)}`
  if (!previous) return [visible(held)]
  const before = `  taken over from ${previous.owner}, whose lease expired at ${previous.expires_at}`
  return [visible(held), visible(before)]
}

/** The work can begin before, but the issue cannot close. */
function waitLines(issue: Issue, lease: Lease, blockers: readonly Blocker[]): string[] {
  const [first] = blockers
  if (!first) return []
  const { id } = issue
  const names = [...new Set(blockers.map(({ dependsOnId }) => dependsOnId))].join(', ')
  const type = first.type === 'blocks' ? '' : ` --type ${first.type}`
  const remove = `premath dep remove ${id} ${first.dependsOnId}${type} ${proofWords(issue, lease)}`
  return [
    `  note: ${id} waits for ${names}`,
    `  Close ${names} first, or remove the dependency: ${remove}`,
  ]
}

const proofWords = (issue: Issue, { lease_id }: Lease) =>
  `--lease-id ${lease_id} --fence ${fenceOf(issue)}`
