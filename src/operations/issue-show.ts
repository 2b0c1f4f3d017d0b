import { type Blocker, openBlockersOf } from '../kernel/work/blocked.ts'
import { fenceOf, type Issue } from '../kernel/work/issue.ts'
import { specsOf } from '../kernel/work/issue-edit.ts'
import type { IssueMemory } from '../kernel/work/issue-memory.ts'
import { issueNotFound } from '../kernel/work/issue-refusal.ts'
import { isContended, leaseStateAt } from '../kernel/work/lease-state.ts'
import { briefOf, leaseOf, rejected } from './issue-answer.ts'
import { askIssues } from './issue-door.ts'
import { idField, memoryFields } from './issue-fields.ts'
import { issuePage } from './issue-page.ts'
import { operation } from './operation.ts'

export const issueShow = operation({
  group: 'issue',
  summary: 'Show all there is to know about an issue.',
  description:
    'Its texts, its lease with state and fence, what it waits for and what waits for it. Exits 1 when there is no such issue.',
  effect: 'read',
  input: { ...idField, ...memoryFields },
  examples: [{ command: 'premath issue show bd-1', shows: 'the issue, its lease and its edges' }],

  async run({ id, issues }, context) {
    const { issuesPath, memory, now, talk } = await askIssues(context, { issues })
    const action = 'issue.show'
    const found = memory.get(id)
    if (!found) return rejected(action, issuesPath, issueNotFound(id))
    const shown = shownIssue(found, memory, now)
    return {
      output: { action, issuesPath, ...shown },
      yes: true,
      ...talk,
      render: page => issuePage(shown, page),
    }
  },
})

/** Something that has an edge to the issue. */
export interface Dependent {
  readonly issueId: string
  readonly type: string
  readonly status: string
  readonly title: string
}

export type ShownIssue = ReturnType<typeof shownIssue>

function shownIssue(issue: Issue, memory: IssueMemory, now: bigint) {
  const blockers: readonly Blocker[] = openBlockersOf(memory, issue)
  const state = leaseStateAt(issue.lease, now)
  return {
    blockers,
    dependents: dependentsOf(issue.id, memory),
    issue: {
      ...briefOf(issue),
      acceptanceCriteria: issue.acceptance_criteria,
      closedAt: issue.closed_at ?? null,
      createdAt: issue.created_at ?? null,
      dependencies: issue.dependencies.map(({ depends_on_id, type, created_by }) => ({
        createdBy: created_by,
        dependsOnId: depends_on_id,
        issueId: issue.id,
        type,
      })),
      description: issue.description,
      design: issue.design,
      ephemeral: issue.ephemeral,
      fence: fenceOf(issue),
      labels: issue.labels,
      lease: issue.lease
        ? { ...leaseOf(issue.lease, issue), contended: isContended(issue, now), state }
        : null,
      metadata: issue.metadata ?? null,
      molType: issue.mol_type,
      notes: issue.notes,
      others: issue.others ?? null,
      specs: specsOf(issue),
      updatedAt: issue.updated_at ?? null,
    },
    ready: memory.isReady(issue),
    reclaim: issue.status === 'in_progress' && state === 'stale' && blockers.length === 0,
  }
}

function dependentsOf(id: string, memory: IssueMemory): readonly Dependent[] {
  return memory
    .all()
    .flatMap(({ id: issueId, status, title, dependencies }) =>
      dependencies
        .filter(edge => edge.depends_on_id === id)
        .map(({ type }) => ({ issueId, status, title, type })),
    )
}
