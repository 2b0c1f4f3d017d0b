import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Issue, readIssue } from './issue.ts'
import { IssueMemory } from './issue-memory.ts'
import { byRank } from './issue-order.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const ids = ['bd-1', 'bd-2', 'bd-10', 'bd-3']
const hours = (hour: number) => `2026-01-01T${String(hour).padStart(2, '0')}:00:00Z`

const issues = fc
  .record({
    id: fc.constantFrom(...ids),
    status: fc.constantFrom('open', 'closed', 'in_progress'),
    priority: fc.integer({ min: 0, max: 2 }),
    targets: fc.uniqueArray(fc.constantFrom(...ids, 'gone'), { maxLength: 2 }),
    type: fc.constantFrom('blocks', 'related'),
    leaseEnd: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  })
  .map(({ id, status, priority, targets, type, leaseEnd }) => {
    const dependencies = targets.map(target => ({ issue_id: id, depends_on_id: target, type }))
    const lease = leaseEnd && {
      lease_id: 'l',
      owner: 'o',
      acquired_at: hours(0),
      expires_at: hours(leaseEnd),
    }
    return readIssue({
      id,
      title: id,
      status,
      priority,
      dependencies,
      ...(lease && { lease }),
    }) as Issue
  })

/** Answers the same questions without indexes. */
function expected(rows: readonly Issue[], now: bigint) {
  const last = new Map(rows.map(issue => [issue.id, issue]))
  const isFree = (issue: Issue) =>
    issue.dependencies.every(
      ({ type, depends_on_id }) =>
        type !== 'blocks' || last.get(depends_on_id)?.status === 'closed',
    )
  const all = [...last.values()]
  return {
    size: last.size,
    all: all.map(({ id }) => id).sort(),
    ready: all.filter(issue => issue.status === 'open' && isFree(issue)).sort(byRank),
    reclaimable: all
      .filter(issue => issue.status === 'in_progress' && isFree(issue) && issue.lease)
      .filter(issue => BigInt(Date.parse(issue.lease?.expires_at ?? '')) * 1_000_000n <= now)
      .sort(byRank),
  }
}

const answers = (memory: IssueMemory, now: bigint) => ({
  size: memory.size,
  ready: [...memory.ready()],
  reclaimable: memory.reclaimable(now),
})

const noon = BigInt(Date.parse(hours(5))) * 1_000_000n

describe('memory', () => {
  test('answers after any rows as if it were read again', () => {
    fc.assert(
      fc.property(
        fc.array(issues, { maxLength: 25 }),
        fc.integer({ min: 0, max: 25 }),
        (rows, asked) => {
          const memory = new IssueMemory()
          rows.forEach((row, at) => {
            memory.put(row)
            if (at === asked) answers(memory, noon)
          })
          const { all, ...rest } = expected(rows, noon)
          expect(answers(memory, noon)).toEqual(rest)
          expect(memory.all().map(({ id }) => id)).toEqual(all)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('gives the lowest free number to a new issue', () => {
    const memory = new IssueMemory()
    expect(memory.nextCountedId('bd')).toBe('bd-1')
    for (const id of ['bd-1', 'bd-3']) memory.put(readIssue({ id, title: id }) as Issue)
    expect(memory.nextCountedId('bd')).toBe('bd-2')
    memory.put(readIssue({ id: 'bd-2', title: '' }) as Issue)
    expect(memory.nextCountedId('bd')).toBe('bd-4')
    expect(memory.nextCountedId('x')).toBe('x-1')
  })

  test('has one snapshot ref for any order of dependencies', () => {
    expect(new IssueMemory().snapshotRef(sha256)).toBe(
      'iss1_e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    )
    const memory = new IssueMemory()
    const time = '2026-02-22T00:00:00Z'
    memory.put(
      readIssue({ id: 'bd-1', title: 'Issue 1', created_at: time, updated_at: time }) as Issue,
    )
    expect(memory.snapshotRef(sha256)).toBe(
      'iss1_6fc8e972da36de0bad1f4ed36c3c58dae41fee452ece6e289907c422f5985150',
    )
    const edges = ['b', 'a'].map(target => ({
      issue_id: 'x',
      depends_on_id: target,
      type: 'blocks',
    }))
    const refs = [edges, edges.toReversed()].map(dependencies => {
      const one = new IssueMemory()
      one.put(readIssue({ id: 'x', title: 'x', dependencies }) as Issue)
      return one.snapshotRef(sha256)
    })
    expect(refs[0]).toBe(refs[1])
  })
})
