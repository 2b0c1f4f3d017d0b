import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Dependency, dependencyTypes } from '../../../wire/issue/issue.ts'
import { timestampOf } from '../../timestamp.ts'
import { type Issue, readIssue } from '../issue.ts'
import { IssueMemory } from '../issue-memory.ts'
import { isRefusal } from '../issue-refusal.ts'
import { graphIntegrity } from './dependency-cycle.ts'
import {
  addDependency,
  type EdgeName,
  removeDependency,
  replaceDependency,
} from './dependency-edit.ts'

const now = 1_700_000_000_000_000_000n

type Row = readonly [id: string, targets?: readonly string[], status?: string]

function memoryOf(...rows: readonly Row[]): IssueMemory {
  const memory = new IssueMemory()
  for (const [id, targets = [], status = 'open'] of rows) {
    const dependencies = targets.map(target => ({
      issue_id: id,
      depends_on_id: target,
      type: 'blocks',
      created_by: 'old',
    }))
    memory.put(readIssue({ id, title: id, status, dependencies }) as Issue)
  }
  return memory
}

const edge = (issueId: string, dependsOnId: string, type: EdgeName['type'] = 'blocks') => ({
  issueId,
  dependsOnId,
  type,
})
const row = (from: string, to: string, type: EdgeName['type'], by: string): Dependency => ({
  issue_id: from,
  depends_on_id: to,
  type,
  created_by: by,
})

describe('an edge is added', () => {
  const add = (memory: IssueMemory, from: string, to: string, createdBy = '') =>
    addDependency(memory, { ...edge(from, to), createdBy }, now)

  test('behind the others, and the row is dated', () => {
    const added = add(memoryOf(['a', ['b']], ['b'], ['c']), 'a', 'c', ' ann ')
    expect(added).toMatchObject({
      issue: {
        dependencies: [row('a', 'b', 'blocks', 'old'), row('a', 'c', 'blocks', 'ann')],
        updated_at: timestampOf(now),
      },
    })
  })

  test('of a second type between the same two', () => {
    const memory = memoryOf(['a', ['b']], ['b'])
    const added = addDependency(memory, { ...edge('a', 'b', 'related'), createdBy: '' }, now)
    expect(isRefusal(added)).toBe(false)
  })

  test.each([
    ['from an issue nobody knows', 'x', 'a', 'issue_not_found', 'issue not found: x'],
    ['to an issue nobody knows', 'a', 'x', 'issue_not_found', 'issue not found: x'],
    ['to itself', 'a', 'a', 'dependency_self', 'a cannot depend on itself'],
    ['twice', 'a', 'b', 'dependency_exists', 'dependency already exists: a -> b (blocks)'],
    [
      'around a circle',
      'c',
      'a',
      'dependency_cycle',
      'dependency cycle detected: c -> a -> b -> c',
    ],
  ])('except %s', (_, from, to, failureClass, diagnostic) => {
    const refusal = add(memoryOf(['a', ['b']], ['b', ['c']], ['c']), from, to)
    expect(refusal).toEqual({ failureClass, diagnostic, remedy: expect.stringMatching(/\.$/) })
  })

  test('except one that closes a cycle of closed issues', () => {
    const memory = memoryOf(['a', ['b'], 'closed'], ['b', [], 'closed'])
    expect(add(memory, 'b', 'a')).toMatchObject({ failureClass: 'dependency_cycle' })
  })

  test('if and only if it closes no cycle', () => {
    const id = fc.constantFrom(...'abcdefg')
    const wish = fc.record({
      issueId: id,
      dependsOnId: id,
      type: fc.constantFrom(...dependencyTypes),
      createdBy: fc.constant(''),
    })
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 40 }), wishes => {
        const memory = memoryOf(...[...'abcdefg'].map(name => [name] as const))
        for (const wanted of wishes) {
          const added = addDependency(memory, wanted, now)
          if (!isRefusal(added)) {
            for (const issue of added.rows) memory.put(issue)
          } else if (added.failureClass === 'dependency_cycle') {
            const before = memory.get(wanted.issueId) as Issue
            const { issueId, dependsOnId, type } = wanted
            const forced = [...before.dependencies, row(issueId, dependsOnId, type, '')]
            memory.put({ ...before, dependencies: forced })
            expect(graphIntegrity(memory, 'full').hasCycle).toBe(true)
            memory.put(before)
          }
          expect(graphIntegrity(memory, 'full').hasCycle).toBe(false)
        }
      }),
    )
  })
})

