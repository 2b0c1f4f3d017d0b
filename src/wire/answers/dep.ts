/** The answers of the commands that ask for dependencies. */
import { priority } from '../issue/issue.ts'
import { about, count, flag, list, nullable, openRecord, record, text, word } from '../shape.ts'
import { dependencyType, edgeMembers, memoryAnswer } from './issue-parts.ts'

const Integrity = record({
  hasCycle: flag,
  cyclePath: nullable(list(text)),
})

export const DepDiagnosticsAnswer = memoryAnswer('dep.diagnostics', {
  graphScope: word(['active', 'full']),
  integrity: Integrity,
})

const view = word(['execution', 'gtd', 'groupoid'])

export const DepProjectAnswer = memoryAnswer('dep.project', {
  view,
  count,
  integrity: Integrity,
  items: list(
    record({
      ...edgeMembers,
      type: dependencyType,
      createdBy: text,
      view,
      role: text,
      blocking: flag,
    }),
  ),
})

export const DepTreeAnswer = memoryAnswer('dep.tree', {
  direction: word(['dependencies', 'dependents']),
  depth: count,
  count,
  loneCount: about(count, 'Issues without an edge, which are not listed.'),
  trees: list(
    record({
      id: text,
      title: nullable(text),
      status: nullable(text),
      priority: nullable(priority),
      missing: flag,
      type: nullable(dependencyType, 'null at the root of a tree.'),
      folded: nullable(
        word(['repeated', 'cycle', 'closed', 'depth']),
        'The reason why its children are not listed.',
      ),
      foldedCount: count,
      children: about(list(openRecord({})), 'Each with the members of a tree.'),
    }),
  ),
})
