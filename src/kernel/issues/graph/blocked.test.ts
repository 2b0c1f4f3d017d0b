import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DependencyType, dependencyTypes } from '../../../wire/issue/issue.ts'
import { type Issue, readIssue } from '../issue.ts'
import { IssueMemory } from '../issue-memory.ts'
import { blockedIssues } from './blocked.ts'

type Edge = readonly [target: string, type?: DependencyType]

interface Row {
  readonly id: string
  readonly status?: string
  readonly edges?: readonly Edge[]
}

function memoryOf(rows: readonly Row[]): IssueMemory {
  const memory = new IssueMemory()
  for (const { id, status = 'open', edges = [] } of rows) {
    const dependencies = edges.map(([target, type = 'blocks']) => ({
      issue_id: id,
      depends_on_id: target,
      type,
    }))
    memory.put(readIssue({ id, title: id, status, dependencies }) as Issue)
  }
  return memory
}

const ids = (memory: IssueMemory) => blockedIssues(memory).map(({ issue }) => issue.id)

describe('an issue is blocked', () => {
  test('by open issues, missing issues, and by hand', () => {
    const memory = memoryOf([
      { id: 'bd-root-open' },
      { id: 'bd-root-closed', status: 'closed' },
      { id: 'bd-ready-open', edges: [['bd-root-closed']] },
      { id: 'bd-child-open', edges: [['bd-root-open']] },
      { id: 'bd-related-open', edges: [['bd-root-open', 'related']] },
      { id: 'bd-inprogress-waits', status: 'in_progress', edges: [['bd-gone', 'waits-for']] },
      { id: 'bd-closed-waits', status: 'closed', edges: [['bd-gone', 'waits-for']] },
      { id: 'bd-by-hand', status: 'blocked' },
    ])
    expect(ids(memory)).toEqual(['bd-by-hand', 'bd-child-open', 'bd-inprogress-waits'])
    expect(Array.from(memory.ready(), ({ id }) => id)).toEqual([
      'bd-ready-open',
      'bd-related-open',
      'bd-root-open',
    ])
  })

  test('and lists its blockers in the order of its row', () => {
    const memory = memoryOf([
      { id: 'a', edges: [['z'], ['done'], ['gone', 'parent-child'], ['b', 'related'], ['b']] },
      { id: 'b', status: 'in_progress' },
      { id: 'done', status: 'closed' },
      { id: 'z', status: 'Closed' },
    ])
    const blocker = (dependsOnId: string, type: DependencyType, blockerStatus: string | null) => ({
      issueId: 'a',
      dependsOnId,
      type,
      createdBy: '',
      blockerStatus,
      blockerMissing: blockerStatus === null,
    })
    expect(blockedIssues(memory)).toEqual([
      {
        issue: memory.get('a'),
        manualBlocked: false,
        blockers: [
          blocker('z', 'blocks', 'Closed'),
          blocker('gone', 'parent-child', null),
          blocker('b', 'blocks', 'in_progress'),
        ],
      },
    ])
  })
})

test('every open issue is either ready or blocked', () => {
  const id = fc.constantFrom(...'abcdefg')
  const row = fc.record({
    id,
    status: fc.constantFrom('open', 'in_progress', 'blocked', 'closed', 'Open'),
    edges: fc.array(fc.tuple(id, fc.constantFrom(...dependencyTypes)), { maxLength: 3 }),
  })
  fc.assert(
    fc.property(fc.array(row, { maxLength: 20 }), rows => {
      const memory = memoryOf(rows)
      const open = memory.all().filter(({ status }) => status === 'open')
      const blocked = new Set(ids(memory))
      const ready = new Set(Array.from(memory.ready(), ({ id }) => id))
      for (const issue of open) expect(ready.has(issue.id)).toBe(!blocked.has(issue.id))
      expect([...ready].filter(name => memory.get(name)?.status !== 'open')).toEqual([])
      expect([...blocked].filter(name => memory.get(name)?.status === 'closed')).toEqual([])
    }),
  )
})
