import { expect, test } from 'vitest'
import { dependencyTypes } from '../../../wire/issue/issue.ts'
import { blockingTypes, type Issue, readIssue } from '../issue.ts'
import { IssueMemory } from '../issue-memory.ts'
import { dependencyViews, projectDependencies, roleOf } from './dependency-role.ts'

test.each([
  ['blocks', 'blocking', 'next-action', 'constraint'],
  ['conditional-blocks', 'blocking', 'next-action', 'constraint'],
  ['waits-for', 'blocking', 'next-action', 'constraint'],
  ['parent-child', 'blocking', 'project-structure', 'generator'],
  ['discovered-from', 'informational', 'captured-work', 'provenance'],
  ['replies-to', 'informational', 'captured-work', 'provenance'],
  ['related', 'informational', 'reference', 'provenance'],
  ['relates-to', 'informational', 'reference', 'provenance'],
  ['duplicates', 'informational', 'dedupe', 'equivalence'],
  ['supersedes', 'informational', 'dedupe', 'equivalence'],
] as const)('%s is %s, %s and %s', (type, ...roles) => {
  expect(dependencyViews.map(view => roleOf(type, view))).toEqual(roles)
})

test('the types that block execution are the types that hold work back', () => {
  const blocking = dependencyTypes.filter(type => roleOf(type, 'execution') === 'blocking')
  expect(new Set(blocking)).toEqual(blockingTypes)
})

test('edges come by issue, target, type and maker, and belong to the row that carries them', () => {
  const memory = new IssueMemory()
  const edge = (depends_on_id: string, type: string, created_by = '') => ({
    issue_id: 'somebody-else',
    depends_on_id,
    type,
    created_by,
  })
  const put = (id: string, ...dependencies: readonly ReturnType<typeof edge>[]) =>
    memory.put(readIssue({ id, title: id, dependencies }) as Issue)
  put('b', edge('c', 'related'), edge('c', 'blocks', 'bob'), edge('a', 'supersedes', 'ann'))
  put('a', edge('gone', 'waits-for'))
  const brief = projectDependencies(memory, 'gtd').map(
    ({ issueId, dependsOnId, type, role, blocking, createdBy }) =>
      [issueId, dependsOnId, type, role, blocking, createdBy] as const,
  )
  expect(brief).toEqual([
    ['a', 'gone', 'waits-for', 'next-action', true, ''],
    ['b', 'a', 'supersedes', 'dedupe', false, 'ann'],
    ['b', 'c', 'blocks', 'next-action', true, 'bob'],
    ['b', 'c', 'related', 'reference', false, ''],
  ])
})
