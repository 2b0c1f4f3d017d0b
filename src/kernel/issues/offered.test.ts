import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aLanding } from '../../../test/a-landing.ts'
import { type Issue, readIssue } from './issue.ts'
import { IssueMemory } from './issue-memory.ts'
import { byRank } from './issue-order.ts'
import { offered, offeredCount } from './offered.ts'

const hour = (count: number) => `2026-01-01T${String(count).padStart(2, '0')}:00:00Z`
const noon = BigInt(Date.parse(hour(12))) * 1_000_000n

const rowOf = (
  number: number,
  status: string,
  { priority = 2, until = undefined as number | undefined, landing = false } = {},
) => {
  const id = `bd-${number}`
  const lease = until !== undefined && {
    lease: { lease_id: 'l', owner: 'o', acquired_at: hour(1), expires_at: hour(until) },
  }
  const metadata = landing && { metadata: { premathLanding: aLanding } }
  return readIssue({ id, title: id, status, priority, ...lease, ...metadata }) as Issue
}

function memoryOf(rows: readonly Issue[]): IssueMemory {
  const memory = new IssueMemory()
  for (const row of rows) memory.put(row)
  return memory
}

const idsOf = (memory: IssueMemory) => Array.from(offered(memory, noon), ({ id }) => id)

describe('the offered work', () => {
  test('has ready and abandoned issues in one order', () => {
    const memory = memoryOf([
      rowOf(1, 'open'),
      rowOf(2, 'in_progress', { until: 11, priority: 1 }),
      rowOf(3, 'in_progress', { until: 11 }),
      rowOf(4, 'in_progress', { until: 13, priority: 0 }),
      rowOf(5, 'open'),
    ])
    expect(idsOf(memory)).toEqual(['bd-2', 'bd-1', 'bd-3', 'bd-5'])
  })

  test('has no held issue, whatever the status of its row', () => {
    expect(idsOf(memoryOf([rowOf(1, 'open', { until: 13 })]))).toEqual([])
    expect([...offered(memoryOf([rowOf(1, 'open', { until: 11 })]), noon)]).toMatchObject([
      { id: 'bd-1', left: { owner: 'o' } },
    ])
  })

  test('has no issue that is landing', () => {
    const landing = true
    const rows = [rowOf(1, 'open', { landing }), rowOf(2, 'in_progress', { until: 11, landing })]
    expect(idsOf(memoryOf(rows))).toEqual([])
  })

  test('is counted as it is listed, best first', () => {
    const row = fc
      .record({
        number: fc.integer({ min: 1, max: 12 }),
        status: fc.constantFrom('open', 'in_progress', 'closed', 'blocked'),
        priority: fc.integer({ min: 0, max: 2 }),
        until: fc.option(fc.constantFrom(11, 13), { nil: undefined }),
        landing: fc.boolean(),
      })
      .map(({ number, status, ...rest }) => rowOf(number, status, rest))
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), rows => {
        const listed = [...offered(memoryOf(rows), noon)]
        expect(offeredCount(memoryOf(rows), noon)).toBe(listed.length)
        expect(listed).toEqual(listed.toSorted(byRank))
      }),
    )
  })
})
