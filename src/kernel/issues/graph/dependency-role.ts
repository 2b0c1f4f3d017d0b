/** The meaning of an edge in each of the three views. */
import type { DependencyType } from '../../../wire/issue/issue.ts'
import { blockingTypes, byDependency } from '../issue.ts'
import type { IssueMemory } from '../issue-memory.ts'

export const dependencyViews = ['execution', 'gtd', 'groupoid'] as const
type DependencyView = (typeof dependencyViews)[number]

const roles = {
  blocks: { execution: 'blocking', gtd: 'next-action', groupoid: 'constraint' },
  'conditional-blocks': { execution: 'blocking', gtd: 'next-action', groupoid: 'constraint' },
  'waits-for': { execution: 'blocking', gtd: 'next-action', groupoid: 'constraint' },
  'parent-child': { execution: 'blocking', gtd: 'project-structure', groupoid: 'generator' },
  'discovered-from': { execution: 'informational', gtd: 'captured-work', groupoid: 'provenance' },
  'replies-to': { execution: 'informational', gtd: 'captured-work', groupoid: 'provenance' },
  related: { execution: 'informational', gtd: 'reference', groupoid: 'provenance' },
  'relates-to': { execution: 'informational', gtd: 'reference', groupoid: 'provenance' },
  duplicates: { execution: 'informational', gtd: 'dedupe', groupoid: 'equivalence' },
  supersedes: { execution: 'informational', gtd: 'dedupe', groupoid: 'equivalence' },
} as const satisfies Record<DependencyType, Record<DependencyView, string>>

type DependencyRole = (typeof roles)[DependencyType][DependencyView]

export const roleOf = (type: DependencyType, view: DependencyView): DependencyRole =>
  roles[type][view]

export interface ProjectedDependency {
  readonly issueId: string
  readonly dependsOnId: string
  readonly type: DependencyType
  readonly view: DependencyView
  readonly role: DependencyRole
  readonly blocking: boolean
  readonly createdBy: string
}

/** All edges, by issue, target, type and author. */
export function projectDependencies(
  memory: IssueMemory,
  view: DependencyView,
): readonly ProjectedDependency[] {
  return memory.all().flatMap(({ id, dependencies }) =>
    dependencies.toSorted(byDependency).map(({ depends_on_id, type, created_by }) => ({
      issueId: id,
      dependsOnId: depends_on_id,
      type,
      view,
      role: roleOf(type, view),
      blocking: blockingTypes.has(type),
      createdBy: created_by,
    })),
  )
}