describe('an edge is removed', () => {
  test('and the others stay', () => {
    const removed = removeDependency(memoryOf(['a', ['b', 'c']], ['b'], ['c']), edge('a', 'b'), now)
    expect(removed).toMatchObject({ issue: { dependencies: [row('a', 'c', 'blocks', 'old')] } })
  })

  test('also when its target is missing', () => {
    const removed = removeDependency(memoryOf(['a', ['gone']]), edge('a', 'gone'), now)
    expect(removed).toMatchObject({ issue: { dependencies: [] } })
  })

  test.each([
    ['of an issue nobody knows', edge('x', 'b'), 'issue_not_found'],
    ['of another type', edge('a', 'b', 'related'), 'dependency_not_found'],
    ['that turns the other way', edge('b', 'a'), 'dependency_not_found'],
  ])('except one %s', (_, wanted, failureClass) => {
    const refusal = removeDependency(memoryOf(['a', ['b']], ['b']), wanted, now)
    expect(refusal).toMatchObject({ failureClass })
  })

  test.each([
    ['whose target is closed', ['b', [], 'closed'], true],
    ['whose target is open', ['b'], false],
  ] as const)('as redundant: one %s, %j', (_, target, done) => {
    const memory = memoryOf(['a', ['b', 'c']], target, ['c'])
    const answer = removeDependency(memory, { ...edge('a', 'b'), onlyIfRedundant: true }, now)
    expect(isRefusal(answer) ? answer.failureClass : true).toBe(done || 'dependency_not_redundant')
  })

  test('as redundant: not one of another type, which the check does not judge', () => {
    const memory = memoryOf(['a'], ['b', [], 'closed'])
    const added = addDependency(memory, { ...edge('a', 'b', 'waits-for'), createdBy: '' }, now)
    if (!isRefusal(added)) memory.put(added.issue)
    const wanted = { ...edge('a', 'b', 'waits-for'), onlyIfRedundant: true }
    expect(removeDependency(memory, wanted, now)).toMatchObject({
      failureClass: 'dependency_not_redundant',
    })
  })

  test.each([
    ['while the longer way stands', ['c', ['b']], true],
    ['not when the longer way is closed half-way', ['c', ['b'], 'closed'], false],
  ] as const)('as redundant: %s', (_, between, done) => {
    const memory = memoryOf(['a', ['b', 'c']], ['b'], between)
    const answer = removeDependency(memory, { ...edge('a', 'b'), onlyIfRedundant: true }, now)
    expect(isRefusal(answer)).toBe(!done)
  })
})

describe('an edge is given another type', () => {
  const replace = (memory: IssueMemory, wanted: EdgeName, toType: EdgeName['type'], by = '') =>
    replaceDependency(memory, { ...wanted, toType, createdBy: by }, now)

  test.each([
    ['and a maker', 'ann', 'ann'],
    ['and keeps its maker when none is given', '', 'old'],
    ['and keeps its maker when a blank one is', '  ', 'old'],
  ])('%s', (_, by, maker) => {
    const replaced = replace(memoryOf(['a', ['b']], ['b']), edge('a', 'b'), 'related', by)
    expect(replaced).toMatchObject({ issue: { dependencies: [row('a', 'b', 'related', maker)] } })
  })

  test.each([
    ['that is not there', edge('a', 'b', 'waits-for'), 'related', 'dependency_not_found'],
    ['whose target is missing', edge('a', 'gone'), 'related', 'issue_not_found'],
    ['of an issue to itself', edge('a', 'a'), 'related', 'dependency_self'],
  ] as const)('except one %s', (_, wanted, toType, failureClass) => {
    const memory = memoryOf(['a', ['b', 'gone', 'a']], ['b'])
    expect(replace(memory, wanted, toType)).toMatchObject({ failureClass })
  })

  test('or only another maker', () => {
    const replaced = replace(memoryOf(['a', ['b']], ['b']), edge('a', 'b'), 'blocks', 'ann')
    expect(replaced).toMatchObject({ issue: { dependencies: [row('a', 'b', 'blocks', 'ann')] } })
  })

  test('except the type of another edge between the same issues', () => {
    const memory = memoryOf(['a', ['b']], ['b'])
    const added = addDependency(memory, { ...edge('a', 'b', 'related'), createdBy: '' }, now)
    if (!isRefusal(added)) memory.put(added.issue)
    expect(replace(memory, edge('a', 'b'), 'related')).toMatchObject({
      failureClass: 'dependency_exists',
      diagnostic: 'dependency already exists: a -> b (related)',
    })
  })
})
